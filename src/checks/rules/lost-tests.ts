import { onOneLine } from '../../core/format.ts'
import { codeOf, isTestName, type Language, languageOf, mayHoldTests } from './file-kinds.ts'
import type { FileChange } from './skips.ts'

/** Where a test begins, in code without comments. */
const BEGINS: Record<Language, RegExp> = {
  js: /(?<![\w.$])(?:[xf]?(?:it|test|describe|context|specify|suite)|Deno\.test|t\.test)(?:\.\w+)*\s*[(`<]/g,
  python: /^[ \t]*(?:async\s+)?def\s+test\w*/gm,
  go: /^func\s+(?:\([^)\n]*\)\s*)?(?:Test|Benchmark|Fuzz|Example)\w*|\b(?:It|Describe)\s*\(/gm,
  rust: /#\[\s*(?:\w+::)*(?:test|rstest|test_case|bench)\b/g,
  jvm: /@(?:Test|ParameterizedTest|RepeatedTest|Property)\b|\b(?:fun|void)\s+(?:test\w*|`|["'])|\b(?:test|should|it|describe)\s*\(/g,
  csharp: /\[(?:Fact|Theory|Test|TestCase|TestMethod|DataTestMethod)\b/g,
  ruby: /^[ \t]*(?:[xf]?(?:it|specify|example|scenario|describe|context)\b|def\s+test_|test\s+["'])/gm,
}

/** A test may also be a script that asserts something. */
const ASSERTS = /\b(?:assert|expect|require)\w*\s*[.(]|\bshould\b|\bassert\b/g

/** How much of a test file must be somewhere else, so that it counts as moved. */
const ENOUGH = 0.5

/** Test files that are gone or empty, and no other test file took over what they tested. */
export function lostTests(files: readonly FileChange[]): string[] {
  const lost = files.filter(({ path, before, after }) => holdsTests(path, before) && !holdsTests(path, after))
  if (lost.length === 0) return []
  const added = addedIn(files)
  return lost
    .filter(file => !hasSuccessor(file, added))
    .map(({ path, after }) =>
      after === null
        ? `${path} was deleted, and no other test file has its tests`
        : `${path} has lost all its tests`,
    )
}

function holdsTests(path: string, text: string | null): boolean {
  if (text === null || !mayHoldTests(path)) return false
  return testsIn(path, text) > 0 || (isTestName(path) && assertsIn(path, text) > 0)
}

const testsIn = (path: string, text: string): number => count(path, text, language => BEGINS[language])
const assertsIn = (path: string, text: string): number => count(path, text, () => ASSERTS)

function count(path: string, text: string, pattern: (language: Language) => RegExp): number {
  const language = languageOf(path)
  return language === null ? 0 : [...codeOf(text, language).matchAll(pattern(language))].length
}

/** What came new into test files: their lines, what is quoted or named in them, and the new files. */
type Added = { lines: ReadonlySet<string>; names: ReadonlySet<string>; files: readonly FileChange[] }

function addedIn(files: readonly FileChange[]): Added {
  const others = files.filter(({ path, after }) => holdsTests(path, after))
  const lines = new Set(others.flatMap(other => [...addedLines(other)]))
  const names = new Set([...lines].flatMap(namesIn))
  return { lines, names, files: others.filter(({ before }) => before === null) }
}

function hasSuccessor({ path, before }: FileChange, added: Added): boolean {
  const text = before ?? ''
  if (areMostly([...significantLines(text)], added.lines) || areMostly(namesIn(text), added.names))
    return true
  // The same test written again: in another language, for another runner, in another folder.
  const size = (path: string, text: string) => testsIn(path, text) || assertsIn(path, text)
  return added.files.some(
    other =>
      stemOf(other.path) === stemOf(path) && size(other.path, other.after!) >= size(path, text) * ENOUGH,
  )
}

const areMostly = (all: readonly string[], known: ReadonlySet<string>): boolean =>
  all.length > 0 && all.filter(one => known.has(one)).length >= all.length * ENOUGH

function addedLines({ before, after }: FileChange): Set<string> {
  const old = significantLines(before ?? '')
  return new Set([...significantLines(after ?? '')].filter(line => !old.has(line)))
}

/** Lines that say something: not braces, and not imports, which change when a file moves. */
const significantLines = (text: string): Set<string> =>
  new Set(
    text
      .split('\n')
      .map(onOneLine)
      .filter(
        line =>
          line.length > 7 && /\w/.test(line) && !/^(?:import|from|using|use|package|require)\b/.test(line),
      ),
  )

/** What names tests: titles in quotes, and names of functions. */
const namesIn = (text: string): string[] => [
  ...new Set(
    [
      ...text.matchAll(
        /(?:\bdef|\bfunc|\bfn|\bvoid|\bfun|\bfunction)\s+(\w{4,})|(["'`])([^"'`\n]{4,200})\2/g,
      ),
    ].map(match => match[1] ?? match[3]!),
  ),
]

/** `test/cart.test.js`, `cart_spec.rb` and `TestCart.java` are all about `cart`. */
const stemOf = (path: string): string =>
  path
    .replace(/^.*\//, '')
    .replace(/\.\w+$/, '')
    .replace(/^tests?(?:[._-]|(?=[A-Z]))|[._-]?(?:tests?|specs?|cy|e2e|IT|ITCase|TestCase)$/gi, '')
    .toLowerCase()
