/** Asks a person. Throws NoAnswer when nobody can answer. */
export interface Asker {
  /** One line, trimmed. Blank means `otherwise`. Asks again while `refuse` returns a message. */
  line(message: string, options?: LineOptions): Promise<string>
  /** Some of these, possibly none; all are preselected. */
  some(message: string, choices: Choice[]): Promise<string[]>
  /** Exactly one of these; the first is preselected. */
  one<T extends string>(message: string, choices: (Choice<T> & { label: string })[]): Promise<T>
}

type LineOptions = { otherwise?: string; refuse?(answer: string): string | undefined }

type Choice<T extends string = string> = { value: T; hint: string }

/** Ctrl+C, Escape, a signal, or the end of input. */
export class NoAnswer extends Error {
  override name = 'NoAnswer'
}

/** Access to the user at a terminal: to ask, to show something, to have a text edited. */
export type UserAccess = {
  /** A function, because what asks on a terminal is loaded only once there is a question. */
  asker(): Promise<Asker>
  say(text: string): void
  /** `ending` is the file name's extension. */
  edit(text: string, ending: string): { text: string } | { trouble: string }
  /** The editor's name, as a hint. */
  editor: string
}
