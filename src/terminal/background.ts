import { isatty } from 'node:tty'

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
