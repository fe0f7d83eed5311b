import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import type { main } from '../../src/cli/main.ts'
import { bundleRequire } from '../../src/cli/open-bundle.ts'
import { RALPH, type Ran } from './ralph.ts'
import { standIn } from './stand-in.ts'

const open = bundleRequire(dirname(RALPH), createRequire(RALPH))
const program = open('./program.js') as { main: typeof main }

/**
 * Runs one command line of the built ralph in this process, with exactly this environment (and a PATH). Not for help, which is
 * written to the descriptor, nor for signals, nor for two at once.
 */
export async function hostRalph(
  args: string[],
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Promise<Ran> {
  if (args.length === 0 || args.some(word => WRITTEN_TO_DESCRIPTOR.has(word)))
    throw new Error('help and version are written to the descriptor: start a process for them')
  const place = standIn({
    argv: [RALPH, ...args],
    cwd,
    env: { PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', ...env },
  })
  try {
    const code = await program.main(args)
    return { code, stdout: place.stdout(), stderr: place.stderr() }
  } finally {
    place.leave()
  }
}

const WRITTEN_TO_DESCRIPTOR = new Set(['help', '--help', '-h', '--version', '-v'])
