import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../src/core/events.ts'
import { fold } from '../../src/core/evolve.ts'
import { AT_CAP } from '../../src/core/table.ts'
import { diceOf, howAgain, KILLS, killAway, leftoversLater } from '../support/killing.ts'
import {
  countKills,
  eventsOf,
  failedSteps,
  finish,
  formatToll,
  journalText,
  momentsOf,
  roundOn,
  runUntilKilled,
  type Toll,
} from './dying.ts'
import { setStories, story } from './stories-stage.ts'

const KILLS_PER_RUN = 6
const KILLS_PER_HOSTILE_RUN = 5

type Stage = ReturnType<typeof setSteady>

/**
 * Its work depends on nothing but mode and story: B is sent back once, C is passed by the one who wrote it. Each waits
 * for the one before: half of a story that nobody goes on with would keep the checks of all others red.
 */
function setSteady() {
  return setStories({
    stories: [story('A'), story('B', { dependsOn: ['A'] }), story('C', { priority: 2, dependsOn: ['B'] })],
    verify: ['sleep 0.03; ! grep -q half *.txt'],
    settings: { killGrace: 0.2, maxConsecutiveFailures: 20 },
    always: `
      case $mode.$id in
        review.B) if [ "$(cat B.txt)" = implement ]; then reject more; else approve; fi ;;
        review.*) approve ;;
        *)
          printf half > $id.txt; sleep 0.02; echo $mode > $id.txt
          [ $id = C ] && passes=true || passes=false
          edit reviewStatus '"needs_review"' reviewFeedback '""' notes "\\"$id\\"" passes $passes
          commit "$mode: $id"
          ;;
      esac`,
  })
}

const RUN = ['stories', '-m', '40']

/** What must not depend on how often ralph died. */
function essenceOf(stage: Stage) {
  const journal = eventsOf(stage)
  const { state } = fold(journal)
  const failed = failedSteps(journal)
  const settled = journal
    .filter(e => e.type === 'settled')
    .filter(e => e.end !== 'interrupted' && !failed.has(e.id))
  const finished = journal.findLast(e => e.type === 'finished')
  return {
    stories: stage.file(),
    stands: Object.entries(state.taskStates)
      .map(([id, { stage, rounds, proof }]) => ({ id, stage, rounds, proof }))
      .sort((a, b) => a.id.localeCompare(b.id)),
    loose: [state.flight, state.unapplied, state.intents],
    moves: settled.map(e => `${e.stage} ${e.task} ${e.move}`),
    finished: finished && [finished.result, finished.proof, finished.why],
    tree: stage.git('ls-tree', '-r', 'HEAD', '--', '*.txt', 'ralph'),
    merges: stage.git('log', '--merges', '--format=%h'),
    left: stage.git('status', '--porcelain', '--', ':!.ralph'),
  }
}

/** Every commit since the start is on record exactly once, with whose it is. */
function commitsOnRecord(stage: Stage): string[] {
  return eventsOf(stage)
    .filter(e => e.type === 'committed')
    .flatMap(e => {
      const subjects = stage.git('log', '--reverse', '--format=%s', `${e.from}..${e.to}`).split('\n')
      for (const subject of subjects) expect([subject, e.by]).toEqual([subject, authorOf(subject)])
      return subjects
    })
}

const authorOf = (subject: string) => (subject.startsWith('ralph: ') ? 'ralph' : 'agent')

describe.skipIf(process.platform !== 'linux')('a story loop that is killed again and again', () => {
  it(`comes to the same stories as one that is not (${KILLS} kills)`, {
    timeout: 120_000 + KILLS * 8000,
  }, async () => {
    const whole = setSteady()
    expect((await whole.spawn(...RUN)).code).toBe(0)
    const expected = essenceOf(whole)
    expect(expected.stories.userStories.map(s => s.reviewCount)).toEqual([1, 2, 1])
    expect(commitsOnRecord(whole)).toEqual(whole.history())

    const toll: Toll = new Map()
    const playRound = async (round: number) => {
      const d = diceOf(round)
      const stage = setSteady()
      const { count, killed, killOnce, play } = roundOn(stage, RUN, round, toll)
      return play(async () => {
        while (count.kills < KILLS_PER_RUN) {
          const { died } = await killOnce()
          if (!died && journalText(stage).includes('"result":"complete"')) break
          if (d.chance(0.5)) await delay(700)
        }
        await finish(stage, RUN)
        expect(failedSteps(eventsOf(stage)).size).toBeLessThanOrEqual(killed('agent', 'git'))
        expect(essenceOf(stage)).toEqual(expected)
        expect(commitsOnRecord(stage)).toEqual(stage.history())
        expect(existsSync(join(stage.project, '.ralph-active'))).toBe(false)
        expect(await leftoversLater(stage.ralphHome)).toEqual([])
      })
    }
    console.info(`${howAgain}: ${await killAway(KILLS_PER_RUN, playRound)} kills: ${formatToll(toll)}`)
  })
})

/**
 * An agent that writes whatever it likes wherever it can, and so many times out of eight what it should: without that,
 * hardly a story would ever be done.
 */
function setMalicious(seed: number, honesty: number) {
  const stage = setStories({
    stories: [story('A'), story('B', { dependsOn: ['A'] }), story('C')],
    verify: ['test -e green'],
    settings: { killGrace: 0.2, maxConsecutiveFailures: 20, stuckAfter: 9, review: { cap: 2 } },
    always: ({ n, id, read, put, edit, sh, git, honest }) => {
      const [seed, honesty] = sh('cat ../seed').split(' ').map(Number) as [number, number]
      let state = seed * 7919 + n * 104729
      const below = (limit: number) => {
        state = (state * 1103515245 + 12345) % 2147483648
        return Math.floor((state / 2147483648) * limit)
      }
      if (below(8) < honesty) return void honest()
      const done = { passes: true, reviewStatus: 'approved', reviewCount: below(3), notes: 'done' } as const
      const tricks = [
        () => edit(done),
        () => ['A', 'B', 'C'].map(other => edit(done, other)),
        () => put({ ...read(), verifyCommands: ['true'], userStories: read().userStories.slice(1) }),
        () =>
          put({ ...read(), userStories: read().userStories.map(s => ({ ...s, ...done, dependsOn: [] })) }),
        () => put({ ...read(), userStories: [{ ...read().userStories[0]!, ...done, id: `X${n}` }] }),
        () => sh('echo "{" > ralph/tasks.json'),
        () => sh('rm -rf ralph .ralph-active'),
        () => sh('echo "{}" > "$RALPH_SNAPSHOT"; echo "{}" > .ralph-active'),
        () => edit({ acceptanceCriteria: ['anything'], ...done }),
        () => sh('rm -f green'),
        () => sh('touch green'),
        () => honest(),
        () => honest(),
        () => git('add', '-A'),
        () =>
          git('-c', 'core.hooksPath=/dev/null', 'commit', '-q', '-a', '--allow-empty', '-m', 'ralph: record'),
      ]
      for (let i = 0; i <= below(4); i++)
        try {
          tricks[below(tricks.length)]!()
        } catch {
          // What the file is after an earlier trick, this one could not read.
        }
      const verdict = below(4) > 0 ? 'approved' : 'changes_requested'
      return `<promise>COMPLETE</promise> ${id}\n<verdict>${verdict}</verdict>`
    },
  })
  writeFileSync(join(stage.root, 'seed'), `${seed} ${honesty}`)
  if (honesty > 0) stage.write('green', '')
  return stage
}

/** Every story that is done has a review that approved it on green checks; the cap apart, and that is only claimed. */
function expectHonest(stage: Stage, events: RunEvent[]): void {
  const { state, tasks } = fold(events)
  const settled = events.filter(e => e.type === 'settled')
  let capped = 0
  for (const { id } of tasks) {
    const stands = state.taskStates[id]
    if (stands?.stage !== 'done') continue
    const last = settled.findLast(e => e.task === id && e.move !== null)!
    expect([id, last.stage]).toEqual([id, 'review'])
    expect(last.findings.filter(f => f.verdict !== 'pass')).toEqual([])
    expect(last.findings.some(f => f.check === 'test -e green')).toBe(true)
    if (last.move === 'capped') capped++
    expect([id, last.move, stands.why]).toEqual(
      last.move === 'capped' ? [id, 'capped', AT_CAP] : [id, 'pass', ''],
    )
  }
  for (const edit of events.filter(e => e.type === 'edited'))
    if (edit.by === 'person')
      expect([edit.list, Object.values(edit.state ?? {}).filter(stands => stands.stage === 'done')]).toEqual([
        undefined,
        [],
      ])
  const finished = events.findLast(e => e.type === 'finished')
  if (finished?.result === 'complete' && capped > 0) expect(finished.proof).toBe('claimed')
  if (finished)
    for (const told of stage.file().userStories)
      expect([told.id, told.passes]).toEqual([told.id, state.taskStates[told.id]?.stage === 'done'])
}

describe.skipIf(process.platform !== 'linux')(
  'a malicious agent, in a story loop that is killed now and then',
  () => {
    it(`gets no story approved without an approving review and green checks (${KILLS} kills)`, {
      timeout: 120_000 + KILLS * 8000,
    }, async () => {
      const count = { done: 0, runs: 0 }
      const toll: Toll = new Map()
      const play = async (round: number) => {
        const nextMoment = momentsOf(round + 500)
        const stage = setMalicious(diceOf(round + 500).below(1_000_000), round % 2 === 0 ? 6 : 0)
        const run = ['stories', '-m', '14']
        try {
          let kills = 0
          while (kills < KILLS_PER_HOSTILE_RUN) {
            kills += countKills(toll, await runUntilKilled(stage, run, nextMoment()))
            if (journalText(stage) !== '') expectHonest(stage, eventsOf(stage))
            if (journalText(stage).includes('"type":"finished"')) break
          }
          if (!journalText(stage).includes('"type":"finished"'))
            await stage.spawn(...(journalText(stage) === '' ? run : ['resume']))
          expectHonest(stage, eventsOf(stage))
          const { state } = fold(eventsOf(stage))
          count.runs++
          count.done += Object.values(state.taskStates).filter(({ stage }) => stage === 'done').length
          return Math.max(kills, 1)
        } catch (error) {
          const why = error as Error
          const files = existsSync(join(stage.project, 'ralph'))
            ? readdirSync(join(stage.project, 'ralph'))
            : []
          why.message += `\n${howAgain} round ${round} ${files}\n${journalText(stage)}`
          throw error
        }
      }
      const kills = await killAway(KILLS_PER_HOSTILE_RUN, play)
      console.info(
        `${howAgain}: ${kills} kills in ${count.runs} loops, ${count.done} stories done: ${formatToll(toll)}`,
      )
      expect(count.done).toBeGreaterThan(0)
    })
  },
)
