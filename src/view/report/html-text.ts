import { plain } from '../text/plain.ts'

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes any text for an element or a quoted attribute of an HTML page. */
export const html = (text: string): string => plain(text).replace(/[&<>"']/g, char => ENTITIES[char]!)
