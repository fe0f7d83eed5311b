/**
 * The shape of a command line: which calls it has, what feeds which pipe, and which words are not known before it runs.
 * Characters that mean something because they are not quoted become marks, so a quoted `*` is never taken for a pattern.
 */
export type Script = Pipeline[]

export type Pipeline = { nodes: Node[]; background: boolean }

/** `within` are the scripts in its words and redirections: `$( … )`, backquotes, `<( … )`. */
export type Node = { redirects: Redirect[]; within: Script[] } & (
  | { kind: 'call'; words: string[] }
  | { kind: 'group'; script: Script; subshell: boolean }
  | { kind: 'loop'; script: Script; endless: boolean }
  | { kind: 'function'; name: string; body: Node }
)

/** `body` is the text of a here-document. */
export type Redirect = { op: string; target: string; body: string | null }

/** The marks are private characters. If a command holds one itself, it is replaced before the command is read. */
export const STAR = '\uE000'
export const ANY = '\uE001'
export const HOME = '\uE002'
/** A value that is not known, and may be empty. */
export const MAYBE = '\uE003'
/** A value that is not known, but is never empty. */
export const SOME = '\uE004'
export const OPEN = '\uE005'
export const COMMA = '\uE006'
export const CLOSE = '\uE007'
/** `$IFS`, which falls into two words where it stands. */
export const SPLIT = '\uE008'
/** Stands for the file name that `<( … )` becomes. */
export const PROCESS = '\uE009'

const WRITTEN: Record<string, string> = {
  [STAR]: '*',
  [ANY]: '?',
  [HOME]: '~',
  [MAYBE]: '$…',
  [SOME]: '$…',
  [OPEN]: '{',
  [COMMA]: ',',
  [CLOSE]: '}',
  [SPLIT]: ' ',
  [PROCESS]: '<(…)',
}

/** A word with marks as a person would write it. */
export const show = (text: string): string => text.replace(/[\uE000-\uE009]/g, mark => WRITTEN[mark]!)

export const unmark = (source: string): string => source.replace(/[\uE000-\uE00F]/g, '\uFFFD')
