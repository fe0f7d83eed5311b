import { readSync } from 'node:fs'

/** Reads all of standard input. Avoids streams, which slow down every start; polls a pipe that is not ready yet. */
export function readStdin(): string {
  const chunks: Buffer[] = []
  for (;;) {
    const chunk = Buffer.allocUnsafe(65_536)
    const size = readSome(chunk)
    if (size === 0) return Buffer.concat(chunks).toString('utf8')
    if (size > 0) chunks.push(chunk.subarray(0, size))
  }
}

/** Returns -1 if there is nothing to read yet. */
function readSome(chunk: Buffer): number {
  try {
    return readSync(0, chunk)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'EOF') return 0
    if (code !== 'EAGAIN') throw error
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    return -1
  }
}
