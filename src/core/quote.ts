import { visibleJson } from '../core/visible.ts'

/** A text in quotes and on one line, whatever it holds: it goes to a terminal and comes from a file of others. */
export const quote = (text: string): string =>
  visibleJson(JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text))
