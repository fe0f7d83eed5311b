import { isTestName, mayHoldTests } from './file-kinds.ts'
import { codeOf, type Language, languageOf } from './languages.ts'
import { type FileChange, squeeze } from './skips.ts'

/** Where a test begins, in code without comments. */
const BEGINS: Record<Language, RegExp> = {
  js: /(?<![\w.$])(?:[xf]?(?:it|test|describe|context|specify|suite)|Deno\.test|t\.test)(?:\.\w+)*\s*[(`<]/g,
  python: /^[ \t]*(?:async\s+)?def\s+test\w*/gm,
  go: /^func\s+(?:\([^)\n]*\)\s*)?(?:Test|Benchmark|Fuzz|Example)\w*|\b(?:It|Describe)\s*\(/gm,
  rust: /#\[\s*(?:\w+::)*(?:test|rstest|test_case|bench)\b/g,
  jvm: /@(?:Test|ParameterizedTest|RepeatedTest|Property)\b|\b(?:def|fun|void)\s+(?:test\w*|`|["'])|\b(?:test|should|it|describe)\s*\(/g,
  dotnet: /\[(?:Fact|Theory|Test|TestCase|TestMethod|DataTestMethod)\b/g,
  ruby: /^[ \t]*(?:[xf]?(?:it|specify|example|scenario|describe|context)\b|def\s+test_|test\s+["'])/gm,
  php: /\bfunction\s+test\w*|#\[Test\]|\b(?:it|test)\s*\(/g,
  swift: /\bfunc\s+test\w*|@Test\b/g,
  dart: /\b(?:test|testWidgets|group)\s*\(/g,
  elixir: /^[ \t]*(?:test|property|describe)\s/gm,
  c: /\b(?:TEST|TEST_F|TEST_P|TEST_CASE|SCENARIO|BOOST_AUTO_TEST_CASE|CU_add_test|START_TEST)\b/g,
  shell: /^[ \t]*@test\b|^[ \t]*test\w*\s*\(\)/gm,
  perl: /\b(?:ok|is|is_deeply|like|subtest|cmp_ok)\b/g,
  lua: /\b(?:it|describe)\s*\(/g,
  gherkin: /^[ \t]*(?:Scenario|Example|Scenario Outline)\b/gm,
}

/** A test may also be a script that asserts something. */
const ASSERTS = /\b(?:assert|expect|require)\w*\s*[.(]|\bshould\b|\bassert\b/g

/** How much of a test file must be somewhere else, so that it counts as moved. */
const ENOUGH = 0.5

/** Test files that are gone or empty, and no other test file took over what they tested. */
export function lostTests(files: readonly FileChange[]): string[] {
  return files
    .filter(({ path, before, after }) => holdsTests(path, before) && !holdsTests(path, after))
    .filter(lost => !hasSuccessor(lost, files))
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

function hasSuccessor({ path, before }: FileChange, files: readonly FileChange[]): boolean {
  const others = files.filter(
    other => other.path !== path && other.after !== null && mayHoldTests(other.path),
  )
  const added = new Set(others.flatMap(other => [...addedLines(other)]))
  const lines = [...significantLines(before ?? '')]
  if (lines.filter(line => added.has(line)).length >= lines.length * ENOUGH) return true
  const names = quotedIn(before ?? '')
  const addedNames = new Set([...added].flatMap(line => quotedIn(line)))
  if (names.length > 0 && names.filter(name => addedNames.has(name)).length >= names.length * ENOUGH)
    return true
  // The same test written anew: in another language, for another runner, in another folder.
  const tests = testsIn(path, before ?? '') || assertsIn(path, before ?? '')
  return others.some(
    other =>
      other.before === null &&
      stemOf(other.path) === stemOf(path) &&
      (testsIn(other.path, other.after!) || assertsIn(other.path, other.after!)) >= tests * ENOUGH,
  )
}

function addedLines({ before, after }: FileChange): Set<string> {
  const old = significantLines(before ?? '')
  return new Set([...significantLines(after ?? '')].filter(line => !old.has(line)))
}

/** Lines that say something: not braces, and not imports, which change when a file moves. */
const significantLines = (text: string): Set<string> =>
  new Set(
    text
      .split('\n')
      .map(squeeze)
      .filter(
        line =>
          line.length > 7 &&
          /\w/.test(line) &&
          !/^(?:import|from|using|use|package|require|#include)\b/.test(line),
      ),
  )

/** What names tests: titles in quotes, and names of functions. */
const quotedIn = (text: string): string[] => [
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
