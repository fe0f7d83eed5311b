/**
 * What a command line is, as far as the blocklist looks. Every word keeps what the shell would do to it; characters
 * that have a meaning because they are not quoted become marks, so that a quoted `*` and a pattern are never confused.
 */
export type Script = Pipeline[]

export type Pipeline = { nodes: Node[]; background: boolean }

export type Node =
  | { kind: 'call'; assigns: Assign[]; words: Word[]; redirects: Redirect[] }
  | { kind: 'group'; script: Script; subshell: boolean; redirects: Redirect[] }
  | { kind: 'loop'; head: Script; until: boolean; body: Script; redirects: Redirect[] }
  | { kind: 'each'; name: string; values: Word[] | null; body: Script; redirects: Redirect[] }
  | { kind: 'function'; name: string; body: Node }

export type Assign = { name: string; value: Word }

/** `body` is what a here-document holds. */
export type Redirect = { op: string; target: Word; body: Word | null }

export type Word = Part[]

export type Part =
  | { kind: 'text'; text: string; quoted: boolean }
  | { kind: 'variable'; name: string; quoted: boolean; otherwise: Word | null; required: boolean }
  | { kind: 'command'; script: Script; quoted: boolean }
  /** `<( … )`: the word is a file with what the script prints. */
  | { kind: 'process'; script: Script }
  /** Its value is a number or cannot be known; scripts in it run all the same. */
  | { kind: 'opaque'; scripts: Script[] }

/** The marks. They are private characters; a command that holds one itself has it replaced before it is read. */
export const STAR = '\uE000'
export const ANY = '\uE001'
export const HOME = '\uE002'
/** A value that is not known, and may be empty. */
export const MAYBE = '\uE003'
/** A value that is not known, and is surely not empty. */
export const SOME = '\uE004'
export const OPEN = '\uE005'
export const COMMA = '\uE006'
export const CLOSE = '\uE007'
/** Where an unquoted value falls into several words. */
export const SPLIT = '\uE008'
/** Stands at the start of a file name that is `<( … )`. */
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
