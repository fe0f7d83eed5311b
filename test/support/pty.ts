import { setTimeout as pause } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { openTerminal } from '../view/terminal.ts'

const POLL_MS = 20
const PATIENCE_MS = 30_000

const pty = await import('@lydell/node-pty').catch(() => null)

export const hasPty = pty !== null

if (!hasPty)
  console.warn(
    'SKIPPED: there is no pseudo-terminal for this machine, so the bytes of a screen are not tested',
  )

type Options = { cwd: string; env: Record<string, string>; columns?: number; rows?: number }

/** A command on a pseudo-terminal whose every byte is known, with an emulator that shows them. */
export function openPty(command: readonly string[], { columns = 80, rows = 24, cwd, env }: Options) {
  const child = pty!.spawn(command[0]!, command.slice(1), {
    ...{ cols: columns, rows, cwd },
    env: { TERM: 'xterm-256color', LANG: 'C.UTF-8', ...env },
  })
  const terminal = openTerminal(columns, rows)
  const ended = new Promise<number>(resolve => child.onExit(({ exitCode }) => resolve(exitCode)))
  let isOver = false
  void ended.then(() => {
    isOver = true
  })
  let written = ''
  let shown: Promise<void> = Promise.resolve()
  child.onData(data => {
    written += data
    shown = shown.then(() => terminal.write(data))
  })
  onTestFinished(async () => {
    if (!isOver) child.kill('SIGKILL')
    await ended
  })
  async function screen(): Promise<string[]> {
    await shown
    return terminal.screen()
  }
  return {
    /** What the emulator was told to do besides showing text, and what it would have answered. */
    heard: terminal.heard,
    written: () => written,
    screen,
    ended,
    type: (text: string) => child.write(text),
    resize(to: { columns: number; rows: number }) {
      child.resize(to.columns, to.rows)
      terminal.resize(to.columns, to.rows)
    },
    /** Waits until the screen shows this, and gives the screen. */
    async waitFor(what: string | RegExp): Promise<string[]> {
      const start = Date.now()
      for (;;) {
        const rows = await screen()
        const text = rows.join('\n')
        if (typeof what === 'string' ? text.includes(what) : what.test(text)) return rows
        if (isOver || Date.now() - start > PATIENCE_MS)
          throw new Error(`the terminal never showed ${what}; it shows:\n${text}`)
        await pause(POLL_MS)
      }
    },
  }
}
