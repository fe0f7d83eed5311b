import { readQuoted } from './read-expansion.ts'
import { type Reader, take, within } from './reader.ts'
import type { Word } from './shell.ts'

/** The bodies of the here-documents that were announced on the line that has just ended. */
export function readBodies(reader: Reader): void {
  for (const { redirect, end, literal, tabs } of reader.pending.splice(0)) {
    const start = reader.at
    let stop = reader.text.length
    while (reader.at < reader.text.length) {
      const from = reader.at
      const line = take(reader, /[^\n]*/y)!
      reader.at++
      if ((tabs ? line.replace(/^\t+/, '') : line) === end) {
        stop = from
        break
      }
    }
    redirect.body = readBody(reader, reader.text.slice(start, stop), literal)
  }
}

function readBody(reader: Reader, text: string, literal: boolean): Word {
  if (literal) return [{ kind: 'text', text, quoted: true }]
  return within(
    reader,
    text,
    inner => {
      const word: Word = []
      readQuoted(inner, word, '')
      return word
    },
    [],
  )
}
