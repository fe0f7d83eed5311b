/** A key by its name (`up`, `ctrl+t`), or the character that it types; or a text that was pasted. */
export type Key = { name: string } | { text: string }

const SEQUENCES: Readonly<Record<string, string>> = {
  '[A': 'up',
  '[B': 'down',
  '[C': 'right',
  '[D': 'left',
  OA: 'up',
  OB: 'down',
  OC: 'right',
  OD: 'left',
  '[H': 'home',
  '[F': 'end',
  OH: 'home',
  OF: 'end',
  '[1~': 'home',
  '[4~': 'end',
  '[3~': 'delete',
  '[5~': 'pageup',
  '[6~': 'pagedown',
  '[Z': 'shift+tab',
}

const CONTROLS: Readonly<Record<string, string>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\x7f': 'backspace',
  '\b': 'backspace',
  '\x1b': 'escape',
}

/** An escape sequence, a pasted text, or one character. A sequence that ralph does not know is skipped as a whole. */
const KEY = /\x1b\[200~([\s\S]*?)(?:\x1b\[201~|$)|\x1b(\[[0-?]*[ -/]*[@-~]|O[@-~])|\x1b\[[0-?]*$|[\s\S]/gu

/** Turns what a terminal sends into keys. */
export function keysIn(typed: string): Key[] {
  return [...typed.matchAll(KEY)].flatMap(([all, pasted, sequence]): Key[] => {
    if (pasted !== undefined) return [{ text: pasted }]
    if (sequence !== undefined)
      return Object.hasOwn(SEQUENCES, sequence) ? [{ name: SEQUENCES[sequence]! }] : []
    if (Object.hasOwn(CONTROLS, all)) return [{ name: CONTROLS[all]! }]
    const code = all.codePointAt(0)!
    if (code > 0 && code <= 26) return [{ name: `ctrl+${String.fromCharCode(code + 96)}` }]
    return code < 32 || all.length > 2 ? [] : [{ name: all }]
  })
}
