import type { Agent, Capabilities, Runner } from '../../core/ports.ts'
import { probe } from './probe.ts'

export type LearnOptions = {
  runner: Pick<Runner, 'start'>
  agent: Agent
  /** The program's path, or null if there is nothing to ask. */
  program: string | null
  cacheDir: string
  cwd: string
  env: Record<string, string>
}

/** No help is longer. A program that misunderstands the arguments may print without end. */
const MAX_HELP = 1024 * 1024

/** Probes belong to no step. */
const NO_STEP = 0

/**
 * What is known by now about the flags of the agent's program. Nothing waits for the answer: a program that was never
 * asked before is asked while the first iteration already runs, and until then it gets all flags.
 */
export function learnCapabilities({
  runner,
  agent,
  program,
  cacheDir,
  cwd,
  env,
}: LearnOptions): () => Capabilities {
  let able: Capabilities = { version: null, flags: null }
  const run = async (argv: string[], signal: AbortSignal) => {
    const out: Uint8Array[] = []
    const errors: Uint8Array[] = []
    let room = MAX_HELP
    const keep = (into: Uint8Array[]) => (chunk: Uint8Array) => {
      if (room > 0) into.push(Uint8Array.from(chunk.subarray(0, room)))
      room -= chunk.length
    }
    const sink = { bytes: keep(out), error: keep(errors), line: () => {} }
    const live = await runner.start({ argv, cwd, env, stdin: '' }, NO_STEP, sink)
    signal.addEventListener('abort', () => void live.stop())
    const { code } = await live.exit
    await live.sweep()
    return { code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(errors).toString() }
  }
  if (program !== null)
    void probe({ path: program, name: agent.name, cacheDir, run }).then(learned => {
      able = learned
    })
  return () => able
}
