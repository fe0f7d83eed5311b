import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { RunEvent } from '../../src/core/events.ts'
import { journalPath, readJournal } from '../../src/store/journal.ts'
import type { Dice } from '../core/dice.ts'
import { soon } from '../support/killing.ts'
import type { Started } from '../support/ralph.ts'

/** A stage on which ralph is killed again and again. */
export type Mortal = { ralphHome: string; runs(): string[]; start(...args: string[]): Started }

/** When ralph dies: `ms` after its start or after it journals this event, and at the latest after `last` ms. */
export type Moment = { after: RunEvent['type'] | 'start'; ms: number; last: number }

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

/** At the boundary itself, shortly after it, or anywhere. */
export const throwMoment = (d: Dice): Moment => ({
  after: d.pick(BOUNDARIES),
  ms: d.pick([0, d.below(4), d.below(40), d.below(200)]),
  last: 200 + d.below(500),
})

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

/** Starts or resumes a run and kills ralph at this moment, unless the run is over before. */
export async function runUntilKilled(
  stage: Mortal,
  begin: string[],
  { after, ms, last }: Moment,
): Promise<boolean> {
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
  if (after !== 'start') await soon(() => over || hasWritten(), last)
  await delay(ms)
  ralph.kill('SIGKILL')
  return (await ralph.ended).signal === 'SIGKILL'
}
