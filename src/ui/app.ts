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
import { type Style, screenStyle } from '../view/style.ts'
import { actOn } from './effects.ts'
import { type FollowedHome, followHome } from './home.ts'
import { type OpenedRun, openShownRun } from './opened-run.ts'
import type { UiPorts } from './ports.ts'
import { type FullScreen, fullScreen, renderer, type TerminalStreams } from './terminal.ts'

export type UiOptions = {
  ports: UiPorts
  streams: TerminalStreams
  /** The run to open, by its id. Null for all runs. */
  run: string | null
  hasColor: boolean
  /** What q does, for the hint. */
  quitHint?: string
  /** Ctrl+C. Absent if it leaves the screen as q does. */
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

/** The screens that are open on a terminal. */
type App = {
  readonly options: UiOptions
  readonly style: Style
  readonly frames: ReturnType<typeof renderer>
  readonly screen: FullScreen
  ui: UiState
  home: FollowedHome | null
  opened: OpenedRun | null
  /** Read when its screen is opened. */
  night: Model['morning']
  /** Whether there is a list decides how wide the output is. */
  lastItems: RunModel['items']
  /** Which check is selected decides whose log is read. */
  lastChecks: RunModel['checks']
  timer: NodeJS.Timeout | null
  ticking: NodeJS.Timeout | null
  lastDrawn: number
  isShown: boolean
  isClosed: boolean
  readonly onResize: () => void
  readonly onDrained: () => void
  readonly finish: () => void
}

/** Opens the screens on a terminal: reads what changes, draws, and does what keys ask for. */
export function openUi(options: UiOptions): Ui {
  const { streams, run, hasColor } = options
  let finish = () => {}
  const closed = new Promise<void>(resolve => {
    finish = resolve
  })
  const app: App = {
    options,
    style: screenStyle(hasColor),
    frames: renderer(streams.stdout),
    screen: fullScreen(streams, text => onTyped(app, text)),
    ui: firstUi(run),
    home: null,
    opened: null,
    night: null,
    lastItems: [],
    lastChecks: [],
    timer: null,
    ticking: null,
    lastDrawn: 0,
    isShown: false,
    isClosed: false,
    onResize: () => redraw(app),
    onDrained() {
      streams.stdout.off('drain', app.onDrained)
      drawSoon(app)
    },
    finish,
  }
  show(app)
  return {
    closed,
    hide: () => hide(app),
    show: () => void (app.isClosed || show(app)),
    close: () => close(app),
    say: message => say(app, message),
  }
}

const sizeOf = ({ options: { streams } }: App): Size => ({
  columns: streams.stdout.columns || 80,
  rows: streams.stdout.rows || 24,
})

function modelNow(app: App): Model {
  const { ui, style } = app
  const { ports, quitHint = 'q leaves' } = app.options
  const now = Date.now()
  const size = sizeOf(app)
  const changed = () => drawSoon(app)
  // Only for what is looked at: reading all journals takes longer than opening one run.
  if (ui.screen === 'overview') app.home ??= followHome(ports, changed)
  if (ui.run !== null && app.opened?.id !== ui.run) {
    app.opened?.close()
    app.opened = openShownRun(ports, ui.run, style, changed)
  }
  if (ui.screen === 'morning') app.night ??= ports.morning(now)
  const columns = outputSize({ items: app.lastItems }, ui, { ...size, rows: size.rows - 1 }).columns
  const log = selectedCheck({ checks: app.lastChecks }, ui)?.log ?? null
  const shape = { columns, isUnfolded: ui.isUnfolded, screen: size.columns - 1, log }
  const run = ui.screen === 'run' ? (app.opened?.model(now, shape) ?? null) : null
  app.lastItems = run?.items ?? app.lastItems
  app.lastChecks = run?.checks ?? app.lastChecks
  return {
    now,
    rows: ui.screen === 'overview' ? (app.home?.rows(now) ?? []) : [],
    loading: app.home?.loading() ?? 0,
    run,
    morning: app.night,
    quitHint,
  }
}

function draw(app: App): void {
  app.timer = null
  if (!app.isShown) return
  app.lastDrawn = performance.now()
  const model = modelNow(app)
  const isDrawn = app.frames.draw(screenLines(model, app.ui, sizeOf(app), app.style))
  if (!isDrawn) app.options.streams.stdout.on('drain', app.onDrained)
  tickWhile(app, model.run?.row.isAtWork || model.rows.some(row => row.isAtWork))
}

function drawSoon(app: App): void {
  app.timer ??= setTimeout(draw, Math.max(FRAME_MS - (performance.now() - app.lastDrawn), 0), app)
}

/** The whole screen, because something else may have written there. */
function redraw(app: App): void {
  app.frames.forget()
  drawSoon(app)
}

/** Times are shown, and a process may die without a word: only then is there a timer. */
function tickWhile(app: App, isAtWork: boolean): void {
  if (isAtWork === (app.ticking !== null)) return
  if (app.ticking) clearInterval(app.ticking)
  app.ticking = isAtWork ? setInterval(drawSoon, TICK_MS, app) : null
}

function onTyped(app: App, text: string): void {
  for (const key of keysIn(text)) {
    const { ui, effects } = reduce(app.ui, key, modelNow(app), sizeOf(app))
    // It is read again each time.
    if (ui.screen !== 'morning') app.night = null
    app.ui = ui
    for (const effect of effects) act(app, effect)
  }
  drawSoon(app)
}

function say(app: App, message: string): void {
  app.ui = { ...app.ui, message }
  drawSoon(app)
}

function act(app: App, effect: Effect): void {
  if (isOfTheScreen(effect)) {
    OWN[effect.type](app)
    return
  }
  const { ports, streams } = app.options
  say(app, '…')
  actOn(effect, {
    ports,
    write: text => streams.stdout.write(text),
    lend: program => lend(app, program),
  }).then(
    said => say(app, said),
    (error: Error) => say(app, error.message),
  )
}

const OWN: Readonly<Record<ScreenEffect['type'], (app: App) => void>> = {
  quit: close,
  interrupt: app => (app.options.onInterrupt ?? (() => close(app)))(),
  redraw: app => app.frames.forget(),
  suspend,
}

/** Gives the terminal to a program until it ends. */
async function lend(app: App, program: () => Promise<string>): Promise<string> {
  hide(app)
  try {
    return await program()
  } finally {
    show(app)
  }
}

function suspend(app: App): void {
  hide(app)
  process.once('SIGCONT', () => show(app))
  process.kill(process.pid, 'SIGTSTP')
}

function show(app: App): void {
  if (app.isShown) return
  app.isShown = true
  app.screen.enter()
  app.frames.forget()
  app.options.streams.stdout.on('resize', app.onResize)
  draw(app)
}

function hide(app: App): void {
  if (!app.isShown) return
  const { stdout } = app.options.streams
  app.isShown = false
  stdout.off('resize', app.onResize)
  stdout.off('drain', app.onDrained)
  tickWhile(app, false)
  app.screen.leave()
}

function close(app: App): void {
  app.isClosed = true
  hide(app)
  if (app.timer) clearTimeout(app.timer)
  app.home?.close()
  app.opened?.close()
  app.finish()
}
