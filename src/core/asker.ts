/** Somebody who answers. Every question throws NoAnswer once nobody is left to answer it. */
export interface Asker {
  /** One line, trimmed. Blank means `otherwise`; asked again while `refuse` has something to say about it. */
  line(message: string, options?: LineOptions): Promise<string>
  /** Some of these, possibly none; all are chosen to begin with. */
  some(message: string, choices: Choice[]): Promise<string[]>
  /** Exactly one of these; the first is offered. */
  one<T extends string>(message: string, choices: (Choice<T> & { label: string })[]): Promise<T>
}

type LineOptions = { otherwise?: string; refuse?(answer: string): string | undefined }

type Choice<T extends string = string> = { value: T; hint: string }

/** Ctrl+C, Escape, a signal, or the end of input. */
export class NoAnswer extends Error {
  override name = 'NoAnswer'
}

/** A way to somebody at a terminal: to ask them, show them something, have them edit a text. */
export type UserAccess = {
  /** A function, because what asks on a terminal is loaded only once there is a question. */
  asker(): Promise<Asker>
  say(text: string): void
  /** `ending`: of the file's name. */
  edit(text: string, ending: string): { text: string } | { trouble: string }
  /** What it opens, as a hint. */
  editor: string
}
