import type { Finding } from '../../../core/events.ts'
import { onOneLine } from '../../../core/format.ts'
import type { Work } from '../../../core/ports.ts'
import type { RunState, TaskState } from '../../../core/table.ts'
import type { Task, TaskId } from '../../../core/task.ts'
import { doubtNotes, HALF_EDITED, instructionsFor } from '../../shared/prompt-parts.ts'
import { detailOf } from './planned.ts'

/** What the prompt of an iteration contains in addition to the task and its state. */
export type TaskPromptOptions = {
  /** The folder with the list and the log, relative to the agent's cwd. */
  session: string
  /** The goal in words, or the file that holds the specification. */
  goal: { text: string } | { file: string }
  /** The task that a bug fix was made for. */
  parent: Task | null
  /** Commands that ralph runs after the agent. */
  checks: readonly string[]
  count: string | null
}

/**
 * The prompt of one iteration of a build. Notes with the action PREPEND come first, all others after the task. None
 * replaces the task: an agent that does not know its task cannot work on it.
 */
export function taskPrompt(
  { task, state, step }: Pick<Work, 'task' | 'state'> & { step?: Pick<Work['step'], 'workspace'> },
  options: TaskPromptOptions,
): string {
  const { parent } = options
  const current = stateOf(state, task.id)
  // On its first try a bug fix has no failures yet, so it gets those of its parent.
  const own = current?.lastRed ?? []
  const lastRed = own.length === 0 && parent ? (stateOf(state, parent.id)?.lastRed ?? []) : own
  const afterTask = lastRed.filter(finding => finding.action !== 'PREPEND')
  return [
    options.count,
    current?.interrupted ? HALF_EDITED : null,
    ...lastRed.filter(finding => finding.action === 'PREPEND').map(noteOf),
    aboutGoal(options),
    aboutTask(task, options),
    upToSpeed(options.session),
    rules(task, options),
    afterTask.length > 0 ? [failedTitle(current?.bugs ?? 0), ...afterTask.map(noteOf)].join('\n\n') : null,
    ...doubtNotes(state, step?.workspace),
    ...instructionsFor(state, task.id).map(text => `Instruction from the user: ${text}`),
  ]
    .filter(part => part !== null)
    .join('\n\n')
}

const stateOf = (state: RunState, id: TaskId): TaskState | undefined =>
  Object.hasOwn(state.taskStates, id) ? state.taskStates[id] : undefined

/** A note already names its check, unless it is a claim of the agent. */
const noteOf = ({ check, note, claim }: Finding): string => (claim ? `${check}: ${note}` : note)

const aboutGoal = ({ goal }: TaskPromptOptions): string =>
  'file' in goal
    ? `You work on one task of a larger plan. The specification is in ${goal.file}.`
    : `You work on one task of a larger plan. Its goal:\n\n<goal>\n${goal.text}\n</goal>`

function aboutTask(task: Task, { parent }: TaskPromptOptions): string {
  const { description, acceptanceCriteria } = detailOf(task)
  const lines = [`# Your task: ${onOneLine(task.title)} (${task.id})`]
  if (parent)
    lines.push(
      `This is a bug fix. ${parent.id} (${onOneLine(parent.title)}) was worked on and its checks failed; it waits for you. ` +
        'Find the cause and fix it there, so that the checks pass. Do not weaken or skip a check.',
    )
  if (description) lines.push(description)
  if (acceptanceCriteria)
    lines.push(`Acceptance criteria:\n${acceptanceCriteria.map(line => `- ${line}`).join('\n')}`)
  if (parent) lines.push(...parentDetail(parent))
  return lines.join('\n\n')
}

function parentDetail(parent: Task): string[] {
  const { description, acceptanceCriteria = [] } = detailOf(parent)
  const lines = [...(description ? [description] : []), ...acceptanceCriteria.map(line => `- ${line}`)]
  return lines.length > 0 ? [`What ${parent.id} asks for:\n${lines.join('\n')}`] : []
}

const upToSpeed = (session: string): string => `# Getting up to speed

You start with a fresh context. Before you edit anything:
1. Read \`${session}/tasks.json\`: all tasks, their status, and what blocks them.
2. Read the end of \`${session}/progress.txt\`: what was done before, and what went wrong.
3. Run \`git log --oneline -10\`: the latest commits.`

const rules = ({ id }: Task, { session, checks }: TaskPromptOptions): string => `# Rules

- Work only on ${id}, and finish it completely. Do not work on other tasks.
- You do not decide whether it is done: when you end, ralph ${
  checks.length > 0
    ? `runs ${checks.map(check => `\`${check}\``).join(', ')} itself, and ${id} is completed if all of it passes. Run it first.`
    : `completes ${id} unless you say that it failed. Test your work first.`
}
- Ralph keeps \`${session}/tasks.json\`. You may add tasks there that turn out to be needed, and reorder it; what you
  write about completion, rewrite or remove is put back. Leave \`${session}/progress.txt\` alone.
- Nobody answers while you work. Decide what you can decide, and say in your last message what you decided.
- End with a few sentences on what you did and what the next one should know: they go into progress.txt.
- If you could not do it, say why in your last message: <failed>the reason in one line</failed>
- If only a person can help (a decision, access, a secret), ask in your last message: <blocked>your question</blocked>`

const failedTitle = (bugs: number): string =>
  bugs > 0
    ? '# What failed before\n\nA bug fix was made since; check whether this still fails.'
    : '# What failed before'
