import type { Finding, RunEvent, TodoItem } from '../core/events.ts'
import { formatDuration } from '../core/format.ts'
import type { StageName, StepId } from '../core/table.ts'
import { agentLines } from './agent-lines.ts'
import type { Bounds } from './excerpt.ts'
import { type Fit, fitTo, narrowed } from './fit.ts'
import { plainLine } from './plain.ts'
import type { Style } from './style.ts'
import { taskListLines, taskSummary } from './task-list.ts'
import { widthOf } from './width.ts'

/** What the console shows beyond the events themselves. */
export type Shown = {
  style: Style
  bounds: Bounds
  streamAgent: boolean
  limit: number | null
  /** How a time of the day is told. */
  clock: (at: number) => string
  /** What stands before every line; null: nothing does. */
  stamp?: ((at: number) => string) | null
  /** The width of the terminal now; null: no terminal, and nothing is cut or wrapped. */
  columns?: () => number | null
  /** Whether a live status tells of what is under way; then no line does. */
  live?: boolean
  /** A build's list as it stands now; null: there is none. */
  list?: () => TaskList | null
  /** What the workflow adds at the end, in lines. */
  summary?: (style: Style) => string[]
  /** What is done at a stage, in words; undefined: simply the work. */
  titleOf?: (stage: StageName) => string | undefined
  /** What ends a wait, in words; null: nothing that could be pressed. */
  key?: string | null
  /** The run's end in lines, once it is there; absent: nothing is said of it. */
  ending?: (style: Style, fit: Fit) => string[]
}

export type TaskList = { items: readonly TodoItem[]; held: ReadonlyMap<string, string> }

/** More lines than this of a list would push what happened off the screen. */
const MOST_TASKS = 14

const INDENT = '  '

/** A check's name with less room than this gets a row of its own. */
const LEAST_NAME = 16

/** Turns a run's events into lines for people: a pure fold, so a live run and a finished one look the same. */
export function runLines(shown: Shown): (event: RunEvent) => string[] {
  const { style, bounds, streamAgent, limit, clock, live = false } = shown
  const {
    stamp = null,
    columns = () => null,
    list = () => null,
    summary = () => [],
    titleOf = () => undefined,
    ending = () => [],
    key = null,
  } = shown
  const { colors, marks } = style
  let agent = agentLines(style, bounds)
  let looking = false
  /** Who worked so far; as long as it is always the same one, it need not be told. */
  const agents = new Set<string>()
  const stepAgents = new Map<StepId, string>()

  function started(event: Extract<RunEvent, { type: 'started' }>): string[] {
    agent = agentLines(style, bounds, event.at)
    if (event.agent !== null) {
      agents.add(event.agent)
      stepAgents.set(event.id, event.agent)
    }
    const who = agents.size > 1 && event.agent !== null ? ` · ${plainLine(event.agent)}` : ''
    const title = titleOf(event.stage)
    const what = title === undefined ? '' : ` · ${title}`
    return ['', colors.bold(`iteration ${event.n}${limit === null ? '' : ` of ${limit}`}${what}${who}`)]
  }

  /** Where the agent was turned away, its own lines have told why. */
  function settled({ id, end, note, patch }: Extract<RunEvent, { type: 'settled' }>, fit: Fit): string[] {
    const who = stepAgents.get(id) ?? ''
    const until = patch.until?.[who]
    stepAgents.delete(id)
    if (end === 'ok') return []
    if (end === 'unusable') return warn(`${who} cannot be used: ralph goes on without it`, fit)
    const isLimited = end === 'limited' && until !== undefined
    return warn(isLimited ? `${who} is limited until ${clock(until)}` : `${end}: ${note}`, fit)
  }

  const warn = (note: string, fit: Fit) =>
    fit.wrap(`${INDENT}${marks.warn} ${plainLine(note)}`, colors.yellow, 5)

  function checked({ id, finding, ms }: Extract<RunEvent, { type: 'checked' }>, fit: Fit): string[] {
    const green = finding.verdict === 'pass'
    const time = formatDuration(ms)
    const mark = `${INDENT}${green ? colors.green(marks.pass) : colors.red(marks.fail)} `
    const name = plainLine(finding.check)
    if (green) return [fit.squeeze(mark, name, ` ${colors.dim(time)}`)]
    const reason = reasonOf(finding)
    const action = finding.action && id !== null ? ` → ${finding.action}` : ''
    const news = `${reason} ${colors.dim(time)}${action}`
    const log = finding.log ? [colors.dim(`    ${plainLine(finding.log, 1000)}`)] : []
    const isTight = fit.room !== null && widthOf(mark + news) > fit.room - LEAST_NAME
    if (isTight) return [fit.cut(mark + name), ...fit.wrap(`    ${reason} ${time}${action}`), ...log]
    return [fit.squeeze(mark, name, ` ${news}`), ...log]
  }

  function listed(fit: Fit): string[] {
    const tasks = list()
    if (!tasks || tasks.items.length === 0) return []
    const inner = narrowed(fit, INDENT.length)
    const lines = taskListLines(tasks.items, style, inner, { most: MOST_TASKS, held: tasks.held })
    return lines.map(line => INDENT + line)
  }

  function summed(): string[] {
    const tasks = list()
    if (!tasks || tasks.items.length === 0) return []
    return ['', ...taskSummary(tasks.items, tasks.held), ...summary(style)]
  }

  function show(event: RunEvent, fit: Fit): string[] {
    switch (event.type) {
      case 'baseline':
        return event.findings.some(f => f.verdict !== 'pass')
          ? fit.wrap('  red before the run; green is needed all the same', colors.dim)
          : []
      case 'started':
        return started(event)
      case 'agent': {
        const { type } = event.event
        if (!streamAgent && type === 'text') return []
        const lines = agent(event.event, event.at, narrowed(fit, INDENT.length))
        return streamAgent || type === 'ended' || type === 'limited'
          ? lines.map(l => (l === '' ? '' : INDENT + l))
          : []
      }
      case 'ended':
        if (event.how === 'inactive') return warn('silent for too long, ended', fit)
        return event.how === 'timeout' ? warn('out of time, ended', fit) : []
      case 'checking': {
        const first = event.id === null && !looking
        looking = event.id === null
        const line = live ? [] : [fit.cut(colors.dim(`  … ${plainLine(event.check)}`))]
        return first ? ['', colors.bold('before the first iteration'), ...line] : line
      }
      case 'checked':
        return checked(event, fit)
      case 'settled':
        return settled(event, fit)
      case 'committed': {
        const by = event.by === 'agent' ? ' (by the agent)' : ''
        return [colors.dim(`  committed ${plainLine(event.to).slice(0, 10)}${by}`)]
      }
      case 'waiting': {
        const words = `  waiting until ${clock(event.until)} (${plainLine(event.why)})${key === null ? '' : `; ${key}`}`
        return live ? [] : fit.wrap(words, colors.yellow, 4)
      }
      case 'prompted':
        return listed(fit)
      case 'finished':
      case 'stopped':
        return [...summed(), ...ending(style, fit)]
      case 'told':
        return [fit.cut(colors.dim(`  told: ${plainLine(event.text)}`))]
      case 'control':
        return event.hold === 'pause' ? fit.wrap('  paused; goes on with: ralph resume', colors.yellow) : []
      case 'began':
      case 'resumed':
      case 'warned':
      case 'committing':
      case 'spawned':
      case 'applied':
      case 'edited':
      case 'asking':
      case 'changed':
      case 'undone':
        return []
      default:
        return event satisfies never
    }
  }

  return event => {
    if (stamp === null) return show(event, fitTo(columns()))
    const prefix = `${stamp(event.at)} `
    const lines = show(event, narrowed(fitTo(columns()), prefix.length))
    return lines.map(line => (line.trim() === '' ? '' : colors.dim(prefix) + line))
  }
}

/** Why a check is red, without repeating its name. */
const reasonOf = (finding: Finding) =>
  plainLine(finding.note.split('\n', 1)[0]!.replace(`Guardrail "${finding.check}" `, '').replace(/\.$/, ''))
