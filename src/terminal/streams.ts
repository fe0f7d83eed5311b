import { isatty } from 'node:tty'
import { describeWriteError } from '../store/files/writable.ts'
import { printError } from './print.ts'

type Handle = { setBlocking?(isBlocking: boolean): unknown }

/**
 * Node writes to a terminal and waits. One that does not read (Ctrl+S, a stalled connection) would stop the whole run,
 * its timeouts and signals included. After this, what a terminal does not take yet waits in memory, as with a pipe.
 */
export function writeInBackground(): void {
  for (const [fd, name] of [
    [1, 'stdout'],
    [2, 'stderr'],
  ] as const)
    if (isatty(fd)) (process[name] as { _handle?: Handle })._handle?.setBlocking?.(false)
}

/** Two bundles of commands may ask for it. */
let isWatched = false

const NO_SPACE: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/**
 * A reader that went away (`| head`, a closed terminal) is not an error. If the disk does not take what is printed, a
 * script must not believe that it has all of it.
 */
export function watchOutput(): void {
  if (isWatched) return
  isWatched = true
  let isCut = false
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (isCut || !NO_SPACE.has(error.code)) return
    isCut = true
    printError(`ralph: error: ${describeWriteError(error, 'standard output')}; some of the output is lost`)
    process.once('exit', () => {
      process.exitCode ||= 1
    })
  })
  process.stderr.on('error', () => {})
}

/** Whether somebody is there to answer. By descriptor, because creating `process.stdin` costs time. */
export const isAttended = ({
  json,
  quiet,
  detach,
}: {
  json?: boolean
  quiet?: boolean
  detach?: boolean
}): boolean => isatty(0) && isatty(1) && !json && !quiet && !detach
