import { chmodSync, copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../src/core/events.ts'
import { fold } from '../../src/core/evolve.ts'
import { diceOf, howAgain, KILLS, killAway, leftoversLater } from '../support/killing.ts'
import { eventsOf, failedSteps, finish, formatToll, journalText, roundOn, type Toll } from './dying.ts'
import { setRepository } from './repository.ts'

const STEADY_AGENT = join(import.meta.dirname, '..', 'support', 'steady-agent.sh')
const KILLS_PER_RUN = 6

type Stage = ReturnType<typeof setScene>

/** Six iterations, red and green in turn; every green one is committed, once by the agent itself. */
function setScene() {
  const stage = setRepository({
    settings: {
      includeIterationCountInPrompt: true,
      guardrails: [{ command: 'sleep 0.03; grep -q green state' }],
      scm: { command: 'git', tasks: ['commit'] },
      killGrace: 0.2,
      maxConsecutiveFailures: 20,
    },
  })
  copyFileSync(STEADY_AGENT, join(stage.bin, 'claude'))
  chmodSync(join(stage.bin, 'claude'), 0o755)
  return stage
}

const RUN = ['run', '-p', 'Do the next step.', '-m', '40']

/** An event that comes only after what an earlier incarnation left was ended. */
const RECOVERED = /^\{"type":"(?!resumed|warned)/m

/** What must not depend on how often ralph died. */
function essenceOf(stage: Stage) {
  const journal = eventsOf(stage)
  const { state, tasks } = fold(journal)
  const { taskStates, n, flight, unapplied, intents, spent, instructions, redBefore, streaks, hold } = state
  // An agent that is called again for what it had done when it was killed changes nothing more.
  const { tries: _, idleGreen: __, lastRed, ...stands } = taskStates.prompt!
  const failed = failedSteps(journal)
  const settled = journal
    .filter(e => e.type === 'settled')
    .filter(e => e.end !== 'interrupted' && !failed.has(e.id))
  const ended = journal.filter(e => e.type === 'ended')
  const paid = ended.filter(e => !failed.has(e.id))
  const costOf = (events: typeof ended) => events.reduce((sum, e) => sum + (e.result.costUsd ?? 0), 0)
  const finished = journal.filter(e => e.type === 'finished').at(-1)
  return {
    state: { n: n - failed.size, flight, unapplied, intents, instructions, redBefore, streaks, hold },
    spent: [costOf(paid), spent.usd - costOf(ended)],
    task: { ...stands, lastRed: lastRed.map(f => f.check) },
    tasks,
    settled: settled.map(e => [e.end, e.move, e.findings.map(f => `${f.check}: ${f.verdict}`)]),
    paid: paid.map(e => [e.how, e.result.text, e.result.usage]),
    finished: finished && [finished.result, finished.proof, finished.why],
    commits: stage.git('log', '--format=%T %s').split('\n'),
    files: stage.git('ls-tree', '-r', 'HEAD').split('\n'),
    merges: stage.git('log', '--merges', '--format=%h'),
    left: stage.git('status', '--porcelain'),
  }
}

/** Every commit since the start is on record exactly once, with whose it is. */
function commitsOnRecord(stage: Stage): string[] {
  return eventsOf(stage)
    .filter(e => e.type === 'committed')
    .flatMap(e =>
      stage
        .git('log', '--reverse', '--format=%s', `${e.from}..${e.to}`)
        .split('\n')
        .map(subject => `${e.by}: ${subject}`),
    )
}

/** How many times the agent was called, and how many of those calls failed or were lost by a crash. */
function callsOf(stage: Stage) {
  const journal = eventsOf(stage)
  const count = (keep: (e: RunEvent) => boolean) => journal.filter(keep).length
  return {
    calls: readFileSync(join(stage.root, 'calls'), 'utf8').trim().split('\n').length,
    paid: count(e => e.type === 'ended'),
    failed: failedSteps(journal).size,
    lost: count(e => e.type === 'settled' && e.end === 'interrupted'),
  }
}

describe.skipIf(process.platform !== 'linux')('a run that is killed again and again', () => {
  it(`comes to the same end as one that is not (${KILLS} kills)`, {
    timeout: 60_000 + KILLS * 5000,
  }, async () => {
    const whole = setScene()
    expect((await whole.spawn(...RUN)).code).toBe(0)
    const expected = essenceOf(whole)
    expect(commitsOnRecord(whole)).toEqual(['ralph: Step 2', 'agent: By the agent', 'ralph: Step 6'])
    expect(callsOf(whole)).toEqual({ calls: 6, paid: 6, failed: 0, lost: 0 })

    const toll: Toll = new Map()
    const playRound = async (round: number) => {
      const d = diceOf(round)
      const stage = setScene()
      const { count, killed: killedOf, killOnce, play } = roundOn(stage, RUN, round, toll)
      return play(async () => {
        let unwatched: number | null = null
        while (count.kills < KILLS_PER_RUN) {
          const killed = await killOnce()
          if (!killed.died && journalText(stage).includes('"result":"complete"')) break
          // What a killed warden left is ended by the next incarnation that gets further than its first events.
          const journal = journalText(stage)
          if (killed.others.some(other => other.includes('warden'))) unwatched = journal.length
          else if (RECOVERED.test(journal.slice(unwatched ?? 0))) unwatched = null
          // Now and then it goes on at once, while the warden is still at work.
          if (d.chance(0.5) || unwatched !== null) continue
          expect(await leftoversLater(stage.ralphHome)).toEqual([])
        }
        await finish(stage, RUN)
        expect(essenceOf(stage)).toEqual(expected)
        expect(commitsOnRecord(stage)).toEqual(commitsOnRecord(whole))
        const { calls, paid, failed, lost } = callsOf(stage)
        expect([paid - failed, failed <= killedOf('agent', 'git'), calls <= paid + lost]).toEqual([
          6,
          true,
          true,
        ])
        expect(await leftoversLater(stage.ralphHome)).toEqual([])
      })
    }
    console.info(`${howAgain}: ${await killAway(KILLS_PER_RUN, playRound)} kills: ${formatToll(toll)}`)
  })
})
