import type { Finding, RunEvent, Settled } from '../../../core/events.ts'
import { evolveList } from '../../../core/evolve.ts'
import { onOneLine, plural } from '../../../core/format.ts'
import { isUncounted } from '../../../core/outcome.ts'
import type { StepId } from '../../../core/table.ts'
import type { Task, TaskId } from '../../../core/task.ts'
import { SKIPPED } from '../../shared/list-edit.ts'
import { PLAN } from './check-list.ts'
import type { Wishes } from './decompose.ts'
import { detailOf, isPlanning } from './planned.ts'

/** Limits for quotes of agents and failing checks: every iteration reads the whole log. */
const MOST_LINES = 12
const MOST_CHARS = 1500

/** Events that have no entry. */
type Silent =
  | ('baseline' | 'spawned' | 'committing' | 'applied' | 'opening' | 'opened' | 'merging' | 'rebased')
  | ('landing' | 'closed' | 'control' | 'limits' | 'warned' | 'denied' | 'refused' | 'allowed' | 'doubted')
  | ('prompted' | 'agent' | 'checking' | 'checked' | 'waiting' | 'asked' | 'asking' | 'changed' | 'undone')

/**
 * progress.txt as a fold over a run's events: each event gives the text to append, mostly ''. The same event gives the
 * same text, including the time, so that an append that is repeated after a crash can be recognized.
 */
export function progressNotes(goal: string): (event: RunEvent) => string {
  let tasks: readonly Task[] = []
  const steps = new Map<StepId, { n: number; finalText: string }>()
  const numbers = new Map<StepId, number>()
  /** The step of the last entry in the log. */
  let lastLogged: StepId | null = null

  return event => {
    const text = entryOf(event)
    if (text !== '') lastLogged = event.type === 'settled' || event.type === 'committed' ? event.id : null
    return text
  }

  function entryOf(event: RunEvent): string {
    const before = tasks
    tasks = evolveList(tasks, event)
    switch (event.type) {
      case 'began':
        return `# Progress of ${event.id}\n\nGoal: ${indent(goal)}\nStarted: ${isoTime(event.at)}\n${planEntry(listed(tasks))}`
      case 'started':
        steps.set(event.id, { n: event.n, finalText: '' })
        numbers.set(event.id, event.n)
        return ''
      case 'ended': {
        const step = steps.get(event.id)
        if (step) step.finalText = event.result.text
        return ''
      }
      case 'settled': {
        const step = steps.get(event.id)
        steps.delete(event.id)
        // The next step has the same number and writes the entry.
        if (isUncounted(event)) return ''
        if (event.stage === 'refine' && event.move === 'pass')
          return event.note.trim() === goal.trim()
            ? ''
            : `\n## Goal, refined (${isoTime(event.at)})\n${indent(event.note)}\n`
        if (isPlanning(event.stage) && event.move === 'pass') return planEntry(event.add)
        // If a person wants another plan, that is not a failure: its note has an entry of its own.
        if (isPlanning(event.stage) && event.findings.some(({ verdict }) => verdict === 'unsure')) return ''
        const task = before.find(({ id }) => id === event.task)
        return task ? iterationEntry(step?.n ?? 0, task, event, event.at, step?.finalText ?? '') : ''
      }
      case 'committed': {
        const by = event.by === 'agent' ? ' by the agent' : ''
        const title =
          lastLogged === event.id
            ? ''
            : `\n## Iteration ${numbers.get(event.id) ?? 0}, committed (${isoTime(event.at)})\n`
        return `${title}- Committed${by} as ${event.to.slice(0, 10)}\n`
      }
      case 'noted':
        return wishEntry(event)
      case 'merged':
        return `- Merged as ${event.to.slice(0, 10)}\n`
      case 'edited':
        return editEntry(event, before)
      case 'instructed':
        return `\n## User instruction (${isoTime(event.at)})\n${indent(event.text)}\n`
      case 'resumed':
        return `\n## Resumed (${isoTime(event.at)})\n`
      case 'stopped':
        return `\n## Stopped (${isoTime(event.at)})\n${indent(event.why)}\n`
      case 'finished':
        return `\n## End: ${event.result}${event.proof ? `, ${event.proof}` : ''} (${isoTime(event.at)})\n${indent(event.why)}\n`
      default:
        event.type satisfies Silent
        return ''
    }
  }
}

/** The tasks of a run that begins with a list, without the planning task. */
const listed = (tasks: readonly Task[]) => tasks.filter(({ first }) => !isPlanning(first))

function planEntry(tasks: readonly Task[]): string {
  if (tasks.length === 0) return ''
  const rows: string[] = []
  for (const task of tasks) {
    const waits = task.blockedBy.length > 0 ? ` › blocked by ${task.blockedBy.join(', ')}` : ''
    rows.push(`- ${task.id}: ${onOneLine(task.title)}${waits}`)
    for (const line of detailLines(task)) rows.push(`  ${line}`)
  }
  return `\n## Plan: ${plural(tasks.length, 'task')}\n${rows.join('\n')}\n`
}

function iterationEntry(n: number, task: Task, settled: Settled, at: number, finalText: string): string {
  const lines = [`## Iteration ${n} — ${task.id}: ${onOneLine(task.title)}`]
  if (task.parent !== undefined) lines.push(`Bug fix for ${task.parent}`)
  lines.push(...detailLines(task), '', 'Progress:', `- ${statusOf(settled)} (${isoTime(at)})`)
  if (settled.end !== 'ok') lines.push(`- Error: ${settled.end}: ${onOneLine(settled.note)}`)
  for (const finding of settled.findings) if (finding.verdict !== 'pass') lines.push(...errorLines(finding))
  for (const { id, title } of settled.add) lines.push(`- Bug fix added: ${id}: ${onOneLine(title)}`)
  if (settled.state.stage === 'blocked') lines.push(`- Blocked: ${onOneLine(settled.state.why)}`)
  const agentLines = quoted(finalText)
  if (agentLines.length > 0) lines.push('- The agent said:', ...agentLines)
  return `\n${lines.join('\n')}\n`
}

const statusOf = ({ state, findings }: Settled): string => {
  if (state.stage === 'done') return '✓ Status: completed'
  const red = findings.some(finding => finding.verdict === 'fail')
  return state.stage === 'blocked' || red ? '✗ Status: failing' : '◉ Status: in progress'
}

function errorLines({ check, note }: Finding): string[] {
  const [first = '', ...rest] = note.trim().split('\n')
  const named = first.includes(check) ? first : `${check}: ${first}`
  return [`- Error: ${onOneLine(named)}`, ...quoted(rest.join('\n'))]
}

function detailLines(task: Task): string[] {
  const { description, acceptanceCriteria } = detailOf(task)
  return [
    ...(description ? [`Description: ${onOneLine(description)}`] : []),
    ...(acceptanceCriteria
      ? ['Acceptance criteria:', ...acceptanceCriteria.map(line => `- ${onOneLine(line)}`)]
      : []),
  ]
}

/** What a person wants changed in the plan that they were shown. */
function wishEntry({ key, value, at }: Extract<RunEvent, { type: 'noted' }>): string {
  if (key !== 'wishes') return ''
  return `\n## Another plan wanted (${isoTime(at)})\n${indent((value as Wishes).words.at(-1) ?? '')}\n`
}

/** The entry for a changed list. Refused changes of agents are not edits, so they do not appear. */
function editEntry(event: Extract<RunEvent, { type: 'edited' }>, before: readonly Task[]): string {
  const titles = new Map<TaskId, string>(before.map(({ id, title }) => [id, title]))
  const { add = [], remove = [], change = {}, order } = event.list ?? {}
  const lines = [
    ...add.map(({ task }) => `- Added ${task.id}: ${onOneLine(task.title)}`),
    ...remove.map(id => `- Removed ${id}: ${onOneLine(titles.get(id) ?? '')}`),
    ...Object.keys(change).flatMap(id => (id === PLAN ? [] : `- Changed ${id}`)),
    ...(order ? ['- Reordered'] : []),
    ...Object.entries(event.state ?? {}).flatMap(([id, { stage, why }]) =>
      id === PLAN ? [] : `- ${id} is now ${why === SKIPPED ? 'skipped' : (STATUS_NAMES[stage] ?? 'open')}`,
    ),
  ]
  if (lines.length === 0) return ''
  const by = { agent: 'the agent', person: 'a person', ralph: 'ralph' }[event.by]
  return `\n## List changed by ${by} (${isoTime(event.at)})\n${lines.join('\n')}\n`
}

const STATUS_NAMES: Record<string, string> = { done: 'completed', blocked: 'blocked' }

/** A few lines of another author's text, each with a mark, so that none looks like an entry of the log. */
function quoted(text: string): string[] {
  const lines = text
    .trim()
    .slice(0, MOST_CHARS)
    .split(/\s*\n\s*/)
    .filter(line => line !== '')
  const shown = lines.slice(0, MOST_LINES).map(line => `  > ${line}`)
  return lines.length > MOST_LINES || text.trim().length > MOST_CHARS ? [...shown, '  > …'] : shown
}

/** The user's full text, indented so that no line looks like a heading. */
const indent = (text: string): string => text.trim().replace(/\r?\n/g, '\n  ')

const isoTime = (at: number): string => new Date(at).toISOString()
