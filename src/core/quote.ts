import { visibleJson } from '../core/visible.ts'

/** A text in quotes and on one line, whatever it holds: it goes to a terminal and may come from a file that others wrote. */
export const quote = (text: string): string =>
  visibleJson(JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text))
