import type { Finding } from '../../core/events.ts'
import { onOneLine } from '../../core/format.ts'
import { type Behind, behindCheck, objectIn, onlyAdds, type ReadText } from './behind-check.ts'
import { isCiFile, isOtherTest, isRunnerConfig, mayBeScript, mayHoldTests } from './file-kinds.ts'
import { lostTests } from './lost-tests.ts'
import { type FileChange, newSkips, shortened } from './skips.ts'

/** The checks whose tests are looked at: their commands, and the folder that they run in, relative to the repository. */
export type CheckedBy = { commands: readonly string[]; folder: string }

/** Whether a change of this file could weaken the tests. Others need not be read. */
export const isWatched = (path: string, { commands }: Pick<CheckedBy, 'commands'>): boolean =>
  [mayHoldTests, isOtherTest, isCiFile, isRunnerConfig, mayBeScript].some(is => is(path)) ||
  isNamed(path, commands)

const isNamed = (path: string, commands: readonly string[]): boolean => {
  const name = path.replace(/^.*\//, '')
  return commands.some(command => command.includes(name))
}

/**
 * How the tests are weaker than when the run began, a line each. `files` are those that changed since; `read` gives the
 * text of all others.
 */
export function weakenedBy(files: readonly FileChange[], checked: CheckedBy, read: ReadText): string[] {
  return [
    ...lostTests(files),
    ...newSkips(files),
    ...changedScripts(files, checked, read),
    ...files.flatMap(changedConfig),
    ...files
      .filter(changedCi)
      .map(({ path, after }) => `${path}, which CI runs, was ${after === null ? 'deleted' : 'changed'}`),
  ]
}

/** The tests that changed and that nothing can be said about: ralph does not read their language. New ones are left out. */
export const changedUnread = (files: readonly FileChange[]): string[] =>
  files.filter(({ path, before }) => before !== null && isOtherTest(path)).map(({ path }) => path)

function changedScripts(
  files: readonly FileChange[],
  { commands, folder }: CheckedBy,
  read: ReadText,
): string[] {
  if (!files.some(({ path }) => mayBeScript(path) || isNamed(path, commands))) return []
  const changed = new Map(files.map(file => [file.path, file]))
  const reader =
    (when: 'before' | 'after'): ReadText =>
    path =>
      changed.has(path) ? changed.get(path)![when] : read(path)
  const found = new Set<string>()
  for (const command of commands) {
    const before = behindCheck(command, folder, reader('before'))
    const after = behindCheck(command, folder, reader('after'))
    for (const line of differences(before, after, changed)) found.add(line)
  }
  return [...found]
}

/** Parts that were removed or changed since the start. A new part takes nothing away. */
function differences(before: Behind, after: Behind, changed: ReadonlyMap<string, FileChange>): string[] {
  const lines: string[] = []
  for (const [name, text] of before) {
    const now = after.get(name)
    if (now === text || (now !== undefined && onlyAdds(text, now))) continue
    const isFile = changed.has(name)
    // If its caller changed so that it is no longer called, the line about the caller says enough.
    if (now === undefined && isFile && changed.get(name)!.after !== null) continue
    if (now === undefined && !isFile && lines.length > 0) continue
    if (now === undefined) lines.push(`${name}, which a check runs, is gone`)
    else if (/\n/.test(text + now)) lines.push(`${name}, which a check runs, was changed`)
    else
      lines.push(
        `${name}, which a check runs, was changed from "${shortened(text, LONGEST_SCRIPT)}" to "${shortened(now, LONGEST_SCRIPT)}"`,
      )
  }
  return lines
}

const LONGEST_SCRIPT = 80

function changedConfig({ path, before, after }: FileChange): string[] {
  if (!isRunnerConfig(path) || before === null) return []
  const was = configIn(path, before)
  if (was === '' || was === configIn(path, after ?? '')) return []
  return [`${path}, which configures the test runner, was ${after === null ? 'deleted' : 'changed'}`]
}

const PACKAGE_KEYS = ['jest', 'vitest', 'mocha', 'ava', 'tap', 'nyc', 'c8']

/** The part of a file that configures a test runner, without comments and blanks; '' if it has none. */
function configIn(path: string, text: string): string {
  const name = path.replace(/^.*\//, '')
  if (name === 'package.json') {
    const json = objectIn(text)
    return PACKAGE_KEYS.filter(key => json[key] !== undefined)
      .map(key => `${key}=${JSON.stringify(json[key])}`)
      .join('\n')
  }
  if (name === 'pyproject.toml') return sectionsIn(text, /^\[tool\.(?:pytest|tox|nox|hatch\.envs|poe)\b/)
  if (name === 'setup.cfg') return sectionsIn(text, /^\[tool:pytest\]/)
  return linesOf(text).join('\n')
}

function sectionsIn(text: string, title: RegExp): string {
  let isIn = false
  return linesOf(text)
    .filter(line => {
      if (line.startsWith('[') && line.endsWith(']')) isIn = title.test(line)
      return isIn
    })
    .join('\n')
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map(onOneLine)
    .filter(line => line !== '' && !/^(?:#|\/\/|;|\/\*|\*(?:\s|\/|$))/.test(line))

const changedCi = ({ path, before, after }: FileChange): boolean =>
  isCiFile(path) && before !== null && linesOf(before).join('\n') !== linesOf(after ?? '').join('\n')

/** Runs a part of the tests, depending on what changed or failed: its count goes up and down. */
const PARTIAL =
  /(?:^|\s)(?:--(?:only-?changed|changed|changed-?since|related|find-?related-?tests|last-failed|lf|nf|new-first|stepwise|sw|testmon|picked|affected|only-?failures|next-failure|rerun-failed)|affected|related)(?=[\s=]|$)|\bjest\b.*\s-o\b/i

/** Checks that are green with fewer tests than before the run. */
export function fewerTests(
  findings: readonly Finding[],
  countsBefore: Readonly<Record<string, number>>,
  folder: string,
  read: ReadText,
): string[] {
  return findings.flatMap(({ check, verdict, count = 0 }) => {
    const before = Object.hasOwn(countsBefore, check) ? countsBefore[check]! : 0
    if (verdict !== 'pass' || count === null || count >= before) return []
    const texts = [check, ...behindCheck(check, folder, read).values()]
    if (texts.some(text => PARTIAL.test(text))) return []
    return [`\`${check}\` ran ${count === 0 ? 'none' : count} of the ${before} tests that it ran before`]
  })
}

const WEAKENED = 'weakened tests'

/** The finding about weakened tests. `claim`: green checks prove nothing. `fail`: the iteration is red. */
export function weakenedFinding(lines: string[], testChanges: 'claim' | 'fail'): Finding {
  const isRed = testChanges === 'fail'
  const found = 'The tests are weaker than when the run began'
  const note = [
    isRed ? `${found}: ${lines.join('; ')}` : `${found}:\n${lines.map(line => `- ${line}`).join('\n')}`,
    isRed
      ? 'Put this right.'
      : 'As long as that is so, green checks prove nothing. Undo these changes, unless the task asks for exactly them.',
  ].join('\n')
  return isRed
    ? { check: WEAKENED, verdict: 'fail', note, action: 'APPEND' }
    : { check: WEAKENED, verdict: 'pass', note, doubts: lines }
}
