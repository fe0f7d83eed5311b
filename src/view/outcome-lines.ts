import type { RunEvent, Settled } from '../core/events.ts'
import { atMost, formatDuration, plural } from '../core/format.ts'
import { AT_CAP, type Stage } from '../core/table.ts'
import { reasonOf } from './report/iterations.ts'
import type { Style } from './style.ts'
import type { Fit } from './text/fit.ts'
import { asCheck, plain, plainLine } from './text/plain.ts'
import { widthOf } from './text/width.ts'

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
  if (move === 'reject') return [...line(marks.fail, `${name} sent back`, colors.red), ...feedbackLines()]
  if (stage?.ends === 'verdict' && move !== null) return verdict()
  if (!isListed) return unfinished()
  if (state.stage === 'blocked') return blocked()
  if (state.stage === 'done') return done('done', 'done as claimed: nothing verified it')
  const added = event.add.flatMap(({ id, title }) =>
    fit.wrap(`  → ${plainLine(id, 40)} ${plainLine(asCheck(title))}`, colors.yellow, 4),
  )
  return [...added, ...unfinished()]

  function done(how: string, unproven: string): string[] {
    if (state.why === AT_CAP) return line(marks.warn, `${name} ${AT_CAP}, not by a reviewer`, colors.yellow)
    return state.proof
      ? line(marks.ok, `${name} ${how}, verified`, colors.green)
      : line(marks.pass, `${name} ${unproven}`, colors.yellow)
  }

  function blocked(): string[] {
    return line(marks.warn, `${name} blocked: ${plainLine(asCheck(state.why))}`, colors.yellow)
  }

  function verdict(): string[] {
    if (state.stage === 'blocked') return [...blocked(), ...feedbackLines()]
    if (state.stage !== 'done')
      return line(marks.warn, `${name}: no verdict, so another review follows`, colors.yellow)
    const feedback = state.why === AT_CAP ? feedbackLines() : []
    return [...done('approved', 'approved; no check verified it'), ...feedback]
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

const INDENT = '  '

/** How much a red check shows of what is wrong. The log has all of it. */
const MOST_WRONG = 4

/** If a check's name has less room than this, it gets a row of its own. */
const LEAST_NAME = 16

/** What a check said: its name and time, and if it is red, what is wrong. A time of 0 was not measured. */
export function checkedLines(
  { id, finding, ms }: Extract<RunEvent, { type: 'checked' }>,
  style: Style,
  fit: Fit,
): string[] {
  const { colors, marks } = style
  if (finding.doubts) return doubtLines(finding.check, finding.doubts, style, fit)
  const green = finding.verdict === 'pass'
  const time = ms === 0 ? '' : formatDuration(ms)
  const mark = `${INDENT}${green ? colors.green(marks.pass) : colors.red(marks.fail)} `
  const name = green ? plainLine(finding.check) : colors.bold(colors.red(plainLine(finding.check)))
  if (green) return [fit.squeeze(mark, name, time && ` ${colors.dim(time)}`)]
  const reason = plainLine(reasonOf(finding))
  const action = finding.action && id !== null ? ` → ${finding.action}` : ''
  const result = `${reason}${time && ` ${colors.dim(time)}`}${action}`
  const wrong = failingLines(finding.note, MOST_WRONG).map(line =>
    colors.red(fit.cut(`    ${plainLine(line, 500)}`)),
  )
  const path = finding.log ? fit.wrap(`    ${plainLine(finding.log, 1000)}`, colors.dim, 4) : []
  const log = [...wrong, ...path]
  const isTight = fit.room !== null && widthOf(mark + result) > fit.room - LEAST_NAME
  if (isTight)
    return [fit.cut(mark + name), ...fit.wrap(`    ${reason}${time && ` ${time}`}${action}`), ...log]
  return [fit.squeeze(mark, name, ` ${result}`), ...log]
}

/** Bold, because people skim what is green. */
const doubtLines = (check: string, doubts: string[], { colors, marks }: Style, fit: Fit): string[] => [
  ...fit.wrap(
    `${INDENT}${marks.warn} ${plainLine(check)}: green checks prove nothing`,
    text => colors.bold(colors.yellow(text)),
    5,
  ),
  ...doubts.flatMap(doubt => fit.wrap(`${INDENT}   - ${plainLine(doubt)}`, colors.yellow, 7)),
]

/** What a red check printed comes after this line of its note. */
const OUTPUT = 'Output (truncated):\n'

/** Words and signs by which test runners, compilers and linters mark what is wrong. */
const WRONG =
  /\b(?:fail(?:ed|ure|ures|ing|s)?|errors?|panic(?:ked)?|exception|traceback|assert\w*|not ok|expected|actual|received|undefined|cannot|fatal)\b|[✖✗✘×●❌]|\w(?:Error|Exception)\b/i

/** Counts of nothing: `0 failed`, `# fail 0`, `errors: 0`. */
const NOTHING = /\b(?:0|no) (?:fail|error)\w*|\b(?:fail|error)\w*:? 0\b/i

/** Fields of a test protocol that name a kind or open a block, and say nothing by themselves. */
const EMPTY = /^(?:name|code|failureType): '\w+'$|^\w+: [|>]-?$/

/** The first lines of a red check's output that say what is wrong; if none does, its last lines. */
export function failingLines(note: string, most: number): string[] {
  const at = note.indexOf(OUTPUT)
  if (at < 0) return []
  const lines = plain(note.slice(at + OUTPUT.length))
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '' && line !== '... [truncated]')
  const wrong = new Set(lines.filter(line => WRONG.test(line) && !NOTHING.test(line) && !EMPTY.test(line)))
  return wrong.size > 0 ? [...wrong].slice(0, most) : lines.slice(-most)
}
