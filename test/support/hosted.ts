import { main } from '../../src/cli/main.ts'
import { RALPH, type Ran } from './ralph.ts'
import { standIn } from './stand-in.ts'

/**
 * Runs one command line of ralph in this process, with exactly this environment (and a PATH). Not for help, which is
 * written to the descriptor, nor for signals, nor for two at once.
 */
export async function hostRalph(
  args: string[],
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Promise<Ran> {
  if (args.length === 0 || args.some(word => WRITTEN_TO_DESCRIPTOR.has(word)))
    throw new Error('help and version are written to the descriptor: start a process for them')
  const program = standIn({
    argv: [RALPH, ...args],
    cwd,
    env: { PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', ...env },
  })
  try {
    const code = await main(args)
    return { code, signal: null, stdout: program.stdout(), stderr: program.stderr() }
  } finally {
    program.leave()
  }
}

const WRITTEN_TO_DESCRIPTOR = new Set(['help', '--help', '-h', '--version', '-v'])
