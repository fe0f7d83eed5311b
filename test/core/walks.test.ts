/**
 * Random runs over all four tables, with crashes, limits, hostile edits and people in between, watched by an oracle.
 * RALPH_WALKS sets how many per table. Of a sample of mutants of settle and next, those that walks can notice at all were
 * noticed within 204.
 *
 * These tests were tried on broken code. Each line is a defect that was put in by hand and what noticed it:
 * `walks` is this file, other names are the table tests beside it.
 *
 *   next        ignores unmet blockers; two steps on one task; more in flight than the width    walks, next
 *               complete when some are done; an empty list is complete                          walks, next
 *               verified when some are proven                                                   walks, next
 *               ignores a pause; ends with work in flight                                       walks, next
 *               asks a limited agent; never falls back; waits for limits without end            walks, next
 *               ignores the order of stages, or priority; no pause after a failure              walks, next
 *               does not say why a task is blocked                                              walks, next
 *   settle      drops the count of tries; ignores a task's own number of them                   walks, settle
 *               a limit, or an interruption, costs an iteration                                 walks, next
 *               forgets crashes; never forgets them; counts interruptions on purpose            walks, settle
 *               a crash, or a late result, undoes what a person decided                         walks, settle
 *               agent trouble spends a try, or makes a bug fix                                  walks, settle
 *               the cap waves red checks through; counts as proof; there is no cap              walks, settle
 *               approvals are not counted as reviews                                            walks, settle, review
 *               counts no visits; counts no bugs                                                walks, settle
 *               a new bug fix takes the name of an old one                                      settle, many walks
 *               never stuck; stuck with other checks; stuck although files change               walks, settle
 *               proof survives an unchecked, a limited or a broken-off change; claims prove     walks, settle
 *               silence spends no try, or is not counted                                        walks, settle
 *               failures are not reset; empty answers fail at once, or never                    walks, settle
 *               passes without the signal, with red checks, with unsure ones, with any verdict  walks, settle
 *               a failed plan yields tasks                                                      walks, settle
 *               forgets what the reviewer said; a red check silences the reviewer               walks, settle
 *   evolve      ignores the patch; forgets where a task stands; done is reset by another task   walks, next
 *               a step never lands; nothing is ever applied; calls cost nothing                 walks, evolve
 *               a resumed run keeps its failures; steering does not end waits                   walks, evolve, next
 *               a new task inherits from a removed one; additions are not counted               walks, evolve
 *               a bug fix does not block, goes to the end, or blocks twice when repeated        walks, evolve
 *   limits      pauses do not grow; a reset that is past is believed                            walks, limits
 *               pauses grow without end                                                         limits
 *               one iteration, or failure, too many; forgets those in flight                    walks, limits
 *               silence, money or time without end; waits on if others worked                   walks, limits
 *   task        inserts twice; an order loses tasks; waits for what was removed                 walks, task
 *   review      accepts an agent's passes, count, criteria, checks, removals, new approvals     walks, review
 *               leaves passes without notes, changes unsaid, the cap untold                     walks, review
 *               who implements may approve; half an approval approves                           walks, review
 *               the reviewer decides at the cap; without reviews, submits by halves             review
 *   stories     agents add without end, redefine, remove                                        walks, story-edits
 *               takes up unknown dependencies, or any count of reviews                          walks, story-edits
 *               a person's half approval is one; a reopened story keeps its reviews             story-edits
 *   todo        agents add without end, remove; takes up unknown blockers                       walks, todo
 *               a nameless item is always new, or named by its place                            walks, todo
 *               a person cannot complete, cannot reopen; a person's word is proof               walks, todo
 *               names met blockers, or loses them; nothing under way; shows the plan            todo
 *   completion  the tag's case matters; lines do not; not trimmed; lower-cases the whole text   completion
 *   outcome     refused tools do not matter                                                     walks, outcome
 *               exit codes do not; seeing off does; silence answers; limits are errors          outcome
 *   rules       an implementer may approve; a review need not count; removals unnoticed         review-rules
 */
import fc from 'fast-check'
import { describe, it } from 'vitest'
import type { Kind } from './setup.ts'
import { walk } from './walk.ts'

const WALKS = Number(process.env.RALPH_WALKS ?? 1_000)

/**
 * Walks that are rare: a person takes every task out, and then wants to decide about one; an agent that was interrupted at
 * a task does another one well, and only then fails at the first; all tokens are used while one task is to be merged and
 * an agent would have to resolve the conflict of another.
 */
const ODD: [number][] = [[-198556188], [1054706198], [-532373357]]

describe.each<Kind>(['prompt', 'tasks', 'stories', 'pipeline'])('any %s run', kind => {
  it('ends, survives every crash and keeps every promise', { timeout: 60_000 + WALKS * 20 }, () => {
    fc.assert(
      // A walk is all in its seed: there is nothing to shrink.
      fc.property(fc.noBias(fc.integer()), seed => void walk(kind, seed)),
      { numRuns: WALKS, endOnFailure: true, includeErrorInReport: true, examples: ODD },
    )
  })
})
