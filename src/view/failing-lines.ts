import { plain } from './plain.ts'

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
