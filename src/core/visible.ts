/**
 * Characters that a person cannot see, or that a terminal obeys: controls, format characters (zero-width, direction
 * marks, tags), lone surrogates, private and unassigned ones, every space but the plain one, variation selectors,
 * fillers, and three with an empty glyph.
 */
const HIDDEN = String.raw`(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\u{16fe4}\u{1d159}]`

/** Marks piled up on one character, until they cover the lines around it. */
const PILE = String.raw`(?<=\p{M}{8})\p{M}`

/** Spaces that look like none, at either end, or so many that what follows seems to be something else. */
const GAP = '^ | $|(?<= {8}) '

/** A backslash that would look like an escape. It is escaped too, so that every `\u{…}` shown is a real escape. */
const BACKSLASH = String.raw`\\(?=u\{)`

/** All but ASCII and the letters and signs that people write most: Latin, Greek, Cyrillic, Chinese, Japanese, Korean. */
const NOT_ORDINARY =
  /[^\n -~\xa1-\xac\xae-\u02ff\u0391-\u03a1\u03a3-\u0482\u2010-\u2027\u2030-\u205e\u2190-\u23ff\u2460-\u27ff\u3041-\u3096\u30a1-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3]/

/**
 * Whether a text has only characters that everybody sees and no terminal obeys, and line breaks. It is much faster than
 * the rules below, and nearly all texts pass. One that does not need not have anything hidden: the rules decide.
 */
export const isOrdinary = (text: string): boolean => !NOT_ORDINARY.test(text)

const IN_JSON = new RegExp(`(?!\\n)${HIDDEN}`, 'gu')
const IN_COMMAND = new RegExp(`(?![\\t\\n])${HIDDEN}`, 'u')
const IN_LINE = new RegExp([HIDDEN, PILE, GAP, BACKSLASH].join('|'), 'gu')
const IN_TEXT = new RegExp([`(?!\\t|\\r?\\n)${HIDDEN}`, PILE, BACKSLASH].join('|'), 'gu')

/**
 * What a terminal obeys, or shows as nothing or in another order. An emoji may keep its selector and the joiners in it.
 */
const OBEYED = String.raw`(?!(?<=\p{Emoji})\ufe0f|(?<=[\p{Emoji}\ufe0f])\u200d(?=\p{Extended_Pictographic}))[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\ufff9-\ufffb\p{Default_Ignorable_Code_Point}]`

const IN_OUTPUT = new RegExp(`(?!\\t|\\r?\\n)${OBEYED}`, 'gu')
const IN_ERROR = new RegExp(OBEYED, 'gu')

/** Ralph's own colours. Not among them: text in the colour of its ground, which nobody sees. */
const COLOUR = String.raw`\x1b\[(?:[0-79]|2[0-9]|[349][0-79]|10[0-7])m`
const IN_STYLED = new RegExp(`${COLOUR}|${IN_OUTPUT.source}`, 'gu')
const IN_STYLED_LINE = new RegExp(`${COLOUR}|${OBEYED}`, 'gu')

const codeOf = (char: string): string => char.codePointAt(0)!.toString(16)

const escaped = (char: string): string => `\\u{${codeOf(char)}}`

/** A colour is longer than any character. */
const escapedIfObeyed = (found: string): string => (found.length > 2 ? found : escaped(found))

// view/text/plain.ts says which of these is for which place.

// view/text/plain.ts says which of these is for which place.

/** A text in one line with all of its characters, the hidden ones as `\u{200b}`: no two texts look the same. */
export const visible = (text: string): string => text.replace(IN_LINE, escaped)

/** The same for a text of several lines: its line breaks, tabs and spaces stay as they are. */
export const visibleText = (text: string): string => text.replace(IN_TEXT, escaped)

/**
 * A text for a terminal: only what it would obey is escaped, so what was made visible before stays as it is. `hasColours`:
 * ralph's own colours stay.
 */
export const printable = (text: string, hasColours = false): string =>
  text.replace(hasColours ? IN_STYLED : IN_OUTPUT, escapedIfObeyed)

/** The same in one line. */
export const printableLine = (text: string, hasColours = false): string =>
  text.replace(hasColours ? IN_STYLED_LINE : IN_ERROR, escapedIfObeyed)

/** A value as JSON whose hidden characters are escaped in JSON's own way, so that its reader gets the same value. */
export function safeJson(value: unknown, indent?: number): string {
  const json = JSON.stringify(value, null, indent)
  return isOrdinary(json) ? json : json.replace(IN_JSON, escapedInJson)
}

const escapedInJson = (char: string): string =>
  char
    .split('')
    .map(unit => `\\u${codeOf(unit).padStart(4, '0')}`)
    .join('')

/**
 * The first hidden character of a command, which makes it unsafe to approve. Null if there is none. Line breaks and tabs
 * are allowed, because a script can have several lines; they are escaped where it is shown.
 */
export function hiddenIn(command: string): string | null {
  const found = isOrdinary(command) ? null : IN_COMMAND.exec(command)
  if (found === null) return null
  const place = [...command.slice(0, found.index)].length + 1
  return `U+${codeOf(found[0]).toUpperCase().padStart(4, '0')} at character ${place}`
}

/** A text in quotes and on one line, whatever it holds: it goes to a terminal and may come from a file that others wrote. */
export const quote = (text: string): string =>
  safeJson(text.length > LONGEST_QUOTE ? `${beginningOf(text)}…` : text)

const LONGEST_QUOTE = 60

/** Without half a character at its end. */
const beginningOf = (text: string): string => text.slice(0, LONGEST_QUOTE).replace(/[\ud800-\udbff]$/, '')
