import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UsageError } from '../../core/usage-error.ts'
import { findProgram } from '../find-program.ts'
import { commandRunner } from '../run-command.ts'

/** The session that has a window for each worker. */
export const SESSION = 'ralph'

/** A tmux server of ralph's own. The user's server and its sessions are never touched. */
export type TmuxServer = {
  socket: string
  /** Runs tmux commands, separated by `;`, in one call. Rejects if tmux fails. */
  run(...words: string[]): Promise<string>
  /** The same with a session to work in: starts the server and the session if they are missing. */
  runInSession(create: (command: string[]) => string[]): Promise<string>
}

const TIMEOUT_MS = 10_000

const HOW_TO_GET_TMUX =
  'workers need tmux, and it is not on PATH; install it (apt install tmux, dnf install tmux, brew install tmux), or keep the loop in this terminal with --foreground'

export function requireTmux(path: string): void {
  if (!findProgram('tmux', path)) throw new UsageError(HOW_TO_GET_TMUX)
}

export function tmuxServer(home: string, env: NodeJS.ProcessEnv): TmuxServer {
  const socket = socketFor(home)
  const start = commandRunner(new AbortController().signal)
  const run = async (...words: string[]): Promise<string> => {
    const ran = await start(['tmux', '-u', '-S', socket, ...words], {
      cwd: '/',
      env: serverEnvironment(env),
      timeoutMs: TIMEOUT_MS,
    })
    if (ran.end === 'unstartable') throw new UsageError(HOW_TO_GET_TMUX)
    if (ran.end !== 'exited') throw new Error(`tmux did not answer within ${TIMEOUT_MS / 1000}s (${socket})`)
    if (ran.exit.code === 0) return ran.stdout.trimEnd()
    throw new Error(`tmux: ${ran.stderr.trim() || `exit code ${ran.exit.code ?? ran.exit.signal}`}`)
  }
  const hasSession = () =>
    run('has-session', '-t', `=${SESSION}`).then(
      () => true,
      () => false,
    )
  return {
    socket,
    run,
    async runInSession(create) {
      // Two workers may start at once: then one of them finds the session of the other.
      for (let tries = 1; ; tries++) {
        const words = (await hasSession())
          ? create(['new-window', '-d', '-t', `=${SESSION}:`])
          : [...PREPARE, ...create(['new-session', '-d', '-s', SESSION, '-x', '200', '-y', '50'])]
        try {
          return await run(...words)
        } catch (error) {
          if (tries === 3) throw error
        }
      }
    },
  }
}

/** After the user's own configuration, which tmux has read by then: nothing that nobody looks at may end. */
const PREPARE = [
  ...['start-server', ';'],
  ...['set-option', '-g', 'destroy-unattached', 'off', ';'],
  ...['set-option', '-s', 'exit-unattached', 'off', ';'],
]

/** A socket's path has at most 104 bytes on some systems. */
const LONGEST_PATH = 100

/** In ralph's own folder, or, where that path is too long, in a short one that only this user can enter. */
function socketFor(home: string): string {
  const path = join(home, 'tmux.sock')
  if (Buffer.byteLength(path) <= LONGEST_PATH) return path
  const name = createHash('sha256').update(home).digest('hex').slice(0, 12)
  const folder = join(tmpdir(), `ralph-${name}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const { uid, mode } = lstatSync(folder)
  if (uid !== process.getuid?.() || (mode & 0o077) !== 0)
    throw new UsageError(`${folder} belongs to somebody else; set RALPH_HOME to a shorter path`)
  return join(folder, 'tmux.sock')
}

/** What tmux itself needs. Keys and marks stay out: every window would inherit them. */
const serverEnvironment = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && NEEDED.test(entry[0]),
    ),
  )

const NEEDED = /^(?:PATH|HOME|USER|LOGNAME|SHELL|TERM|TMPDIR|LANG|LC_\w+|TZ|XDG_CONFIG_HOME|XDG_RUNTIME_DIR)$/
