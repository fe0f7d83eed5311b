import type { Asker, UserAccess } from '../../../core/asker.ts'
import type { RunEvent } from '../../../core/events.ts'
import { UsageError } from '../../../core/usage-error.ts'
import type { Frontend, Listener, RunView } from '../../../host/frontend.ts'
import { listenToSignals, processFrontend } from '../../../host/process-frontend.ts'
import type { ResumeOptions } from '../../../host/resume.ts'
import { type CommonOptions, launchHere } from '../../../host/start.ts'
import type { Io } from '../../../runs/io.ts'
import { terminalStyle } from '../../../terminal/console.ts'
import { printError } from '../../../terminal/print.ts'
import { openUi, type Ui } from '../../../ui/app.ts'
import { uiPorts } from './ui-ports.ts'
import { requireTerminal } from './watch-runs.ts'

/** A run of this process behind the full screen. */
type RunScreen = {
  frontend: Frontend
  /** Waits until somebody leaves the screen, then prints how the run ended. After an interrupt nobody is waited for. */
  left(code: number): Promise<void>
}

const INTERRUPTED = 130

/** With `--tui`, the run is hosted here and shown on the full screen. */
export function withScreen<Options extends CommonOptions>(options: Options, io: Io): Options {
  if (!options.tui || options.dryRun) return options
  requireScreen(options)
  return {
    ...options,
    launch: async run => {
      const screen = await openRunScreen(io)
      return screenedRun(screen, () => launchHere({ ...run, frontend: screen.frontend }))
    },
  }
}

/** Hosts a run until it has ended and its screen was left. */
async function screenedRun(screen: RunScreen, host: () => Promise<number>): Promise<number> {
  try {
    const code = await host()
    await screen.left(code)
    return code
  } catch (error) {
    await screen.left(INTERRUPTED)
    throw error
  }
}

/** Resumes a run here, on the full screen if that is asked for. */
export async function hostResumed(
  options: ResumeOptions,
  io: Io,
  host: (frontend: Frontend) => Promise<number>,
): Promise<number> {
  if (!options.tui) return host(processFrontend(options))
  requireScreen(options)
  const screen = await openRunScreen(io)
  return screenedRun(screen, () => host(screen.frontend))
}

/** What is about lines on this terminal does not go with a screen. */
function requireScreen(options: { json?: boolean; quiet?: boolean; verbose?: boolean }): void {
  const odd = (['json', 'quiet', 'verbose'] as const).find(option => options[option])
  if (odd !== undefined) throw new UsageError(`--${odd} prints lines, and --tui shows a screen; use only one`)
  requireTerminal('the same command without --tui')
}

/** The screen opens when the run begins. Leaving it does not stop the run: from then on, it is shown in lines. */
async function openRunScreen(io: Io): Promise<RunScreen> {
  const lines = processFrontend({})
  let ui: Ui | null = null
  let isLeft = false
  let view: RunView | null = null
  let last: RunEvent | null = null
  let header: Parameters<Frontend['announce']> | null = null
  let shown: Listener[] | null = null
  const started = new Map<number, RunEvent>()

  const isOver = () => last?.type === 'finished' || last?.type === 'stopped'
  function open(run: RunView): void {
    const { isColorSupported } = terminalStyle(process.stdout, io.env).colors
    ui = openUi({
      ports: uiPorts(io.env),
      streams: process,
      run: run.id,
      hasColor: isColorSupported,
      quitHint: 'q leaves, it continues',
      onInterrupt: () => void process.emit('SIGINT'),
    })
    ui.closed.then(() => {
      isLeft = true
      if (!isOver()) showLines()
    })
  }
  function showLines(): void {
    if (header) lines.announce(...header)
    shown = view ? lines.watch(view) : []
    // So that they know what is under way.
    for (const event of started.values()) for (const listener of shown) listener.onEvent(event)
  }
  const say = (line: string) => (ui && !isLeft ? ui.say(line) : printError(line))

  const frontend: Frontend = {
    ...lines,
    announce: (...about) => {
      header = about
    },
    watch(run) {
      view = run
      return [
        {
          onEvent(event) {
            last = event
            if (event.type === 'started') started.set(event.id, event)
            if (event.type === 'settled') started.delete(event.id)
            if (event.type === 'began' || event.type === 'resumed') open(run)
            if (event.type !== 'asking') ui?.show()
            for (const listener of shown ?? []) listener.onEvent(event)
          },
          drained: () => shown?.map(listener => listener.drained?.()).find(Boolean) ?? null,
          close: async () => {
            await Promise.all((shown ?? []).map(listener => listener.close?.()))
          },
        },
      ]
    },
    user(stop) {
      const user = lines.user(stop)
      return user && behindScreen(user, () => (isLeft ? null : ui))
    },
    openSignals: () => ({ ...listenToSignals(say), interrupt: () => void process.emit('SIGINT') }),
  }
  return {
    frontend,
    async left(code) {
      if (code === INTERRUPTED) ui?.close()
      await ui?.closed
      if (shown !== null || !view || !last || !isOver()) return
      for (const listener of lines.watch(view)) {
        listener.onEvent(last)
        await listener.close?.()
      }
    },
  }
}

/** Hides the screen while the user is asked. The next event of the run shows it again. */
function behindScreen(user: UserAccess, screen: () => Ui | null): UserAccess {
  const hidden = <T>(ask: () => T): T => {
    screen()?.hide()
    return ask()
  }
  const askBehind = ({ line, some, one }: Asker): Asker => ({
    line: (...words) => hidden(() => line(...words)),
    some: (...words) => hidden(() => some(...words)),
    one: (...words) => hidden(() => one(...words)),
  })
  return {
    ...user,
    asker: async () => askBehind(await user.asker()),
    say: text => hidden(() => user.say(text)),
    edit: (text, ending) => hidden(() => user.edit(text, ending)),
  }
}
