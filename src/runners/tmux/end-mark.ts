import { Transform } from 'node:stream'

/** Passes bytes on up to a mark, which two chunks may share, and ends there. */
export function untilMark(mark: string): Transform {
  const wanted = Buffer.from(mark)
  let held: Buffer = Buffer.alloc(0)
  let isOver = false
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (isOver) return done()
      const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk])
      const at = bytes.indexOf(wanted)
      isOver = at >= 0
      const end = isOver ? at : bytes.length - overlap(bytes, wanted)
      held = isOver ? Buffer.alloc(0) : bytes.subarray(end)
      if (end > 0) this.push(bytes.subarray(0, end))
      if (isOver) this.push(null)
      done()
    },
    flush(done) {
      if (!isOver && held.length > 0) this.push(held)
      done()
    },
  })
}

/** How many of the last bytes may be the beginning of the mark. */
function overlap(bytes: Buffer, mark: Buffer): number {
  for (let length = Math.min(bytes.length, mark.length - 1); length > 0; length--)
    if (bytes.subarray(bytes.length - length).equals(mark.subarray(0, length))) return length
  return 0
}
