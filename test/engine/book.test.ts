import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../src/core/events.ts'
import { initial } from '../../src/core/table.ts'
import { type Book, openBook } from '../../src/engine/book.ts'
import { runTable } from '../../src/workflows/run/spec.ts'

const told = (text: string): RunEvent => ({ type: 'instructed', at: 0, text })
const from = { state: initial, tasks: [] }

describe('recording an event', () => {
  it('appends it, changes the state, then notifies', () => {
    const seen: string[] = []
    const book: Book = openBook(
      runTable(),
      from,
      event => seen.push(`append ${event.type} ${book.state.instructions.length}`),
      event => seen.push(`notify ${event.type} ${book.state.instructions.length}`),
    )
    book.record(told('a'))
    expect(seen).toEqual(['append instructed 0', 'notify instructed 1'])
  })

  it('passes on one that is not kept, and appends nothing', () => {
    const appended: RunEvent[] = []
    const notified: RunEvent[] = []
    const book = openBook(
      runTable(),
      from,
      e => appended.push(e),
      e => notified.push(e),
    )
    book.record({ type: 'waiting', at: 0, until: 1, why: 'x' })
    expect([appended, notified.map(e => e.type)]).toEqual([[], ['waiting']])
  })

  it('lets what a listener records wait its turn, so that all listeners see one order', () => {
    const seen: string[][] = [[], []]
    const book: Book = openBook(
      runTable(),
      from,
      () => {},
      event => {
        const text = event.type === 'instructed' ? event.text : ''
        seen[0]!.push(text)
        if (text === 'a') book.record(told('b'))
        seen[1]!.push(text)
      },
    )
    book.record(told('a'))
    book.record(told('c'))
    expect(seen).toEqual([
      ['a', 'b', 'c'],
      ['a', 'b', 'c'],
    ])
  })

  it('throws what the journal throws, changes nothing, and records again afterwards', () => {
    let isFull = true
    const book = openBook(runTable(), from, () => {
      if (isFull) throw new Error('the disk is full')
    })
    expect(() => book.record(told('a'))).toThrow('the disk is full')
    expect(book.state.instructions).toEqual([])
    isFull = false
    book.record(told('b'))
    expect(book.state.instructions).toEqual(['b'])
  })
})
