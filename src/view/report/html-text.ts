import { plain } from '../plain.ts'

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Any text as text of an HTML page, in an element or in a quoted attribute. */
export const html = (text: string): string => plain(text).replace(/[&<>"']/g, sign => ENTITIES[sign]!)
