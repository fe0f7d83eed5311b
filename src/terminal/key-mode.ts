import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import type { Duplex } from 'node:stream'
import { isForeground } from './foreground.ts'

/**
 * Sets the terminal on standard input so that keys arrive at once and are not shown; Ctrl+C, Ctrl+Z and Ctrl+S work as
 * ever. Then it waits. If ralph dies, however it dies, its pipe (3) closes and the terminal is set back, unless a shell
 * has changed it meanwhile.
 */
const KEEPER = `
trap '' INT TERM HUP QUIT TSTP
before=$(stty -g) && stty -echo -icanon min 1 time 0 || exit
during=$(stty -g)
echo "$before"
read -r word <&3 && exit
[ "$(stty -g)" != "$during" ] || stty "$before"
`

/** A terminal whose output is stopped (Ctrl+S) would keep stty waiting. */
const STTY_TIMEOUT_MS = 500

/** Sets the terminal to single keys, and back. Both may be called at any time. */
export type KeyMode = { on(): void; off(): void }

/** `path`: where else to look for programs. */
export function keyMode(path: string): KeyMode {
  let keeper: ChildProcess | null = null
  /** How the terminal was, as stty writes it; '' until that is known. */
  let before = ''

  return {
    on() {
      if (keeper) return
      // In a session of its own: no key reaches it, and it may set the terminal from the background.
      const started = spawn('/bin/sh', ['-c', KEEPER], {
        cwd: '/',
        env: { PATH: `/usr/bin:/bin:${path}` },
        stdio: [0, 'pipe', 'ignore', 'pipe'],
        detached: true,
      })
      keeper = started
      before = ''
      started.on('error', () => {})
      for (const pipe of [started.stdout, started.stdio[3] as Duplex]) {
        pipe?.on('error', () => {})
        ;(pipe as { unref?(): void } | null)?.unref?.()
      }
      started.stdout?.setEncoding('utf8').on('data', text => {
        if (keeper === started) before += text
      })
      started.unref()
    },
    off() {
      if (!keeper) return
      const pipe = keeper.stdio[3] as Duplex | null
      keeper = null
      // From the background, setting the terminal would stop ralph; the shell has set it already.
      if (before.endsWith('\n') && isForeground() && setBack(before.trim())) pipe?.end('done\n')
      else pipe?.end()
    },
  }
}

/** At once: somebody else is about to use the terminal. */
function setBack(before: string): boolean {
  try {
    execFileSync('stty', [before], {
      stdio: [0, 'ignore', 'ignore'],
      timeout: STTY_TIMEOUT_MS,
      killSignal: 'SIGKILL',
    })
    return true
  } catch {
    return false
  }
}
