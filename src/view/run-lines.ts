import type { AgentEvent, RunEvent, TodoItem } from '../core/events.ts'
import { plural } from '../core/format.ts'
import type { RunState, Stage, StageName, StepId } from '../core/table.ts'
import { type AgentLinesOptions, agentLines, type Bounds, besideAnswer } from './agent-lines.ts'
import { toolNamer } from './doing.ts'
import { KEY_HINTS } from './keys.ts'
import { sandboxText } from './notices.ts'
import { checkedLines, outcomeLines } from './outcome-lines.ts'
import { formatSender } from './report/requests.ts'
import type { Style } from './style.ts'
import { taskListLines, taskSummary } from './task-list.ts'
import { type Fit, fitTo, narrowed, wrapStyled } from './text/fit.ts'
import { plain, plainLine } from './text/plain.ts'
import { widthOf } from './text/width.ts'

/** What is shown beside the events, and how. */
export type RunLinesOptions = {
  style: Style
  bounds: Bounds
  streamAgent: boolean
  limit: number | null
  /** Formats a time of day. */
  clock: (at: number) => string
  /** The prefix of every line. Null for none. */
  stamp?: ((at: number) => string) | null
  /** The current width of the terminal. Null if it is none: then nothing is cut or wrapped. */
  columns?: () => number | null
  /** Whether a live line shows what is under way. If so, no other line does. */
  live?: boolean
  /** The current task list. Null if there is none. */
  list?: () => TaskList | null
  /** Lines that the workflow adds at the end. */
  summary?: (style: Style) => string[]
  /** What is known about a stage; its title is shown. */
  stageOf?: (stage: StageName) => ShownStage | undefined
  /** Several tasks are worked on at once: every line of a step names its task. */
  isParallel?: boolean
  /** The folder of the project: paths in it are shown relative to it. */
  project?: string | null
  /** Whether keys steer the run; then lines name them. */
  hasKeys?: boolean
  /** The command that lets a paused run go on. */
  resume?: string
  /** What is spent, and the limits. Null if that is unknown. */
  state?: () => (Pick<RunState, 'spent' | 'limits'> & Partial<Pick<RunState, 'flight'>>) | null
  /** The lines for the end of the run. */
  ending?: (style: Style, fit: Fit) => string[]
}

type ShownStage = Pick<Stage, 'title' | 'ends' | 'listed' | 'repeats'>

export type TaskList = {
  items: readonly TodoItem[]
  blocked: ReadonlyMap<string, string>
  /** Whether checks were green on a task that is done. Absent if that is unknown. */
  isVerified?(id: string): boolean
}

/** Events that have no line of their own. */
type Silent =
  | ('began' | 'warned' | 'doubted' | 'committing' | 'spawned' | 'applied' | 'edited' | 'asked')
  | ('changed' | 'undone' | 'noted' | 'opening' | 'opened' | 'merging' | 'rebased' | 'landing' | 'closed')

/** A longer list would push what happened off the screen. */
const MOST_TASKS = 14

const INDENT = '  '

/** What `runLines` knows of the run so far. */
type ShownRun = {
  readonly shown: RunLinesOptions
  readonly agentOptions: AgentLinesOptions
  limit: number | null
  /** The lines of each step in flight: a result is matched with a call of its own agent. */
  readonly linesOfStep: Map<StepId, ReturnType<typeof agentLines>>
  /** Whether the checks that run now are those before the first iteration. */
  isBaseline: boolean
  isResumed: boolean
  /** The agents that have worked so far. They are named only if there are several. */
  readonly agents: Set<string>
  readonly stepAgents: Map<StepId, string>
  /** The steps that prepare the list: their answer is for ralph. */
  readonly planning: Set<StepId>
  /** The steps that a person was asked about, and so has seen the result of. */
  readonly asked: Set<StepId>
}

/** Turns a run's events into lines for people: a pure fold, so a live run and a finished one look the same. */
export function runLines(shown: RunLinesOptions): (event: RunEvent) => string[] {
  const { style, bounds, stamp = null, columns = () => null, isParallel = false } = shown
  const run: ShownRun = {
    shown,
    agentOptions: { style, bounds, nameTool: toolNamer(shown.project ?? null) },
    limit: shown.limit,
    linesOfStep: new Map(),
    isBaseline: false,
    isResumed: false,
    agents: new Set(),
    stepAgents: new Map(),
    planning: new Set(),
    asked: new Set(),
  }
  const labelOf = isParallel ? taskLabels(() => shown.state?.()?.flight ?? {}) : () => ''
  return event => {
    const label = labelOf(event)
    if (stamp === null && label === '') return eventLines(run, event, fitTo(columns()))
    const prefix = `${stamp === null ? '' : `${stamp(event.at)} `}${label}`
    const lines = eventLines(run, event, narrowed(fitTo(columns()), widthOf(prefix)))
    return lines.map(line => (line.trim() === '' ? '' : style.colors.dim(prefix) + line))
  }
}

function eventLines(run: ShownRun, event: RunEvent, fit: Fit): string[] {
  const { style, clock, live = false, hasKeys = false, resume = 'ralph resume', ending } = run.shown
  const { colors } = style
  switch (event.type) {
    case 'baseline':
      return event.findings.some(f => f.verdict !== 'pass')
        ? fit.wrap('  red before the run; all must be green in the end', colors.dim)
        : []
    case 'started':
      return startedLines(run, event)
    case 'agent':
      return agentEventLines(run, event, fit)
    case 'ended':
      if (event.how === 'inactive') return warn(style, 'silent for too long, ended', fit)
      return event.how === 'timeout' ? warn(style, 'out of time, ended', fit) : []
    case 'checking': {
      const title = titleOfChecks(run, event.id)
      run.isBaseline = event.id === null
      const line = live ? [] : [fit.cut(colors.dim(`  … ${plainLine(event.check)}`))]
      return title === null ? line : ['', colors.bold(title), ...line]
    }
    case 'checked':
      return checkedLines(event, style, fit)
    case 'settled':
      return settledLines(run, event, fit)
    case 'committed':
    case 'merged':
      return [colors.dim(`  ${commitText(event)}`)]
    case 'waiting': {
      const text = `  waiting until ${clock(event.until)} (${plainLine(event.why)})${hasKeys ? `; ${KEY_HINTS.waiting}` : ''}`
      return live ? [] : fit.wrap(text, colors.yellow, 4)
    }
    case 'prompted':
      return listLines(run.shown, fit)
    case 'finished':
    case 'stopped':
      return [...summaryLines(run.shown, fit), ...(ending?.(style, fit) ?? [])]
    case 'instructed':
      return [fit.cut(colors.dim(`  instruction${instructionOf(event)}`))]
    case 'limits': {
      const limit = event.limits.iterations
      run.limit = limit
      return [colors.dim(`  the limit is now ${limit === null ? 'none' : plural(limit, 'iteration')}`)]
    }
    case 'control': {
      if (event.hold !== 'pause') return []
      const when = run.linesOfStep.size > 0 ? 'pausing after this iteration, asked' : 'paused'
      const goOn = `${hasKeys ? 'p, or ' : ''}${resume}`
      return fit.wrap(`  ${when} ${formatSender(event.from)}; to go on: ${goOn}`, colors.yellow, 4)
    }
    case 'denied':
    case 'refused':
    case 'allowed':
      return fit.wrap(`  ${sandboxText(event)}`, event.type === 'allowed' ? colors.dim : colors.yellow, 4)
    case 'asking':
      run.asked.add(event.id)
      return []
    case 'resumed':
      run.isResumed = true
      return []
    default:
      event.type satisfies Silent
      return []
  }
}

function startedLines(run: ShownRun, event: Extract<RunEvent, { type: 'started' }>): string[] {
  const { shown, limit, agents } = run
  const { id, at, n, agent } = event
  const { bold } = shown.style.colors
  const stage = shown.stageOf?.(event.stage)
  const title = stage?.title
  run.linesOfStep.set(id, agentLines(run.agentOptions, at))
  if (stage?.listed === false) run.planning.add(id)
  if (agent === null) return ['', bold(title ?? event.stage)]
  agents.add(agent)
  run.stepAgents.set(id, agent)
  const who = agents.size > 1 ? ` · ${plainLine(agent)}` : ''
  const what = title === undefined ? '' : ` · ${title}`
  return ['', bold(`iteration ${n}${limit === null ? '' : ` of ${limit}`}${what}${who}`)]
}

function agentEventLines(run: ShownRun, event: Extract<RunEvent, { type: 'agent' }>, fit: Fit): string[] {
  const { streamAgent } = run.shown
  const { type } = event.event
  if (!streamAgent && type === 'text') return []
  const said = run.planning.has(event.id) ? withoutAnswer(event.event) : event.event
  if (said.type === 'text' && said.text === '') return []
  const lines = linesOf(run, event.id)(said, event.at, narrowed(fit, INDENT.length))
  const isShown = streamAgent || type === 'ended' || type === 'limited'
  return isShown ? lines.map(line => (line === '' ? '' : INDENT + line)) : []
}

/** A run that is watched from the middle on may show an agent whose start was not seen. */
function linesOf({ linesOfStep, agentOptions }: ShownRun, id: StepId): ReturnType<typeof agentLines> {
  const known = linesOfStep.get(id) ?? agentLines(agentOptions)
  linesOfStep.set(id, known)
  return known
}

/** For an unusable agent, its own lines have already said why. */
function settledLines(run: ShownRun, event: Extract<RunEvent, { type: 'settled' }>, fit: Fit): string[] {
  const { style, clock, stageOf, list } = run.shown
  const { id, end, note, patch } = event
  const who = run.stepAgents.get(id) ?? ''
  const until = patch.until?.[who]
  const isNews = run.planning.delete(id) && !run.asked.delete(id)
  run.stepAgents.delete(id)
  run.linesOfStep.delete(id)
  if (end === 'ok') {
    // A planning stage notes the goal that it made.
    if (isNews)
      return plain(note)
        .split('\n')
        .flatMap(line => (note === '' ? [] : fit.wrap(`${INDENT}${line}`)))
    return outcomeLines(event, stageOf?.(event.stage), Boolean(list?.()), style, fit)
  }
  if (end === 'unusable') return warn(style, `${who} is left out until you resume the run`, fit)
  const isLimited = end === 'limited' && until !== undefined
  return warn(style, isLimited ? `${who} is limited until ${clock(until)}` : `${end}: ${note}`, fit)
}

const warn = ({ colors, marks }: Style, note: string, fit: Fit): string[] =>
  fit.wrap(`${INDENT}${marks.warn} ${plainLine(note)}`, colors.yellow, 5)

/** Checks that run under the heading of their iteration need none of their own. */
function titleOfChecks(run: ShownRun, id: StepId | null): string | null {
  if (id === null) return run.isBaseline ? null : 'before the first iteration'
  if (!run.isResumed || run.linesOfStep.has(id)) return null
  linesOf(run, id)
  return 'the checks of the iteration that was stopped'
}

function listLines({ list, style }: RunLinesOptions, fit: Fit): string[] {
  const tasks = list?.()
  if (!tasks || tasks.items.length === 0) return []
  const inner = narrowed(fit, INDENT.length)
  const lines = taskListLines(tasks.items, style, inner, { ...tasks, most: MOST_TASKS })
  return lines.map(line => INDENT + line)
}

function summaryLines({ list, summary, style }: RunLinesOptions, { room }: Fit): string[] {
  const tasks = list?.()
  if (!tasks || tasks.items.length === 0) return []
  const lines = [...taskSummary(tasks.items, tasks.blocked), ...(summary?.(style) ?? [])]
  return ['', ...(room === null ? lines : lines.flatMap(line => wrapStyled(line, room)))]
}

const withoutAnswer = (event: AgentEvent): AgentEvent =>
  event.type === 'text' ? { ...event, text: besideAnswer(event.text) } : event

const commitText = (event: Extract<RunEvent, { type: 'committed' | 'merged' }>): string =>
  `${event.type} ${plainLine(event.to).slice(0, 10)}${'by' in event && event.by === 'agent' ? ' (by the agent)' : ''}`

const instructionOf = ({ task, text }: Extract<RunEvent, { type: 'instructed' }>): string =>
  `${task === undefined ? '' : ` for ${plainLine(task)}`}: ${plainLine(text)}`

/**
 * What begins every line about a step where several tasks are worked on at once. Empty for other events. `flight`: steps that
 * began before anybody looked.
 */
function taskLabels(flight: () => RunState['flight']): (event: RunEvent) => string {
  const taskOf = new Map<StepId, string>()
  return event => {
    if (!('id' in event) || typeof event.id !== 'number') return ''
    const begun = event.type === 'started' ? event.task : flight()[event.id]?.task
    if (begun !== undefined) taskOf.set(event.id, plainLine(begun))
    const task = taskOf.get(event.id)
    return task === undefined ? '' : `${task} │ `
  }
}
