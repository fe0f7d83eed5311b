import type { RunEvent } from '../../core/events.ts'
import { shellWord } from '../../core/format.ts'
import { isCancelled, isGivenUp } from '../../core/reopen.ts'
import type { RunState } from '../../core/table.ts'
import type { Task, TaskId } from '../../core/task.ts'
import { formatEnding, limitedAt, type Phase, resumeCommand } from '../report/ending.ts'
import { formatCause } from '../report/format.ts'
import type { Receipt, WorkflowTraits } from '../report/receipt.ts'
import type { Spent } from '../report/spent.ts'
import { asCheck, plainLine } from '../text/plain.ts'
import { clockTime } from '../time.ts'
import { NEEDS, type Need, type NeedKind, type NeedyRun, type RunName } from './model.ts'

export type NeedsOptions = {
  about: RunName
  events: readonly RunEvent[]
  tasks: readonly Task[]
  state: RunState
  receipt: Pick<Receipt, 'ending' | 'undone' | 'iterations'> & { totals: Pick<Spent, 'usd' | 'tokens'> }
  traits: WorkflowTraits
  phase: Phase
  /** It ended where it was asked to. */
  isAsAsked: boolean
  now: number
}

/** What a person can do for a run. Null if there is nothing. */
export function needsOf(options: NeedsOptions): NeedyRun | null {
  const { about, receipt, isAsAsked } = options
  const { ending, undone } = receipt
  const isOver =
    ending.type === 'finished' && (ending.result === 'complete' || ending.result === 'cancelled' || isAsAsked)
  if (isOver || undone !== null) return null
  const ofTasks = taskNeeds(options)
  const needs = [...ofTasks, ...hostNeeds(options), ...runNeeds(options, ofTasks.length > 0)]
  if (needs.length === 0) return null
  needs.sort((a, b) => urgency(a.kind) - urgency(b.kind))
  return { ...about, needs, resume: resumeOf(options) }
}

export const urgency = (kind: NeedKind): number => NEEDS.indexOf(kind)

/** Tasks that wait for a person: with a question, for a decision, or because nothing helped. */
function taskNeeds({ about, events, tasks, state, traits }: NeedsOptions): Need[] {
  const asked = askedIn(events)
  return tasks.flatMap(({ id, title }): Need[] => {
    const current = state.taskStates[id]
    if (current?.stage !== 'blocked' || isCancelled(current)) return []
    const { why } = current
    if (!traits.listed)
      return [
        { kind: 'blocked', task: null, title: '', why, commands: [`ralph tell ${about.name} "what to do"`] },
      ]
    if (asked.has(id)) return [{ kind: 'question', task: id, title, why, commands: [tell('your answer')] }]
    const decide = traits.decideCommands?.(about.name, id)
    if (decide) return [{ kind: 'decision', task: id, title, why, commands: decide }]
    return [{ kind: 'blocked', task: id, title, why, commands: [tell('what to do')] }]

    function tell(what: string): string {
      return `ralph tell ${about.name} ${taskWord(tasks, id)} "${what}"`
    }
  })
}

/** How to name a task in a command. A shell takes `#1` for a comment, and ralph finds it without the mark. */
function taskWord(tasks: readonly Task[], id: TaskId): string {
  const bare = id.replace(/^#/, '')
  const isFree = bare !== '' && !tasks.some(task => task.id === bare)
  return shellWord(plainLine(isFree ? bare : id))
}

/** The tasks whose last iteration ended with a question. */
function askedIn(events: readonly RunEvent[]): Set<TaskId> {
  const asked = new Set<TaskId>()
  for (const event of events)
    if (event.type === 'settled') {
      if (event.move === 'ask') asked.add(event.task)
      else asked.delete(event.task)
    }
  return asked
}

/** Hosts that the sandbox refused. If it gives a reason, such as an address that is never reached, allowing does not help. */
function hostNeeds({ about, events }: NeedsOptions): Need[] {
  const denied = new Map<string, string | null>()
  for (const event of events)
    if (event.type === 'denied') denied.set(event.host, event.why ?? null)
    else if (event.type === 'allowed') denied.delete(event.host)
  return [...denied].map(([host, why]) => ({
    kind: 'host',
    task: null,
    title: '',
    why: `the sandbox refused ${host}${why === null ? '' : `: ${why}`}`,
    commands: why === null ? [`ralph sandbox allow ${about.name} ${shellWord(plainLine(host))}`] : [],
  }))
}

/** `isSaid`: tasks that are blocked say already why the run ended. */
function runNeeds({ receipt, state, tasks, phase, now }: NeedsOptions, isSaid: boolean): Need[] {
  const one = (kind: NeedKind, why: string): Need[] => [{ kind, task: null, title: '', why, commands: [] }]
  const { ending } = receipt
  if (phase === 'running') return []
  if (phase === 'paused') return one('paused', 'it is paused')
  if (phase === 'waiting') {
    const waits = Object.entries(limitedAt(state, now))
    if (waits.length === 0) return []
    const until = waits.map(([agent, at]) => `${agent} until ${clockTime(at, now)}`)
    return one('limit', `it waits for a limit: ${until.join(', ')}; to try now:`)
  }
  const said = [formatEnding(ending).text, formatCause(receipt)].filter(Boolean).join(' · last: ')
  if (ending.type === 'open') return one('crashed', 'it was cut off: its process died')
  if (ending.type === 'stopped') return one('stopped', said)
  switch (ending.result) {
    case 'blocked':
      return isSaid || isGivenUp(state, tasks) ? [] : one('blocked', asCheck(said))
    case 'limited':
      return one('limit', said)
    case 'exhausted':
    case 'budget':
      return one('unfinished', said)
    default:
      return one('failed', said)
  }
}

/** Of a run that is at work, only one that is paused or waits is asked to go on. */
function resumeOf({ about, events, state, tasks, receipt, phase }: NeedsOptions): string | null {
  if (phase === 'waiting') return `ralph resume ${about.name}`
  const command = resumeCommand(events, {}, receipt.ending, receipt.totals, { state, tasks })
  return command?.replace(about.run, about.name) ?? null
}
