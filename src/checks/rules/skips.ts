import { onOneLine, plural } from '../../core/format.ts'
import { codeOf, type Language, languageOf, mayHoldTests } from './file-kinds.ts'

/** A file at the start of the run and now. null means that it did not exist, or is gone. */
export type FileChange = { path: string; before: string | null; after: string | null }

/** `skip`: the test does not run or may fail. `only`: all others do not run. `if`: it depends on something. */
type MarkKind = 'skip' | 'only' | 'if'

/**
 * `whole`: the mark is about the next line of code, not about its own. `here`: many files have that line, so it counts
 * only if it was in the same file.
 */
type MarkRule = { kind: MarkKind; code: RegExp; whole?: true; here?: true }

const JS_TEST = String.raw`\b(?:it|test|describe|suite|context|specify|bench|Deno\.test|t\.test)(?:\.\w+)*`
/** On the same line, or in an object after the title. */
const IN_CALL = '\\s*\\((?:[^\\n]{0,300}|\\s*["\'`][^\\n]{0,300},\\s*\\{[^(){}]{0,300})'

/** Looks behind only where the rest fits: looking behind everywhere would take long. */
const onTest = (code: string, between = ''): RegExp =>
  new RegExp(`(?=${code})(?<=${JS_TEST}${between})${code}`, 'g')

const RULES: Readonly<Record<Language, readonly MarkRule[]>> = {
  js: [
    { kind: 'skip', code: onTest(String.raw`\.(?:skip|fails|failing|fixme|ignore)\b`) },
    { kind: 'only', code: onTest(String.raw`\.only\b`) },
    { kind: 'if', code: onTest(String.raw`\.(?:skipIf|runIf)\b(?:\((?:[^()\n]|\([^()\n]*\))*\))?`) },
    { kind: 'skip', code: /(?<![\w.$])x(?=(?:it|describe|test|context|specify)\s*\(\s*["'`])/g },
    { kind: 'only', code: /(?<![\w.$])f(?=(?:it|describe|context|specify)\s*\(\s*["'`])/g },
    { kind: 'skip', code: onTest(String.raw`\.each\s*\(\s*\[\s*\]\s*\)`) },
    // By then the insides of strings are blank: `it['skip'](` or `it['only'](`.
    { kind: 'skip', code: onTest('\\[\\s*(["\'`]) {4}\\1\\s*\\](?=\\s*[(.])') },
    { kind: 'skip', code: /\{[^{}\n]{0,100}\b(?:skip|only)\b[^{}\n]{0,100}\}\s*=\s*(?:it|describe)\b/g },
    { kind: 'if', code: /\bif\s*\((?:[^()\n]|\([^()\n]{0,99}\)){0,200}\)\s*(?=(?:it|test|describe)\b)/g },
    { kind: 'skip', code: onTest('\\b(?:skip|ignore)\\s*:\\s*(?:true\\b|1\\b|!0|["\'`])', IN_CALL) },
    { kind: 'only', code: onTest(String.raw`\bonly\s*:\s*true\b`, IN_CALL) },
    { kind: 'skip', code: onTest(String.raw`\{[^{}\n]{0,100}\bskip\b[^{}\n]{0,100}\}\s*\)\s*=>`, IN_CALL) },
    { kind: 'skip', code: /\b(?:this|t|ctx|context)\.skip\s*\(/g },
  ],
  python: [
    {
      kind: 'skip',
      code: /^[ \t]*@(?:(?:pytest\.)?mark\.(?:skip|xfail)|(?:unittest\.)?(?:skip|expectedFailure))\b/gm,
      whole: true,
    },
    {
      kind: 'if',
      code: /^[ \t]*@(?:(?:pytest\.)?mark\.skipif|(?:unittest\.)?skip(?:If|Unless))\b/gm,
      whole: true,
    },
    { kind: 'skip', code: /\w\s*=[^=\n]{0,200}\bmark\.(?:skip|xfail)\b/g },
    { kind: 'skip', code: /\bfrom\s+pytest\s+import\b[^\n]{0,200}\b(?:skip|xfail)\b/g },
    {
      kind: 'skip',
      code: /\b(?:pytest\.(?:skip|xfail)|self\.skipTest)\s*\(|\braise\s+(?:unittest\.)?SkipTest\b/g,
    },
    {
      kind: 'skip',
      code: /\b__test__\s*=\s*False\b|\bcollect_ignore(?:_glob)?\s*=|\bdef\s+pytest_ignore_collect\b|\bpytest_deselected\s*\(|\bitems(?:\[:\]\s*=\s*\[|\.clear\s*\()/g,
    },
  ],
  go: [
    { kind: 'skip', code: /\b[tbf]\.Skip(?:f|Now)?\s*\(/g },
    { kind: 'if', code: /^\/\/(?:go:build| *\+build)\b/gm, whole: true, here: true },
    { kind: 'skip', code: /\b[XP](?=(?:It|Describe|Context|When|Specify)\s*\(\s*["`])/g },
    { kind: 'only', code: /\bF(?=(?:It|Describe|Context|When|Specify)\s*\(\s*["`])/g },
  ],
  rust: [
    { kind: 'skip', code: /#\[\s*ignore\b/g, whole: true },
    { kind: 'if', code: /#\[\s*cfg_attr\s*\([^\]\n]{0,200}\bignore\b/g, whole: true },
    {
      kind: 'if',
      code: /#\[\s*cfg\s*\(\s*(?:all|any|not)\b[^\]\n]{0,200}\btest\b/g,
      whole: true,
      here: true,
    },
  ],
  jvm: [
    { kind: 'skip', code: /@(?:Disabled|Ignore|PendingFeature)\b/g, whole: true },
    { kind: 'if', code: /@(?:(?:Disabled|Enabled)(?:On|If|For)\w+|IgnoreIf|Requires)\b/g, whole: true },
    { kind: 'skip', code: /\benabled\s*=\s*false\b/g },
    { kind: 'skip', code: /(?<![\w.])x(?=(?:test|it|describe|context|should|given)\s*\(\s*")/g },
  ],
  csharp: [
    { kind: 'skip', code: /\[(?:[^\]\n]{0,200}[,\s])?(?:Ignore|Explicit)\b[^\]\n]{0,200}\]/g, whole: true },
    {
      kind: 'skip',
      code: /\[(?:Fact|Theory|Test|TestCase|InlineData)\b[^\]\n]{0,200}\b(?:Skip|Ignore|Explicit)\s*=/g,
      whole: true,
    },
    { kind: 'skip', code: /\bAssert\.(?:Ignore|Inconclusive)\s*\(/g },
  ],
  ruby: [
    {
      kind: 'skip',
      code: /(?<![\w.:])x(?=(?:it|describe|context|specify|example|scenario|feature)\b\s*[("'])/g,
    },
    {
      kind: 'only',
      code: /(?<![\w.:])f(?=(?:it|describe|context|specify|example|scenario|feature)\b\s*[("'])/g,
    },
    { kind: 'skip', code: /^[ \t]*(?:skip|pending)\b(?=\s*(?:["'(]|$|if\b|unless\b))/gm },
    { kind: 'skip', code: /,\s*(?::(?:skip|pending)\b|(?:skip|pending):\s*(?:true\b|["']))/g },
    { kind: 'only', code: /,\s*(?::focus\b|focus:\s*true\b)/g },
  ],
}

/** `about`: the line of code that the mark is about, as it reads without the mark. `here`: as its rule has it. */
type Mark = { kind: MarkKind; path: string; line: number; text: string; about: string; here: boolean }

/** Tests that ran or counted when the run began and are skipped or left out now, and new tests that never run. */
export function newSkips(files: readonly FileChange[]): string[] {
  const relevant = files.filter(({ path }) => mayHoldTests(path))
  const before = relevant.flatMap(({ path, before }) => marksIn(path, before))
  const after = relevant.flatMap(({ path, after }) => marksIn(path, after))
  const fresh = subtract(after, before)
  const gone = subtract(before, after)
  const linesIn = new Map(relevant.map(({ path, before }) => [path, linesOf(before ?? '')]))
  const linesBefore = new Set([...linesIn.values()].flatMap(lines => [...lines]))
  // A mark may move with its test, or the test it is on may be renamed. Put on a test that ran before, it is always new.
  const found = (['skip', 'only', 'if'] as const).flatMap(kind => {
    const [sure, others] = partition(
      fresh.filter(mark => mark.kind === kind),
      ({ about, path, here }) => about !== '' && (here ? linesIn.get(path)! : linesBefore).has(about),
    )
    if (kind === 'if') return sure
    return [
      ...sure,
      ...others.slice(0, Math.max(others.length - gone.filter(m => m.kind === kind).length, 0)),
    ]
  })
  return [...new Set(found.map(({ path }) => path))].flatMap(path =>
    (['skip', 'only'] as const).flatMap(kind => {
      const marks = found.filter(m => m.path === path && (m.kind === 'only') === (kind === 'only'))
      return marks.length === 0 ? [] : [describe(path, kind, marks)]
    }),
  )
}

const LONGEST_LINE = 45

function describe(path: string, kind: 'skip' | 'only', marks: Mark[]): string {
  const { line, text } = marks[0]!
  const what = kind === 'only' ? 'lets only some of its tests run' : `has ${plural(marks.length, 'new skip')}`
  return `${path} ${what} (line ${line}: ${shortened(text, LONGEST_LINE)})`
}

function marksIn(path: string, text: string | null): Mark[] {
  const language = languageOf(path)
  if (language === null || text === null) return []
  const code = codeOf(text, language)
  const lines = text.split('\n')
  const starts = lineStarts(text)
  return RULES[language].flatMap(({ kind, code: pattern, whole, here = false }) =>
    [...code.matchAll(pattern)].map(match => {
      const at = match.index + match[0].search(/\S/)
      const index = lineAt(starts, at)
      const isLong = lines[index]!.length > LONGEST_COMPARED
      const line = isLong ? text.slice(at, at + LONGEST_COMPARED) : lines[index]!
      const column = isLong ? 0 : at - starts[index]!
      const rest = line.slice(0, column) + line.slice(column + match[0].trim().length)
      const about = whole ? nextCode(lines, index) : lineOf(rest)
      return { kind, path, line: index + 1, text: lineOf(line), about: /\w/.test(about) ? about : '', here }
    }),
  )
}

/** The next line that is neither empty nor another mark. */
const nextCode = (lines: readonly string[], index: number): string =>
  lineOf(lines.slice(index + 1, index + 12).find(line => /^\s*[^\s@#[\])}/]/.test(line)) ?? '')

function lineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

function lineAt(starts: readonly number[], at: number): number {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (starts[middle]! <= at) low = middle
    else high = middle - 1
  }
  return low
}

/** The marks of one list that the other does not have, each as often as it is missing there. */
function subtract(marks: readonly Mark[], others: readonly Mark[]): Mark[] {
  const left = new Map<string, number>()
  for (const mark of others) left.set(keyOf(mark), (left.get(keyOf(mark)) ?? 0) + 1)
  return marks.filter(mark => {
    const count = left.get(keyOf(mark)) ?? 0
    left.set(keyOf(mark), count - 1)
    return count <= 0
  })
}

const keyOf = ({ kind, text, about }: Mark): string => `${kind}\n${text}\n${about}`

function partition<T>(all: readonly T[], is: (one: T) => boolean): [T[], T[]] {
  return [all.filter(is), all.filter(one => !is(one))]
}

/** Nobody writes longer lines; in a file that somebody made, they would take long to compare. */
const LONGEST_COMPARED = 500

const linesOf = (text: string): ReadonlySet<string> => new Set(text.split('\n').map(lineOf))

const lineOf = (line: string): string => onOneLine(line.slice(0, LONGEST_COMPARED))

export const shortened = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most)}…` : text
