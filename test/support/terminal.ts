import { execFile, execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { scratch } from './scratch.ts'

const POLL_MS = 20
const SLOWEST_POLL_MS = 200
const PATIENCE_MS = 15_000

export const hasTmux: boolean = (() => {
  try {
    execFileSync('tmux', ['-V'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

if (!hasTmux) console.warn('SKIPPED: tmux is not installed, so nothing is tested on a real terminal')

/** A command on a terminal of its own. */
export interface Terminal {
  /** The command's process, once it shows something. */
  pid(): number
  /** Types a text, then presses keys as tmux names them: `Enter`, `C-c`. */
  type(text: string, ...keys: [string, ...string[]]): Promise<void>
  press(...keys: string[]): Promise<void>
  /** Waits until the screen shows this, and gives the screen. */
  waitFor(what: string | RegExp): Promise<string>
  /** Waits for the command's end and gives its exit code, and the screen it left. */
  ended(): Promise<{ code: number; screen: string }>
  /** The lines that did not fit, so that the terminal broke them wherever its edge was. */
  brokenLines(): Promise<string[]>
  /** What the command has set as the title. */
  title(): Promise<string>
  /** Takes the terminal away from the command, as closing a window does. */
  close(): Promise<void>
}

/** Starts a command on a terminal with exactly this environment. The terminal is gone when the test is over. */
export async function openTerminal(
  command: string[],
  {
    columns = 200,
    rows = 100,
    ...options
  }: { cwd: string; env: Record<string, string>; columns?: number; rows?: number },
): Promise<Terminal> {
  const dir = scratch('ralph-tmux-')
  const run = promisify(execFile)
  const tmux = async (...args: string[]) =>
    (await run('tmux', ['-u', '-S', join(dir, 'socket'), ...args], { env: { PATH: process.env.PATH } }))
      .stdout
  const close = async () => {
    await tmux('kill-server').catch(() => {})
  }
  onTestFinished(close)
  const env = { TERM: 'screen-256color', LANG: 'C.UTF-8', ...options.env }
  const words = ['env', '-i', ...Object.entries(env).map(([name, value]) => `${name}=${value}`), ...command]
  const wrapped = ['sh', '-c', WRAPPER, dir, ...words].map(quote).join(' ')
  const set = ['set', '-g', 'remain-on-exit', 'on', ';', 'set', '-g', 'status', 'off', ';']
  const session = ['new-session', '-d', '-x', String(columns), '-y', String(rows), '-c', options.cwd]
  await tmux('-f', '/dev/null', ...set, ...session, wrapped)

  const note = (name: string) => {
    const path = join(dir, name)
    return existsSync(path) ? readFileSync(path, 'utf8').trim() : ''
  }
  /** With what has scrolled away, and without the line in which tmux says that the command has ended. */
  const screen = async () =>
    (await tmux('capture-pane', '-p', '-S', '-')).replace(/\n+Pane is dead .*\s*$/, '').trimEnd()
  async function until<T>(look: () => Promise<T | null>, what: string): Promise<T> {
    // Each look starts a process: the longer it takes, the less often it looks.
    let nap = POLL_MS
    for (const start = Date.now(); Date.now() - start < PATIENCE_MS; await pause(nap)) {
      const found = await look()
      if (found !== null) return found
      nap = Math.min(nap * 1.5, SLOWEST_POLL_MS)
    }
    throw new Error(`the terminal never showed ${what}; it shows:\n${await screen()}`)
  }

  return {
    pid: () => Number(note('pid')),
    async brokenLines() {
      const joined = await tmux('capture-pane', '-p', '-J', '-S', '-')
      return joined.split('\n').filter(line => line.trimEnd().length > columns)
    },
    title: async () => (await tmux('display-message', '-p', '#{pane_title}')).trim(),
    press: async (...keys) => void (await tmux('send-keys', ...keys)),
    async type(text, ...keys) {
      // At the end of a word tmux takes a semicolon for its own.
      const literally = text === '' ? [] : ['send-keys', '-l', '--', text.replace(/;$/, '\\;'), ';']
      await tmux(...literally, 'send-keys', ...keys)
    },
    waitFor: what =>
      until(async () => {
        const shown = await screen()
        return (typeof what === 'string' ? shown.includes(what) : what.test(shown)) ? shown : null
      }, String(what)),
    ended: () =>
      until(async () => {
        // The file first: to ask tmux starts a process.
        const isOver =
          note('code') !== '' && (await tmux('display-message', '-p', '#{pane_dead}')).trim() === '1'
        return isOver ? { code: Number(note('code')), screen: await screen() } : null
      }, 'the end of the command'),
    close,
  }
}

/** Notes the command's process and exit code: tmux itself sometimes forgets the latter. */
const WRAPPER = `trap : INT; sh -c 'echo $$ > "$0/pid"; exec "$@"' "$0" "$@"; echo $? > "$0/code"`

const quote = (word: string) => `'${word.replaceAll("'", "'\\''")}'`
