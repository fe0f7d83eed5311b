import { parseJson } from '../../../core/json.ts'
import type { Env } from '../../../core/ports.ts'
import { ownProgram } from '../../../store/files/own-program.ts'
import { commandRunner, type RunCommand } from '../../run-command.ts'

/** A call of `sbx` that did not succeed. Its message is one line for the user. */
export class SbxError extends Error {
  override name = 'SbxError'
}

/**
 * Calls Docker's `sbx` with its standard input closed and with a time limit: some versions ask questions, and none gives up
 * by itself if its daemon does not answer.
 */
export type Sbx = (
  args: readonly string[],
  options?: { stdin?: string; timeoutMs?: number },
) => Promise<string>

/** How long a call may take. Creating a sandbox may have to load an image first. */
export type SbxTimes = { quick: number; create: number; exec: number; stop: number }
export const SBX_TIMES: SbxTimes = { quick: 30_000, create: 900_000, exec: 300_000, stop: 120_000 }

/** `program`: where sbx is. */
export function openSbx(
  program: string,
  env: Env,
  {
    times = SBX_TIMES,
    run = commandRunner(new AbortController().signal),
  }: { times?: SbxTimes; run?: RunCommand } = {},
): Sbx {
  return async (args, { stdin, timeoutMs = times.quick } = {}) => {
    const said = `sbx ${wordsOf(args)}`
    const ran = await run([program, ...args], { cwd: '/', env, timeoutMs, ...(stdin && { stdin }) })
    switch (ran.end) {
      case 'unstartable':
        throw new SbxError(ran.why)
      case 'interrupted':
        throw new SbxError(`${said} was interrupted`)
      case 'timeout':
        throw new SbxError(`${said} did not answer within ${Math.ceil(timeoutMs / 1000)}s`)
      case 'exited':
        if (ran.exit.code === 0) return ran.stdout
        throw new SbxError(
          `${said} failed: ${complaintIn(ran.stderr) || complaintIn(ran.stdout) || exitOf(ran.exit)}`,
        )
      default:
        return ran satisfies never
    }
  }
}

const exitOf = ({ code, signal }: { code: number | null; signal: string | null }): string =>
  signal === null ? `exit code ${code}` : `ended by ${signal}`

/** The verb of a call, and for an exec what it is for: the rest may be long, or secret. */
const wordsOf = (args: readonly string[]): string => {
  const verb = args
    .filter(word => !word.startsWith('-'))
    .slice(0, ['policy', 'secret'].includes(args[0]!) ? 2 : 1)
  const script =
    args[0] === 'exec' ? args.find(word => word.startsWith('ralph-') && !NAME.test(word)) : undefined
  return [...verb, ...(script ? [script] : [])].join(' ')
}

const NAME = /^ralph-[\da-f]{12}$/

/** The line that names the error, else the last one. */
function complaintIn(output: string): string {
  const lines = output
    .split('\n')
    .map(line => line.trim())
    .filter(Boolean)
  const error = lines.find(line => /^(ERROR|error|fatal)\b/.test(line)) ?? lines.at(-1) ?? ''
  return error.replace(/^(ERROR|error|fatal):\s*/, '').slice(0, 300)
}

/** The first `sbx` on PATH that does not belong to the project. Null if there is none. */
export const findSbx = (path: string, project: string): string | null => ownProgram('sbx', path, project)

/** The version in `sbx version --json`. Null if nothing in it looks like one. */
export function versionIn(output: string): string | null {
  const told = jsonIn(output) as { client?: { version?: unknown } } | null
  const version = told?.client?.version
  const text = typeof version === 'string' ? version : output
  return /\d+\.\d+\.\d+(?:[\w.+-]*\w)?/.exec(text)?.[0] ?? null
}

/** A sandbox in `sbx ls --json`. */
export type Listed = { name: string; status: string; agent: string | null }

/** The sandboxes that sbx lists. Older versions print the array alone. Throws SbxError if this is no such list. */
export function sandboxesIn(output: string): Listed[] {
  const told = jsonIn(output)
  const list = Array.isArray(told) ? told : (told as { sandboxes?: unknown } | null)?.sandboxes
  // Some versions print null for none.
  if (list === null && told !== null) return []
  if (!Array.isArray(list)) throw new SbxError('sbx ls failed: it printed no list')
  return list.flatMap(entry => {
    const { name, status, agent } = (entry ?? {}) as Record<string, unknown>
    if (typeof name !== 'string') return []
    return [
      {
        name,
        status: typeof status === 'string' ? status : 'unknown',
        agent: typeof agent === 'string' ? agent : null,
      },
    ]
  })
}

/** The JSON in an output that may begin with lines for people, about the start of the daemon for example. */
function jsonIn(output: string): unknown {
  const start = output.search(/^[[{]/m)
  if (start < 0) return null
  try {
    return parseJson(output.slice(start))
  } catch {
    return null
  }
}
