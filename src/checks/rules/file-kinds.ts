/** The languages whose tests ralph reads; Java and Kotlin write theirs alike. */
export type Language = 'js' | 'python' | 'go' | 'rust' | 'jvm' | 'csharp' | 'ruby'

const EXTENSIONS: Readonly<Record<Language, string>> = {
  js: 'js jsx mjs cjs ts tsx mts cts',
  python: 'py',
  go: 'go',
  rust: 'rs',
  jvm: 'java kt kts',
  csharp: 'cs',
  ruby: 'rb',
}

const LANGUAGES: ReadonlyMap<string, Language> = new Map(
  Object.entries(EXTENSIONS).flatMap(([language, names]) =>
    names.split(' ').map(name => [name, language as Language] as const),
  ),
)

/** The language of a file, by its name. Null if ralph does not read it. */
export const languageOf = (path: string): Language | null =>
  LANGUAGES.get(/\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '') ?? null

// Each part ends at its own end, at the end of its line or at the end of the text, so a text is read only once.
const SLASHES = String.raw`\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)`
const HASH = String.raw`#[^\n]*`
const DOUBLE = String.raw`"(?:\\.|[^"\\\n])*"?`
const SINGLE = String.raw`'(?:\\.|[^'\\\n])*'?`
const CHARACTER = String.raw`'(?:\\.|[^'\\\n])'`
const BACKTICK = '`(?:\\\\[\\s\\S]|[^`\\\\])*`?'
const TRIPLE = String.raw`"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)`
const REGEX = String.raw`(?<=[(,=:[!&|?{};]\s{0,9})\/(?![*\/])(?:\\.|\[(?:\\.|[^\]\\\n]){0,200}\]|[^\/\\\n[]){1,200}\/`

const PARTS: Readonly<Record<Language, readonly string[]>> = {
  js: [SLASHES, REGEX, DOUBLE, SINGLE, BACKTICK],
  python: [HASH, TRIPLE, DOUBLE, SINGLE],
  // A build constraint is no comment.
  go: [String.raw`\/\/(?!go:build| *\+build)[^\n]*|\/\*[\s\S]*?(?:\*\/|$)`, DOUBLE, CHARACTER, BACKTICK],
  rust: [SLASHES, String.raw`"(?:\\[\s\S]|[^"\\])*"?`, CHARACTER],
  jvm: [SLASHES, TRIPLE, DOUBLE, CHARACTER],
  csharp: [SLASHES, TRIPLE, DOUBLE, CHARACTER],
  ruby: [HASH, DOUBLE, SINGLE],
}

/** The rest of a longer file is not read: it is no test that somebody wrote. */
const LONGEST_FILE = 2_000_000

const MASKS = new Map<Language, RegExp>()

/**
 * The text with comments and the insides of strings blank, so that words in them mean nothing. Every character stays in
 * its place. It is a reading by rules of thumb: nested templates and the like may be read wrongly.
 */
export function codeOf(text: string, language: Language): string {
  if (text.length > LONGEST_FILE) return codeOf(text.slice(0, LONGEST_FILE), language)
  let mask = MASKS.get(language)
  if (!mask) {
    mask = new RegExp(PARTS[language].join('|'), 'g')
    MASKS.set(language, mask)
  }
  return text.replace(mask, part => {
    const blank = part.replace(/[^\n]/g, ' ')
    return /^["'`]/.test(part) && part.length > 1 ? part[0] + blank.slice(1, -1) + part.at(-1) : blank
  })
}

// What a file is to the tests, by its path alone. Paths are relative to the repository and have slashes.

const TEST_NAMES = [
  /(?:^|\/)(?:[^/]+[._-])?(?:tests?|specs?|cy|e2e)\.[cm]?[jt]sx?$/i,
  /(?:^|\/)tests?[._-][^/]+\.[cm]?[jt]sx?$/i,
  /(?:^|\/)(?:test_[^/]+|[^/]+_test|tests?)\.py$/,
  /_test\.go$/,
  /(?:_spec|_test|(?:^|\/)test_[^/]+)\.rb$/,
  /(?:Tests?|IT|ITCase|Spec|TestCase)\.(?:java|kts?|cs)$/,
  /(?:^|\/)Test[A-Z][^/]*\.(?:java|kts?|cs)$/,
]

const TEST_FOLDER = /(?:^|\/)(?:tests?|__tests__|specs?|e2e|cypress)\//i

/** What tests use, but is no test. */
const AID_FOLDER =
  /(?:^|\/)(?:__?fixtures?_*|fixtures?|__?snapshots_*|snapshots|__mocks__|mocks|testdata|test-data|recordings|node_modules|vendor)\//i

/** Whether a path is called like a test. */
export const isTestName = (path: string): boolean =>
  !AID_FOLDER.test(path) && TEST_NAMES.some(name => name.test(path))

/** Whether there may be tests in it, or, for pytest, what chooses them. Rust keeps them next to the code. */
export const mayHoldTests = (path: string): boolean =>
  !AID_FOLDER.test(path) &&
  languageOf(path) !== null &&
  (isTestName(path) || TEST_FOLDER.test(path) || path.endsWith('.rs') || /(?:^|\/)conftest\.py$/.test(path))

/** Code in languages that ralph does not read. */
const OTHER_CODE =
  /\.(?:php|swift|scala|groovy|clj|fs|vb|dart|exs?|erl|hs|ml|c|cc|cpp|cxx|mm?|zig|nim|jl|r|lua|pl|t|sh|bash|bats|feature|vue|svelte)$/i

const OTHER_TEST =
  /(?:^|\/)(?:[Tt]ests?|__tests__|[Ss]pecs?|e2e|t)\/|(?:^|\/)tests?[_.-]|[_.-](?:tests?|specs?)\.\w+$|(?:Tests?|Spec|TestCase)\.\w+$|\.(?:bats|feature)$/

/** Whether it may be a test in a language that ralph does not read. */
export const isOtherTest = (path: string): boolean =>
  !AID_FOLDER.test(path) && OTHER_CODE.test(path) && OTHER_TEST.test(path)

const CI_FILES =
  /^(?:\.(?:github|gitea|forgejo)\/workflows\/[^/]+\.ya?ml|\.github\/actions\/.+\.ya?ml|\.gitlab-ci\.ya?ml|\.circleci\/.+\.ya?ml|\.buildkite\/.+|\.woodpecker(?:\/.+|\.ya?ml)|\.drone\.ya?ml|\.travis\.yml|\.cirrus\.yml|\.?appveyor\.yml|azure-pipelines[^/]*\.ya?ml|bitbucket-pipelines\.yml|(?:.+\/)?Jenkinsfile[^/]*)$/

export const isCiFile = (path: string): boolean => CI_FILES.test(path)

const CONFIG_FILES =
  /(?:^|\/)(?:(?:vitest|jest|playwright|cypress|ava|wdio|web-test-runner|nightwatch|jasmine|cucumber)(?:[.-][\w-]+)*\.(?:[cm]?[jt]s|json)|vitest\.workspace\.(?:[cm]?[jt]s|json)|karma\.conf\.[cm]?[jt]s|\.mocharc(?:\.\w+)?|\.taprc|pytest\.ini|tox\.ini|noxfile\.py|setup\.cfg|pyproject\.toml|\.rspec|nextest\.toml|package\.json|Rakefile)$/

/** Whether it may configure a test runner. */
export const isRunnerConfig = (path: string): boolean => !AID_FOLDER.test(path) && CONFIG_FILES.test(path)

const SCRIPT_FILES =
  /(?:^|\/)(?:package\.json|\.npmrc|[Mm]akefile|GNUmakefile|\.?justfile|Justfile|[^/]+\.(?:sh|bash|zsh|mk))$|(?:^|\/)(?:scripts?|tools?|ci|\.ci|hack|bin|build)\/[^/]+$/

/** Whether a check may run it, or find there what to run. */
export const mayBeScript = (path: string): boolean => SCRIPT_FILES.test(path)
