import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import type { RunEvent } from '../../src/core/events.ts'
import { journalPath, readJournal } from '../../src/store/journal.ts'
import { diceOf, gitsOf, howAgain, isChildOf, killAll, soon, wardensOf } from '../support/killing.ts'
import type { Ran, Started } from '../support/ralph.ts'

/** A stage on which ralph is killed again and again. */
export type Mortal = {
  ralphHome: string
  runs(): string[]
  start(...args: string[]): Started
  spawn(...args: string[]): Promise<Ran>
}

/**
 * Who is killed: ralph; ralph and its warden at once, so that what they started lives on; or the warden, the agent or a
 * git alone, and ralph some time later.
 */
type Victim = 'ralph' | 'ralph and warden' | 'warden' | 'agent' | 'git'

/**
 * When somebody is killed: `ms` after ralph's start or after it journals this event, and at the latest `last` ms after the
 * first one that it journals. If it was not ralph, that follows `later` ms after.
 */
export type Moment = {
  victim: Victim
  after: RunEvent['type'] | 'start'
  ms: number
  last: number
  later: number
}

const BOUNDARIES: Moment['after'][] = [
  'start',
  'resumed',
  'started',
  'spawned',
  'ended',
  'settled',
  'committing',
  'committed',
  'applied',
]

/** Half of the time it is ralph. */
const VICTIMS: Victim[] = ['ralph', 'ralph', 'ralph', 'ralph', 'ralph and warden', 'warden', 'agent', 'git']

/**
 * The moments of one round: at a boundary itself, shortly after it, or anywhere. Victims and boundaries come in turn, and
 * each round begins with others, so that a few kills are enough for each of them.
 */
export function momentsOf(round: number): () => Moment {
  const d = diceOf(round)
  const victims = inTurn(VICTIMS, round)
  const boundaries = inTurn(BOUNDARIES, round)
  return () => ({
    victim: victims(),
    after: boundaries(),
    ms: d.pick([0, d.below(4), d.below(40), d.below(200)]),
    last: 200 + d.below(500),
    later: d.below(600),
  })
}

/** In an order that all rounds share. */
function inTurn<T>(list: readonly T[], round: number): () => T {
  const order = diceOf(0).shuffle(list)
  // It divides the length of neither list, so that the first ones of some rounds are all of them.
  let at = round * 5
  return () => order[at++ % order.length]!
}

const formatMoment = ({ victim, after, ms, last, later }: Moment): string =>
  `${victim} ${after}+${ms}/${last}${victim.startsWith('ralph') ? '' : `+${later}`}`

/** The journal of the run that is on record; those killed before that do not count. */
function journalOf(stage: Mortal): string | null {
  const dirs = existsSync(`${stage.ralphHome}/runs`) ? stage.runs() : []
  const run = dirs.find(hasBegun)
  return run === undefined ? null : journalPath(run)
}

/** A ralph that was killed before its first line leaves no more than folders. */
export const hasBegun = (run: string): boolean =>
  existsSync(journalPath(run)) && readFileSync(journalPath(run)).includes('\n')

export const journalText = (stage: Mortal): string => {
  const path = journalOf(stage)
  return path === null ? '' : readFileSync(path, 'utf8')
}

export const eventsOf = (stage: Mortal): RunEvent[] => readJournal(dirname(journalOf(stage)!))

/** What a moment came to: which others were killed, and whether ralph was, before the run was over. */
export type Killed = { died: boolean; others: Victim[] }

/** Starts or resumes a run and kills somebody at this moment, and at last ralph, unless the run is over before. */
export async function runUntilKilled(
  stage: Mortal,
  begin: string[],
  { victim, after, ms, last, later }: Moment,
): Promise<Killed> {
  const before = Buffer.byteLength(journalText(stage))
  const ralph = stage.start(...(before === 0 ? begin : ['resume']))
  let over = false
  void ralph.ended.then(() => {
    over = true
  })
  let path: string | null = null
  let seen = before
  const hasWritten = () => {
    path ??= journalOf(stage)
    if (path === null || statSync(path).size === seen) return false
    const text = readFileSync(path)
    seen = text.length
    return text.subarray(before).includes(`{"type":"${after}"`)
  }
  if (after !== 'start') {
    await soon(() => over || Buffer.byteLength(journalText(stage)) > before)
    await soon(() => over || hasWritten(), last)
  }
  await delay(ms)
  const others: Victim[] = []
  if (victim === 'ralph and warden') {
    await soon(() => over || wardensOf(ralph.pid).length > 0, FIND_MS)
    ralph.kill('SIGSTOP') // A warden that is missed is replaced.
  }
  if (victim !== 'ralph' && (await killOther(victim, stage, ralph.pid, () => over))) others.push(victim)
  if (!victim.startsWith('ralph')) await Promise.race([ralph.ended, delay(later)])
  ralph.kill('SIGKILL')
  return { died: (await ralph.ended).signal === 'SIGKILL', others }
}

const FIND_MS = 10_000

/** Kills the first that is found within a moment; false if there is none. */
async function killOther(
  victim: Exclude<Victim, 'ralph'>,
  stage: Mortal,
  ralph: number,
  isOver: () => boolean,
): Promise<boolean> {
  const find = {
    'ralph and warden': () => wardensOf(ralph),
    warden: () => wardensOf(ralph),
    agent: () => agentsOf(stage, ralph),
    git: () => gitsOf(ralph),
  }[victim]
  return (await soon(() => isOver() || killAll(find()), FIND_MS)) && !isOver()
}

/** The agent at work in a step, without what it started. */
const agentsOf = (stage: Mortal, ralph: number): number[] =>
  journalText(stage) === ''
    ? []
    : eventsOf(stage)
        .flatMap(e => (e.type === 'spawned' ? e.ref.pid : []))
        .slice(-1)
        .filter(pid => isChildOf(ralph, pid))

/** Until it is done, however often that takes; a run blocked by crashes is given another chance. */
export async function finish(stage: Mortal, begin: string[], run = stage.spawn): Promise<void> {
  for (let attempt = 0; attempt < 6; attempt++) {
    const ran = await run(...(journalText(stage) === '' ? begin : ['resume']))
    if (ran.code === 0 || ran.stderr.includes('no unfinished run')) return
    expect(`${ran.stdout}${ran.stderr}`).toMatch(/interrupted 3 times in a row/)
  }
  throw new Error('it never ends')
}

/** One stage whose run is killed again and again, and what that came to so far. */
export function roundOn(stage: Mortal, begin: string[], round: number, toll: Toll) {
  const nextMoment = momentsOf(round)
  const moments: string[] = []
  const others: Victim[] = []
  const count = { kills: 0 }
  return {
    count,
    /** How many were killed of these, beside ralph. */
    killed: (...victims: Victim[]) => others.filter(other => victims.includes(other)).length,
    async killOnce(): Promise<Killed> {
      const moment = nextMoment()
      moments.push(formatMoment(moment))
      const killed = await runUntilKilled(stage, begin, moment)
      count.kills += countKills(toll, killed)
      others.push(...killed.others)
      return killed
    },
    /** What fails says how to play it again. */
    async play(act: () => Promise<unknown>): Promise<number> {
      try {
        await act()
        return count.kills
      } catch (error) {
        const why = error as Error
        why.message += `\n${howAgain} round ${round}: ${moments.join(' ')}\n${journalText(stage)}`
        throw error
      }
    },
  }
}

/** How often each was killed. */
export type Toll = Map<Victim, number>

/** Adds to the toll, and gives the number of kills. */
export function countKills(toll: Toll, { died, others }: Killed): number {
  const victims: Victim[] = died && !others.includes('ralph and warden') ? [...others, 'ralph'] : others
  for (const victim of victims) toll.set(victim, (toll.get(victim) ?? 0) + 1)
  return victims.length
}

export const formatToll = (toll: Toll): string =>
  [...toll].map(([victim, times]) => `${victim} ${times}`).join(', ')

/** The steps whose agent failed. It did so only because it, or a git of it, was killed. */
export function failedSteps(events: readonly RunEvent[]): Set<number> {
  return new Set(events.flatMap(e => (e.type === 'settled' && e.end === 'error' ? e.id : [])))
}
