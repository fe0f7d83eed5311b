import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { type ContextUse, contextWindow } from '../core/context-use.ts'
import type { AgentEvent, RunEvent, TodoItem } from '../core/events.ts'
import { runDir } from '../runs/find.ts'
import { isLive } from '../runs/live.ts'
import { bytesFrom, LIMITS, textAt } from '../store/files/read.ts'
import { watchFolder } from '../store/files/watch-folder.ts'
import { type LiveLine, liveLine } from '../view/live-line.ts'
import { endingOf, resumeCommand } from '../view/report/ending.ts'
import type { CheckRow, RunModel } from '../view/screens/model.ts'
import { lastChecks, runningChecks } from '../view/screens/panels/check-panel.ts'
import { withFile } from '../view/screens/panels/task-panel.ts'
import { rowOf } from '../view/screens/rows.ts'
import type { RunFacts } from '../view/screens/run-facts.ts'
import type { Style } from '../view/style.ts'
import { plain } from '../view/text/plain.ts'
import { clockTime } from '../view/time.ts'
import { type FollowedOutput, followOutput } from './follow-output.ts'
import { type FollowedRun, followRun } from './follow-run.ts'
import { type OutputTail, outputTail } from './output-tail.ts'
import type { ShownList, UiPorts } from './ports.ts'

/** One run that is open on the screen: its journal, the streams of its agents, its list. */
export type OpenedRun = {
  id: string
  /** Null while its journal is being read. */
  model(now: number, shape: OutputShape): RunModel | null
  close(): void
}

/** How its output is shown. `log`: the one whose end is shown too. */
type OutputShape = { columns: number; isUnfolded: boolean; screen: number; log: string | null }

const TURN_MS = 8

type Began = Extract<RunEvent, { type: 'began' }>

/** What is read of a run, and how far. What is null is not known before its first event. */
type Shown = {
  readonly ports: UiPorts
  readonly onChange: () => void
  readonly run: FollowedRun
  readonly tail: OutputTail
  readonly live: LiveLine
  /** The folders that are watched, each with what ends that. */
  readonly watched: Map<string, () => void>
  isCaughtUp: boolean
  isClosed: boolean
  isPumping: boolean
  session: string
  output: FollowedOutput | null
  list: ShownList | null
  listVersion: string
  fileItems: readonly TodoItem[] | null
  /** What the agent at work said of itself. */
  agent: Extract<AgentEvent, { type: 'started' }> | null
  contextUse: number | null
}

/** `onChange`: there is something new to show. */
export function openShownRun(ports: UiPorts, id: string, style: Style, onChange: () => void): OpenedRun {
  const worker = ports.workerOf(id)
  const facts = () => shown.run.facts()
  const shown: Shown = {
    ports,
    onChange,
    run: followRun(runDir(ports.home, id), ports.workflowOf, event => onEvent(shown, event)),
    tail: outputTail(style, facts),
    live: liveLine({
      style,
      limit: null,
      clock: at => clockTime(at, Date.now()),
      state: () => facts()?.state ?? null,
    }),
    watched: new Map(),
    isCaughtUp: false,
    isClosed: false,
    isPumping: false,
    session: '',
    output: null,
    list: null,
    listVersion: '',
    fileItems: null,
    agent: null,
    contextUse: null,
  }
  wake(shown)
  return {
    id,
    model(now, { columns, isUnfolded, screen, log }) {
      const { output, list, agent, contextUse } = shown
      const known = shown.isCaughtUp ? facts() : null
      if (!known) return null
      const row = rowOf(known, { worker, isAtWork: isLive({ events: known.latest }), now })
      const ending = endingOf(known.latest, row.isAtWork)
      return {
        row,
        facts: known,
        items: withFile(known.items, shown.fileItems),
        output: shown.tail.view(columns, isUnfolded),
        live: row.isAtWork ? shown.live.line(now, screen) : '',
        checks: checksNow(output, known),
        log: log === null ? null : { path: log, lines: tailOf(log) },
        folderOf: step => output?.folderOf(step) ?? '',
        editable: list?.path ?? ports.promptOf(known.began),
        auth: agent?.auth ?? null,
        model: agent?.model ?? known.model,
        contextUse,
        goOn: resumeCommand(known.latest, known.workflow, ending, known.spent, known),
      }
    },
    close() {
      shown.isClosed = true
      for (const stop of shown.watched.values()) stop()
      shown.watched.clear()
    },
  }
}

function onEvent(shown: Shown, event: RunEvent): void {
  if (event.type === 'began') begin(shown, event)
  shown.output?.onEvent(event)
  // The live line knows the limit from its own events only.
  if (event.type === 'began' || event.type === 'resumed')
    shown.live.onEvent({ type: 'limits', at: event.at, limits: event.limits })
}

function begin(shown: Shown, began: Began): void {
  const { ports } = shown
  const emit = (event: RunEvent) => {
    if (event.type === 'started') shown.contextUse = null
    if (event.type === 'agent' && event.event.type === 'started') shown.agent = event.event
    shown.live.onEvent(event)
    shown.tail.add(event)
  }
  const onContext = (use: ContextUse) => {
    const model = shown.agent?.model ?? null
    shown.contextUse =
      use.type === 'compacted' ? null : use.tokens / contextWindow(use.model, model, use.tokens)
  }
  shown.session = ports.sessionOf(began)
  shown.output = followOutput(shown.session, agent => ports.parserOf(began, agent), emit, onContext)
  shown.list = ports.listOf(began)
}

function wake(shown: Shown): void {
  if (!shown.isPumping) setImmediate(pump, shown)
  shown.isPumping = true
}

function pump(shown: Shown): void {
  shown.isPumping = false
  if (shown.isClosed) return
  const end = performance.now() + TURN_MS
  let isMore = true
  while (isMore && performance.now() < end) isMore = shown.run.read()
  if (!isMore && !shown.isCaughtUp) {
    shown.isCaughtUp = true
    shown.output?.caughtUp()
  }
  readList(shown)
  if (!isMore) isMore = shown.output?.read() ?? false
  // What was written after it was read, and before it was watched, is not told.
  const isNew = keepWatching(shown)
  shown.onChange()
  if (isMore || isNew) wake(shown)
}

/** A file that is half written is not a list: the last good one stays. */
function readList(shown: Shown): void {
  const { list } = shown
  if (list === null) return
  const found = statSync(list.path, { throwIfNoEntry: false })
  const version = found ? `${found.ino} ${found.mtimeMs} ${found.size}` : ''
  if (version === shown.listVersion) return
  shown.listVersion = version
  const text = textAt(list.path, { limit: LIMITS.text })
  shown.fileItems = (text === null ? null : list.read(text)) ?? shown.fileItems
}

/** The folders of agents come and go. Returns whether there is a new one. */
function keepWatching(shown: Shown): boolean {
  const { run, session, output, list, watched } = shown
  const folders = [run.dir, session, ...(output?.folders() ?? []), ...(list ? [dirname(list.path)] : [])]
  const wanted = new Set(folders.filter(folder => existsSync(folder)))
  const added = [...wanted].filter(folder => !watched.has(folder))
  for (const folder of added)
    watched.set(
      folder,
      watchFolder(folder, () => wake(shown)),
    )
  for (const [folder, stop] of watched)
    if (!wanted.has(folder)) {
      stop()
      watched.delete(folder)
    }
  return added.length > 0
}

/** The checks of the latest iteration; while they run, those of the iteration under way whose logs are there. */
function checksNow(output: FollowedOutput | null, known: RunFacts): CheckRow[] {
  const step = Object.values(known.state.flight).find(({ ended }) => ended !== undefined)
  const folder = step && output?.folderOf(step.id)
  return folder && existsSync(folder) ? runningChecks(folder, readdirSync(folder)) : lastChecks(known)
}

const LOG_BYTES = 64 * 1024
const LOG_LINES = 200

/** The end of a log, as plain text. */
function tailOf(path: string): string[] {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  const text = bytesFrom(path, Math.max(size - LOG_BYTES, 0), LOG_BYTES).toString('utf8')
  return plain(text).trimEnd().split('\n').slice(-LOG_LINES)
}
