/** The argument of `ralph build "<goal or path>"`. */
export type Argument = { type: 'spec'; path: string } | { type: 'goal'; text: string }

const USAGE = 'ralph build "<goal or spec file>"'

/** Endings of text files. A missing file with one of them is a mistake, not a goal. */
const TEXT_FILE = /\.(?:md|markdown|mdx|txt|text|rst|adoc|org|json|ya?ml|toml|html?|pdf|docx?)$/i

/** Decides whether the argument is a file with the specification or the goal itself, or why it is neither. */
export function readArgument(
  argument: string,
  found: 'file' | 'directory' | 'missing',
): Argument | { error: string } {
  const text = argument.trim()
  if (text === '') return { error: `A prompt argument is required. Usage: ${USAGE}` }
  switch (found) {
    case 'file':
      return { type: 'spec', path: argument }
    case 'directory':
      return {
        error: `${text} is a directory; name the file in it that holds the specification, or say the goal in words`,
      }
    case 'missing':
      break
    default:
      return found satisfies never
  }
  if (/^https?:\/\/\S+$/i.test(text))
    return { error: `ralph does not fetch ${text}; save it to a file and name that` }
  if (looksLikePath(text))
    return {
      error: `spec file not found: ${text}; check the path, or say the goal in words, with spaces between them`,
    }
  return { type: 'goal', text }
}

/** A goal may mention files ("fix docs/run.md"), so a text with spaces is a path only if it clearly begins like one. */
function looksLikePath(text: string): boolean {
  if (text.includes('\n')) return false
  if (/^(?:\.{1,2}|~)?[/\\]|^[a-z]:\\/i.test(text)) return TEXT_FILE.test(text) || !/\s/.test(text)
  return !/\s/.test(text) && (/[/\\]/.test(text) || TEXT_FILE.test(text))
}
