/**
 * The first `<name>…</name>` in a text, trimmed. Null if there is none. The tag's case does not matter.
 * A pair with a newline inside counts only with `acrossLines`; without it, the next one is tried.
 * One pass over the text: an agent may print a million tags that it never closes.
 */
export function readTag(text: string, name: string, { acrossLines = false } = {}): string | null {
  const opening = `<${name.toLowerCase()}>`
  const closing = `</${name.toLowerCase()}>`
  // Compared piece by piece: lower-casing a whole text can change its length, and then no index fits.
  const isAt = (tag: string, index: number) => text.slice(index, index + tag.length).toLowerCase() === tag
  let body = -1
  let lineEnd = -1
  for (let index = text.indexOf('<'); index >= 0; index = text.indexOf('<', index + 1)) {
    if (body >= 0 && lineEnd >= 0 && lineEnd < index) body = -1
    if (body >= 0) {
      if (isAt(closing, index)) return text.slice(body, index).trim()
    } else if (isAt(opening, index)) {
      body = index + opening.length
      lineEnd = acrossLines ? -1 : text.indexOf('\n', body)
    }
  }
  return null
}

/** Whether the agent's `<response>` is the one that was asked for. */
export function saysDone(text: string, want: string): boolean {
  const wanted = want.trim().toLowerCase()
  return wanted !== '' && readTag(text, 'response')?.toLowerCase() === wanted
}

/** What a role promises when its stage is finished. */
export const readPromise = (text: string): string | null => readTag(text, 'promise', { acrossLines: true })

/** Whether a text gives exactly this promise, whatever its case. */
export const givesPromise = (text: string, promise: string): boolean =>
  readPromise(text)?.toLowerCase() === promise.trim().toLowerCase()

/** Why a role sends the work back. */
export const readReject = (text: string): string | null => readTag(text, 'reject', { acrossLines: true })

/** Why the agent itself says that its task failed. Null if it does not. */
export function readFailed(text: string): string | null {
  const why = readTag(text, 'failed', { acrossLines: true })
  return why === '' ? 'it gave no reason' : why
}

/** What the agent needs a person for. Null if it needs nobody. */
export function readBlocked(text: string): string | null {
  const question = readTag(text, 'blocked', { acrossLines: true })
  return question === '' ? 'it did not say what for' : question
}
