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
