/** The variable by which ralph hands the allowlist to the hook: a JSON list of texts. */
export const ALLOW_VARIABLE = 'RALPH_ALLOW'

export const writeAllowlist = (allow: readonly string[]): string => JSON.stringify(allow)

/** The allowlist out of that variable; throws where it is none, for half a list is not what anyone allowed. */
export function readAllowlist(text: string | undefined): string[] {
  if (text === undefined || text === '') return []
  const list = parseNamed(text, ALLOW_VARIABLE)
  if (Array.isArray(list) && list.every(entry => typeof entry === 'string')) return list
  throw new Error(`${ALLOW_VARIABLE} is not a JSON list of texts`)
}

/** Throws a sentence that says what is no JSON. */
export function parseNamed(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error(`${what} is not JSON`, { cause })
  }
}
