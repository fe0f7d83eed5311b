import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'

/** Whoever opens a pipe waits for somebody to write, unless they say that they will not. */
const AT_ONCE = constants.O_RDONLY | constants.O_NONBLOCK

/** Opens a file to read. Throws for what is none: a pipe would keep ralph waiting, deaf to all signals. */
export function openPlain(path: string): number {
  const fd = openSync(path, AT_ONCE)
  if (fstatSync(fd).isFile()) return fd
  closeSync(fd)
  throw new Error(`${path} is not a file`)
}

export function readPlain(path: string): Buffer {
  const fd = openPlain(path)
  try {
    return readFileSync(fd)
  } finally {
    closeSync(fd)
  }
}
