import { describe, expect, it } from 'vitest'
import { keysIn } from '../../../src/view/screens/keys/key-names.ts'

const namesOf = (typed: string) => keysIn(typed).map(key => ('name' in key ? key.name : { text: key.text }))

describe('keys', () => {
  it.each([
    ['\x1b[A\x1bOB', ['up', 'down']],
    ['\x1b', ['escape']],
    ['\x14\x03', ['ctrl+t', 'ctrl+c']],
    ['a\xe9\u{1f642}', ['a', '\xe9', '\u{1f642}']],
    ['\r\t\x7f', ['enter', 'tab', 'backspace']],
    ['\x1b[200~a\nb\x1b[201~q', [{ text: 'a\nb' }, 'q']],
    ['\x1b[5~\x1b[6~\x1b[Z', ['pageup', 'pagedown', 'shift+tab']],
  ])('%j are named', (typed, names) => {
    expect(namesOf(typed)).toEqual(names)
  })

  it('that ralph does not know mean nothing, not their letters', () => {
    expect(namesOf('\x1b[1;5Dq\x1b[15~')).toEqual(['q'])
  })
})
