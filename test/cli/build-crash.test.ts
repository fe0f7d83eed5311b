import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../src/core/events.ts'
import type { Act } from '../support/agent-script.ts'
import { howAgain, KILLS, killAway, leftoversLater, soon } from '../support/killing.ts'
import { RALPH } from '../support/ralph.ts'
import { hasTmux, openTerminal } from '../support/terminal.ts'
import { item, plans, setBuild, statuses } from './build-scene.ts'
import { failedSteps, finish, formatToll, journalText, roundOn, type Toll } from './dying.ts'

const answer = (text: string): Act => ['claude', text]
/** Slow enough to be killed at; it leaves a file that tells it was there. */
const slowly = (name: string, ...acts: Act[]): Act[] => [
  ['append', `../begun-${name}`, '.'],
  ['sleep', 60],
  ...acts,
]

const KILLS_PER_RUN = 4
const BUILD = ['build', 'rough', '--refine', 'auto']

/** A build in which one task fails, is mended, and an agent adds a task. */
function setScene() {
  // It waits for #2, so that the order is the same also when three kills in a row have blocked that one for a while.
  const more = `[...items, { content: 'Make part 3', status: 'pending', activeForm: 'Making part 3', blockedBy: ['#2'] }]`
  return setBuild({
    settings: {
      baseline: false,
      killGrace: 0.2,
      maxConsecutiveFailures: 20,
      guardrails: [{ command: 'sleep 0.03; ! grep -qs bad state' }],
    },
    // What it does must not depend on how often it was called.
    first: [['again', 'A bug fix was made since', slowly('work', answer('Now it is.'))]],
    refine: [slowly('refine', answer('<refined>The refined goal</refined>'))],
    plan: [slowly('plan', (plans(item(1, [], { description: 'With care' }), item(2, ['#1'])) as [Act])[0])],
    work: {
      '#1': [slowly('work', ['file', 'state', 'bad'], answer('Made it.'))],
      '#1-bug-1': [slowly('fix', ['file', 'state', 'good'], answer('Mended.'))],
      '#2': [
        slowly(
          'work',
          ['list', `items.some(i => i.content === 'Make part 3') ? items : ${more}`],
          answer('Made it.'),
        ),
      ],
      '#3': [slowly('work', answer('Made it.'))],
    },
  })
}

type Stage = ReturnType<typeof setScene>

const LIST = ['#1 completed', '#1-bug-1 completed', '#2 completed', '#3 completed']

/** What must be so at the end, however often ralph died. */
function expectWhole(stage: Stage) {
  const journal = stage.journal()
  const count = (keep: (e: RunEvent) => boolean) => journal.filter(keep).length
  const paid = journal.filter(e => e.type === 'settled').filter(e => e.end === 'ok')
  expect(paid.map(e => [e.task, e.move])).toEqual([
    ['plan', 'pass'],
    ['plan', 'pass'],
    ['#1', 'fail'],
    ['#1-bug-1', 'pass'],
    ['#1', 'pass'],
    ['#2', 'pass'],
    ['#3', 'pass'],
  ])
  // Every call is paid for once, but for those that were cut off, or whose agent was killed.
  const failed = failedSteps(journal)
  expect(count(e => e.type === 'ended' && !failed.has(e.id))).toBe(7)
  expect(stage.names().length).toBeLessThanOrEqual(
    7 + failed.size + count(e => e.type === 'settled' && e.end === 'interrupted'),
  )
  expect(statuses(stage.list())).toEqual(LIST)
  expect(JSON.parse(stage.session('details.json'))).toEqual({ '#1': { description: 'With care' } })
  expect(stage.warnings().filter(note => note.includes('#'))).toEqual([])
  const log = stage.session('progress.txt')
  const lost = journal.flatMap(e => (e.type === 'started' && failed.has(e.id) ? e.n : []))
  const headings = [...log.matchAll(/^## (?:(Plan|Goal, refined)|Iteration (\d+) — (\S+):)/gm)].flatMap(
    ([, words, number, task]) => {
      const n = Number(number)
      if (words !== undefined) return words
      return lost.includes(n) ? [] : `Iteration ${n - lost.filter(other => other < n).length} — ${task}`
    },
  )
  expect(headings).toEqual([
    'Goal, refined',
    'Plan',
    'Iteration 3 — #1',
    'Iteration 4 — #1-bug-1',
    'Iteration 5 — #1',
    'Iteration 6 — #2',
    'Iteration 7 — #3',
  ])
  // An agent that was cut off may have added it already.
  expect(log.split('- Added #3: Make part 3')).toHaveLength(2)
  expect(log).not.toContain('List changed by a person')
}

describe.skipIf(process.platform !== 'linux')('a build that is killed', () => {
  const tells = (stage: Stage, text: string, times = 1) => journalText(stage).split(text).length > times
  const begun = (name: string) => (stage: Stage) => existsSync(join(stage.root, `begun-${name}`))
  it.each<[string, (stage: Stage) => boolean]>([
    ['while it refines', begun('refine')],
    ['after it refined', stage => tells(stage, '"type":"ended"')],
    ['when the refined goal is settled', stage => tells(stage, '"type":"settled"')],
    ['while it plans', begun('plan')],
    ['after it planned', stage => tells(stage, '"type":"ended"', 2)],
    ['when the plan is settled', stage => tells(stage, '"type":"settled"', 2)],
    ['while it works', begun('work')],
    ['while it checks', stage => tells(stage, '"type":"ended"', 3)],
    ['when a failure is settled', stage => tells(stage, '"type":"settled"', 3)],
    ['while it mends', begun('fix')],
    ['when the list was changed by an agent', stage => tells(stage, '"by":"agent"')],
  ])('%s goes on without paying twice', async (_, when) => {
    const stage = setScene()
    const ralph = stage.start(...BUILD)
    expect(await soon(() => when(stage))).toBe(true)
    ralph.kill('SIGKILL')
    await ralph.ended
    await finish(stage, BUILD, stage.ralph)
    expectWhole(stage)
  })

  it.skipIf(!hasTmux)('at a question asks it again, and pays nothing', async () => {
    const stage = setBuild()
    const open = (...words: string[]) =>
      openTerminal([process.execPath, RALPH, ...words], { cwd: stage.project, env: stage.env })
    const first = await open('build', 'rough', '--yes')
    await first.waitFor('Which version should ralph use?')
    process.kill(first.pid(), 'SIGKILL')
    expect((await first.ended()).code).toBe(137)
    const again = await open('resume')
    await again.waitFor('Which version should ralph use?')
    await again.press('Enter')
    expect((await again.ended()).code).toBe(0)
    expect(stage.names()).toEqual(['refine', 'plan', '#1', '#2'])
  })

  const kills = Math.ceil((KILLS * 2) / 3)
  it(`at any moment comes to the same end (${kills} kills)`, { timeout: 60_000 + kills * 8000 }, async () => {
    const toll: Toll = new Map()
    const playRound = async (round: number) => {
      const stage = setScene()
      const { count, killed, killOnce, play } = roundOn(stage, BUILD, round, toll)
      return play(async () => {
        while (count.kills < KILLS_PER_RUN && !journalText(stage).includes('"result":"complete"'))
          await killOnce()
        await finish(stage, BUILD)
        expect(failedSteps(stage.journal()).size).toBeLessThanOrEqual(killed('agent'))
        expectWhole(stage)
        expect(await leftoversLater(stage.ralphHome)).toEqual([])
      })
    }
    console.info(`${howAgain}: ${await killAway(KILLS_PER_RUN, playRound, kills)} kills: ${formatToll(toll)}`)
  })
})
