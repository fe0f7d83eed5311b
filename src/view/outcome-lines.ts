import type { Settled } from '../core/events.ts'
import { atMost, plural } from '../core/format.ts'
import { AT_CAP, type Stage } from '../core/table.ts'
import type { Style } from './style.ts'
import type { Fit } from './text/fit.ts'
import { asCheck, plainLine } from './text/plain.ts'

/** How much is shown of what a reviewer asks for. */
const FEEDBACK_LINES = 6

/**
 * What an iteration that ended well came to: a verdict, a task that is done or blocked, or why the loop goes on. The
 * lines of its checks have already said what is red.
 */
export function outcomeLines(
  event: Settled,
  stage: Pick<Stage, 'ends' | 'listed' | 'repeats'> | undefined,
  isListed: boolean,
  { colors, marks }: Style,
  fit: Fit,
): string[] {
  const { task, state, move, findings } = event
  const name = plainLine(task, 40)
  const line = (mark: string, text: string, paint: (text: string) => string) =>
    fit.wrap(`  ${mark} ${text}`, row => colors.bold(paint(row)), 4)
  if (stage?.listed === false) return []
  if (stage?.ends === 'verdict' && move !== null) return verdict()
  if (move === 'reject') return [...line(marks.fail, `${name} sent back`, colors.red), ...feedbackLines()]
  if (!isListed) return unfinished()
  if (state.stage === 'blocked')
    return line(marks.warn, `${name} blocked: ${plainLine(asCheck(state.why))}`, colors.yellow)
  if (state.stage === 'done') return done()
  const added = event.add.flatMap(({ id, title }) =>
    fit.wrap(`  → ${plainLine(id, 40)} ${plainLine(asCheck(title))}`, colors.yellow, 4),
  )
  return [...added, ...unfinished()]

  function done(): string[] {
    if (state.why === AT_CAP) return line(marks.warn, `${name} ${AT_CAP}, not by a reviewer`, colors.yellow)
    return state.proof
      ? line(marks.ok, `${name} done, verified`, colors.green)
      : line(marks.pass, `${name} done as claimed: nothing verified it`, colors.yellow)
  }

  function verdict(): string[] {
    if (state.stage === 'done' && state.why !== AT_CAP)
      return state.proof
        ? line(marks.ok, `${name} approved, verified`, colors.green)
        : line(marks.pass, `${name} approved; no check verified it`, colors.yellow)
    const feedback = feedbackLines()
    if (move === 'reject') return [...line(marks.fail, `${name} sent back`, colors.red), ...feedback]
    if (state.stage === 'done') return [...done(), ...feedback]
    if (state.stage === 'blocked')
      return [
        ...line(marks.warn, `${name} blocked: ${plainLine(asCheck(state.why))}`, colors.yellow),
        ...feedback,
      ]
    return line(marks.warn, `${name}: no verdict, so another review follows`, colors.yellow)
  }

  function feedbackLines(): string[] {
    const rows = event.note
      .split('\n')
      .filter(row => row.trim() !== '')
      .map(row => fit.wrap(`    ${plainLine(row, 500)}`, undefined, 4))
    return atMost(rows, FEEDBACK_LINES, more => [colors.dim(`    … ${plural(more, 'more line')}`)]).flat()
  }

  function unfinished(): string[] {
    const isWaitedFor =
      move === 'more' &&
      stage?.ends === 'signal' &&
      !stage.repeats &&
      !findings.some(f => f.verdict === 'unsure')
    return isWaitedFor ? fit.wrap('  → not done yet: the agent did not say so', colors.dim, 4) : []
  }
}
