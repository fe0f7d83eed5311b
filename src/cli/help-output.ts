import { fstatSync, statSync, writeSync } from 'node:fs'
import { devNull } from 'node:os'
import type { OutputConfiguration } from 'commander'
import { wrapLines } from '../core/format.ts'
import { complain } from '../terminal/print.ts'

/**
 * Prints help and the version directly to the file descriptor. `process.stdout` would load Node's streams, which takes a
 * tenth of the time that this program needs to start.
 */
export const helpOutput: OutputConfiguration = {
  // Commander wraps its own lines, but no examples.
  writeOut: text => print(Buffer.from(wrapLines(text, columnsOfHelp()))),
  // What is printed for a command that lacks its subcommand.
  writeErr: text => complain(text.trimEnd()),
  getOutHelpWidth: columnsOfHelp,
  getOutHasColors: () => false,
}

function columnsOfHelp(): number {
  return (isScreen() && process.stdout.columns) || 80
}

function print(bytes: Buffer): void {
  for (let at = 0; at < bytes.length; )
    try {
      at += writeSync(1, bytes, at)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOSPC')
        throw new Error('cannot write to standard output: the disk is full; some of the output is lost')
      // Wait for a slow reader; one that went away (`| head`) is not an error.
      if (code !== 'EAGAIN') return
    }
}

function isScreen(): boolean {
  const out = fstatSync(1)
  return out.isCharacterDevice() && out.rdev !== statSync(devNull).rdev
}
