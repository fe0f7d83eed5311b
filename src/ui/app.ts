import { keysIn } from '../view/screens/keys/key-names.ts'
import { reduce } from '../view/screens/keys/reduce.ts'
import type { Size } from '../view/screens/layout.ts'
import type { Model, RunModel } from '../view/screens/model.ts'
import { selectedCheck } from '../view/screens/panels/index.ts'
import { outputSize } from '../view/screens/run.ts'
import { screenLines } from '../view/screens/screen.ts'
import {
  type Effect,
  firstUi,
  isOfTheScreen,
  type ScreenEffect,
  type UiState,
} from '../view/screens/ui-state.ts'
import { screenStyle } from '../view/style.ts'
import { actOn } from './effects.ts'
import { type FollowedHome, followHome } from './home.ts'
import { type OpenedRun, openRun } from './opened-run.ts'
import type { UiPorts } from './ports.ts'
import { renderer } from './renderer.ts'
import { fullScreen, type TerminalStreams } from './terminal.ts'

export type UiOptions = {
  ports: UiPorts
  streams: TerminalStreams
  /** The run to open, by its id; null: all runs. */
  run: string | null
  hasColor: boolean
  /** What q does, for the hint. */
  quitHint?: string
  /** Ctrl+C; absent: it leaves the screen as q does. */
  onInterrupt?(): void
}

/** A screen that is open. */
export type Ui = {
  /** Resolves when somebody has left it. */
  closed: Promise<void>
  /** Gives the terminal to somebody else, until `show`. */
  hide(): void
  show(): void
  close(): void
  /** Says something about the run, in the line at the bottom. */
  say(message: string): void
}

/** No more frames than this in a second: nobody reads faster, and each takes the terminal time too. */
const FRAME_MS = 66
const TICK_MS = 1000

/** Opens the screens on a terminal: reads what changes, draws, and does what keys ask for. */
export function openUi({ ports, streams, run, hasColor, quitHint, onInterrupt }: UiOptions): Ui {
  const { stdout } = streams
  const style = screenStyle(hasColor)
  let ui: UiState = firstUi(run)
  let home: FollowedHome | null = null
  let opened: OpenedRun | null = null
  let timer: NodeJS.Timeout | null = null
  let ticking: NodeJS.Timeout | null = null
  let lastDrawn = 0
  let isShown = false
  let isClosed = false
  let finish = () => {}
  const closed = new Promise<void>(resolve => {
    finish = resolve
  })
  const frames = renderer(stdout)
  const screen = fullScreen(streams, onTyped)

  const sizeOf = (): Size => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 })

  function modelNow(): Model {
    const now = Date.now()
    const size = sizeOf()
    // Only for what is looked at: reading all journals takes longer than opening one run.
    if (ui.screen === 'overview') home ??= followHome(ports, drawSoon)
    if (ui.run !== null && opened?.id !== ui.run) {
      opened?.close()
      opened = openRun(ports, ui.run, style, drawSoon)
    }
    if (ui.screen === 'morning') night ??= ports.morning(now)
    const columns = outputSize({ items: lastItems }, ui, { ...size, rows: size.rows - 1 }).columns
    const run =
      ui.screen === 'run'
        ? (opened?.model(now, {
            columns,
            isUnfolded: ui.isUnfolded,
            screen: size.columns - 1,
            log: selectedCheck({ checks: lastChecks }, ui)?.log ?? null,
          }) ?? null)
        : null
    lastItems = run?.items ?? lastItems
    lastChecks = run?.checks ?? lastChecks
    return {
      now,
      rows: ui.screen === 'overview' ? (home?.rows(now) ?? []) : [],
      loading: home?.loading() ?? 0,
      run,
      morning: night,
      quitHint: quitHint ?? 'q leaves',
    }
  }
  /** Whether there is a list decides how wide the output is. */
  let lastItems: RunModel['items'] = []
  /** Read when its screen is opened. */
  let night: Model['morning'] = null
  /** Which check is selected decides whose log is read. */
  let lastChecks: RunModel['checks'] = []

  function draw(): void {
    timer = null
    if (!isShown) return
    lastDrawn = performance.now()
    const model = modelNow()
    const isDrawn = frames.draw(screenLines(model, ui, sizeOf(), style))
    if (!isDrawn) stdout.on('drain', onDrained)
    tickWhile(model.run?.row.isAtWork || model.rows.some(row => row.isAtWork))
  }
  function drawSoon(): void {
    timer ??= setTimeout(draw, Math.max(FRAME_MS - (performance.now() - lastDrawn), 0))
  }
  function onDrained(): void {
    stdout.off('drain', onDrained)
    drawSoon()
  }
  /** Times are shown, and a process may die without a word: only then is there a timer. */
  function tickWhile(isAtWork: boolean): void {
    if (isAtWork === (ticking !== null)) return
    if (ticking) clearInterval(ticking)
    ticking = isAtWork ? setInterval(drawSoon, TICK_MS) : null
  }

  function onTyped(text: string): void {
    for (const key of keysIn(text)) {
      const { ui: next, effects } = reduce(ui, key, modelNow(), sizeOf())
      // It is read again each time.
      if (next.screen !== 'morning') night = null
      ui = next
      for (const effect of effects) act(effect)
    }
    drawSoon()
  }
  function say(message: string): void {
    ui = { ...ui, message }
    drawSoon()
  }
  function act(effect: Effect): void {
    if (isOfTheScreen(effect)) OWN[effect.type]()
    else {
      say('…')
      actOn(effect, { ports, write: text => stdout.write(text), lend }).then(say, (error: Error) =>
        say(error.message),
      )
    }
  }
  const OWN: Readonly<Record<ScreenEffect['type'], () => void>> = {
    quit: close,
    interrupt: onInterrupt ?? close,
    redraw: frames.forget,
    suspend,
  }
  /** Gives the terminal to a program until it ends. */
  async function lend(program: () => Promise<string>): Promise<string> {
    hide()
    try {
      return await program()
    } finally {
      show()
    }
  }
  function suspend(): void {
    hide()
    process.once('SIGCONT', show)
    process.kill(process.pid, 'SIGTSTP')
  }
  function onResize(): void {
    frames.forget()
    drawSoon()
  }
  function show(): void {
    if (isShown) return
    isShown = true
    screen.enter()
    frames.forget()
    stdout.on('resize', onResize)
    draw()
  }
  function hide(): void {
    if (!isShown) return
    isShown = false
    stdout.off('resize', onResize)
    stdout.off('drain', onDrained)
    tickWhile(false)
    screen.leave()
  }
  function close(): void {
    isClosed = true
    hide()
    if (timer) clearTimeout(timer)
    home?.close()
    opened?.close()
    finish()
  }
  show()
  return { closed, hide, show: () => void (isClosed || show()), close, say }
}
