import { describe, expect, it } from 'vitest'
import { fold } from '../../src/core/evolve.ts'
import type { Act } from '../support/agent-script.ts'
import { diceOf, howAgain, KILLS, killAway, leftoversLater, soon } from '../support/killing.ts'
import { item, plans, setBuild, statuses } from './build-scene.ts'
import { eventsOf, failedSteps, journalText, type Mortal } from './dying.ts'
import { HONEST, promise, says, setPipeline } from './pipeline-scene.ts'

const SETTINGS = { killGrace: 0.2, maxConsecutiveFailures: 20 }

/** A plan that has to be mended, and an agent that removes a task it was not given. All notes but the wishes of a person. */
async function setNotingBuild() {
  const good = plans(item(1), item(2, ['#1']), item(3, ['#2']))[0] as Act
  const stage = setBuild({
    settings: { ...SETTINGS, baseline: false },
    first: [['mended', 'its id is used more than once', [good]]],
    plan: [plans(item(1), item(1))],
    work: { '#1': [[['list', `items.filter(({ id }) => id !== '#3')`], says('Made #1.')]] },
  })
  return { ...stage, begin: ['build', 'rough', '--refine', 'auto'], outcome: () => statuses(stage.list()) }
}

/** A finding that counts, one outside of the task, an answer, and a rejection that does not count. All notes. */
async function setNotingPipeline() {
  const FINDING = 'auth.js:1: an expired token is accepted'
  const reject = (...findings: string[]): Act[] => [says(`<reject>\n${findings.join('\n')}\n</reject>`)]
  const answered = says(
    '<dismiss F1>verify() checks it</dismiss>\n<promise>IMPLEMENTATION_COMPLETE</promise>',
  )
  const stage = await setPipeline({
    settings: SETTINGS,
    // What they do depends only on what they are asked, not on how often.
    first: [
      ['tester', '\\*\\*Agent\\*\\*: tester', ...HONEST.tester!],
      ['qa', '\\*\\*Agent\\*\\*: qa', ...HONEST.qa!],
      ['again', 'Your rejection did not count', [promise('REVIEW_PASSED')]],
      ['answered', 'answer: verify', reject(FINDING)],
      ['sent back', '^F1 ', [['file', 'auth.js', 'verify(token)\n// checked\n'], answered]],
    ],
    roles: { reviewer: [reject(FINDING, 'old.js:3: leaks a file handle')] },
  })
  return { ...stage, begin: ['pipeline'], outcome: () => stage.stored('T1').status }
}

type Stage = Mortal & {
  spawn(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }>
  /** The command that starts the run. */
  begin: string[]
  /** What its list of tasks says. */
  outcome(): unknown
}

const notesOf = (stage: Stage) => eventsOf(stage).flatMap(event => (event.type === 'noted' ? [event] : []))

/** How often what is noted has changed. After a crash the same may be noted again. */
function changesOf(stage: Stage): number {
  const values = new Map<string, string>()
  return (journalText(stage) === '' ? [] : notesOf(stage)).filter(({ key, task = '', value }) => {
    const before = values.get(`${key} ${task}`)
    values.set(`${key} ${task}`, JSON.stringify(value))
    return before !== JSON.stringify(value)
  }).length
}

/** The steps have other numbers after a crash. */
const withoutSteps = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, inner) => (key === 'step' || key === 'after' ? undefined : inner)))

/** What must not depend on when ralph died. */
function essenceOf(stage: Stage) {
  const events = eventsOf(stage)
  const failed = failedSteps(events)
  const finished = events.findLast(event => event.type === 'finished')
  const latest = new Map(notesOf(stage).map(({ key, task = '', value }) => [`${key} ${task}`, value]))
  return {
    notes: withoutSteps(Object.fromEntries([...latest].sort())),
    moves: events
      .flatMap(event => (event.type === 'settled' ? [event] : []))
      .filter(({ id, end }) => end !== 'interrupted' && !failed.has(id))
      .map(({ task, stage, move }) => `${task} ${stage} ${move}`),
    stages: Object.entries(fold(events).state.taskStates)
      .map(([id, { stage }]) => `${id} ${stage}`)
      .sort(),
    finished: finished && [finished.result, finished.proof, finished.why],
    outcome: stage.outcome(),
  }
}

async function finish(stage: Stage): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt++) {
    const ran = await stage.spawn('resume')
    if (ran.code === 0 || ran.stderr.includes('no unfinished run')) return
    expect(`${ran.stdout}${ran.stderr}`).toMatch(/interrupted 3 times in a row/)
  }
  throw new Error('it never ends')
}

describe.skipIf(process.platform !== 'linux')('what a workflow noted', () => {
  it.each<[string, () => Promise<Stage>]>([
    ['build', setNotingBuild],
    ['pipeline', setNotingPipeline],
  ])(
    `holds whenever a %s is killed between two notes (${KILLS} kills)`,
    {
      timeout: 60_000 + KILLS * 5000,
    },
    async (_, set) => {
      const whole = await set()
      const ran = await whole.spawn(...whole.begin)
      expect(ran.code, ran.stdout).toBe(0)
      const expected = essenceOf(whole)
      const gaps = changesOf(whole)
      expect(new Set(notesOf(whole).map(({ key }) => key)).size).toBeGreaterThanOrEqual(3)

      // One after the other: a scene is set in this process.
      let setting = Promise.resolve(whole)
      const play = async (round: number) => {
        const dice = diceOf(round)
        setting = setting.then(set)
        const stage = await setting
        const moments: string[] = []
        try {
          let kills = 0
          for (let after = 1; after <= gaps; after++) {
            const ralph = stage.start(...(journalText(stage) === '' ? stage.begin : ['resume']))
            let isOver = false
            void ralph.ended.then(() => {
              isOver = true
            })
            await soon(() => isOver || changesOf(stage) >= after)
            const ms = dice.pick([0, dice.below(4), dice.below(40)])
            await new Promise(resolve => setTimeout(resolve, ms))
            moments.push(`${after}+${ms}`)
            ralph.kill('SIGKILL')
            if ((await ralph.ended).signal === 'SIGKILL') kills++
          }
          await finish(stage)
          expect(essenceOf(stage)).toEqual(expected)
          expect(await leftoversLater(stage.ralphHome)).toEqual([])
          return kills
        } catch (error) {
          const why = error as Error
          why.message += `\n${howAgain} round ${round}: ${moments.join(' ')}\n${journalText(stage)}`
          throw error
        }
      }
      console.info(`${howAgain}: ${await killAway(gaps, play)} kills between ${gaps} notes`)
    },
  )
})
