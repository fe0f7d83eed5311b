import type { RunEvent } from '../core/events.ts'
import { formatDuration, plural } from '../core/format.ts'
import type { Limits } from '../core/table.ts'
import { visible, visibleText } from '../core/visible.ts'
import { resolveFlags } from '../settings/load.ts'
import { terminalStyle } from '../terminal/console.ts'
import { fitTo } from '../view/fit.ts'
import { agentOf, commandGuardrails, type Plan } from '../workflows/spec.ts'
import { estimate } from '../workflows/stories/rules/analytics.ts'
import { crewOf, fallbacksOf, isInstalled } from './agents.ts'
import { redact } from './call.ts'

const COMMANDS: Record<Plan['workflow'], string> = { prompt: 'run', tasks: 'build', stories: 'stories' }

/** Said once, before the first iteration: what runs, on what, until when, and what protects nothing. */
export function announce(id: string, plan: Plan, limits: Limits, env: NodeJS.ProcessEnv): void {
  const { colors } = terminalStyle(process.stdout, env, plan.settings.output)
  const rows = [...facts(plan, limits), ['session', `.ralph/sessions/${id}`]]
  process.stdout.write(
    `${colors.bold(`ralph ${COMMANDS[plan.workflow]} ${id}`)}\n${table(rows, colors.dim)}\n`,
  )
}

/** What runs, on what and until when, as rows. */
export function facts(plan: Plan, limits: Limits): string[][] {
  const { settings } = plan
  const checks = commandGuardrails(settings).map(g => g.command)
  return [
    ['agent', [agentOf(plan).name, plan.agent.model].filter(Boolean).join(' · ')],
    ...fallbackRow(plan),
    subject(plan),
    ...estimateRow(plan, limits),
    ['checks', checks.length > 0 ? checks.join(' · ') : 'none: whatever comes of it is only claimed'],
    ['limit', limits.iterations === null ? 'none' : plural(limits.iterations, 'iteration')],
    ['until', until(plan)],
  ]
}

export function subject(plan: Plan): [string, string] {
  switch (plan.workflow) {
    case 'prompt': {
      const { prompt } = plan
      return ['prompt', prompt.type === 'file' ? prompt.path : firstLine(prompt.text)]
    }
    case 'tasks': {
      const { goal } = plan
      return [goal.type, goal.type === 'goal' ? firstLine(goal.text) : goal.path]
    }
    case 'stories':
      return [
        'stories',
        `${plan.dir}/tasks.json: ${plural(plan.file.userStories.length, 'story', 'stories')}`,
      ]
    default:
      return plan satisfies never
  }
}

/** What a story loop may take, as its stories stood when it began. */
const estimateRow = (plan: Plan, { iterations }: Limits): string[][] =>
  plan.workflow === 'stories' ? [['estimate', estimate(plan.file, plan.review, iterations).text]] : []

const conditionOf = (plan: Plan): string =>
  plan.workflow === 'prompt'
    ? (plan.condition.response ?? plan.condition.pattern ?? 'no condition')
    : 'the list'

export function until(plan: Plan): string {
  if (plan.workflow === 'stories') return plan.review.skip ? 'every story passes' : 'every story is approved'
  if (plan.workflow === 'tasks') return plan.planOnly ? 'the list is made' : 'every task is completed'
  const { response, pattern } = plan.condition
  const words = [response && `<response>${response}</response>`, pattern && `/${pattern}/`].filter(Boolean)
  return words.length > 0 ? words.join(' or ') : 'the limit'
}

/** The agents that stand in, in their order; no row where there are none. */
function fallbackRow(plan: Plan): string[][] {
  const names = fallbacksOf(plan).map(({ command, model }) => [command, model].filter(Boolean).join(' · '))
  return names.length === 0 ? [] : [['fallback', names.join(', ')]]
}

/** What each agent is called with, the main one first. */
export const commandsOf = (plan: Plan, env: NodeJS.ProcessEnv): string[][] =>
  crewOf(plan, env.PATH ?? '').map(({ agent, ask }) =>
    redact(agent.command({ ...ask, prompt: '' }, { version: null, flags: null }).argv),
  )

/** What people should know before the first iteration. */
export function warningsOf(plan: Plan, env: NodeJS.ProcessEnv): string[] {
  const { start } = plan
  const path = env.PATH ?? ''
  const names = [...new Set(crewOf(plan, path).map(({ agent }) => agent.name))].filter(n => n !== 'demo')
  const notes = fallbacksOf(plan)
    .filter(({ command }) => !isInstalled(command, path))
    .map(({ command }) => `fallback agent "${command}" is not on PATH; it is left out`)
  if (names.length > 0)
    notes.push(
      `unprotected: ${names.join(' and ')} may read, change and run whatever you can, without asking; there is no sandbox`,
    )
  if (!start)
    notes.push('not a git repository: nothing tells what changed, so a loop that is stuck goes unnoticed')
  const dirty = Object.keys(start?.dirty ?? {}).length
  if (dirty > 0)
    notes.push(
      `${plural(dirty, 'uncommitted change')} in the working tree: ralph will not commit what is yours, but the agent may`,
    )
  return notes
}

/** `[ralph] …` lines on standard error: what is loaded, called and tested, and how long it took. */
export function verboseListener(
  plan: Plan,
  limits: Limits,
  sources: string[],
  env: NodeJS.ProcessEnv,
): (event: RunEvent) => void {
  const say = (text: string) => process.stderr.write(`[ralph] ${visibleText(text)}\n`)
  const { settings } = plan
  for (const source of sources) say(`Loading settings from ${source}`)
  const hide = <T extends { flags: string[] }>(agent: T): T => ({
    ...agent,
    flags: redact(resolveFlags(agent.flags)),
  })
  say(
    `Settings: ${JSON.stringify({ ...settings, agent: hide(settings.agent), fallbackAgents: settings.fallbackAgents.map(hide) })}`,
  )
  for (const [place, command] of commandsOf(plan, env).entries())
    say(`${place === 0 ? 'Agent command' : 'Fallback command'}: ${command.join(' ')}`)
  return event => {
    if (event.type === 'started')
      say(`Iteration ${event.n}${limits.iterations === null ? '' : `/${limits.iterations}`} starting`)
    else if (event.type === 'prompted') say(`Prompt: ${event.text.slice(0, 200)}`)
    else if (event.type === 'ended')
      say(`Agent exited with ${event.exit.signal ?? `code ${event.exit.code}`} (${formatDuration(event.ms)})`)
    else if (event.type === 'checking') say(`Running guardrail: ${event.check}`)
    else if (event.type === 'checked')
      say(
        `Guardrail exited with ${event.exit?.signal ?? `code ${event.exit?.code}`} (${formatDuration(event.ms)})`,
      )
    else if (event.type === 'settled' && event.end === 'ok' && event.move !== 'fail')
      say(`Completion (${conditionOf(plan)}): ${event.move === 'pass' ? 'matched' : 'not matched'}`)
  }
}

/** Names and what stands for them, with every character of it. */
export function table(rows: string[][], dim: (text: string) => string): string {
  const width = Math.max(...rows.map(([name]) => name!.length))
  const indent = `\n${' '.repeat(width + 4)}`
  const fit = fitTo(process.stdout.isTTY ? (process.stdout.columns || 80) - width - 4 : null)
  return rows
    .map(([name, value]) => `  ${dim(name!.padEnd(width))}  ${fit.wrap(visible(value!)).join(indent)}`)
    .join('\n')
}

const firstLine = (text: string) => {
  const line = text.replace(/^[ \t\r\n]+/, '').split('\n', 1)[0]!
  return line.length > 100 ? `${line.slice(0, 99)}…` : line.replace(/[ \t\r]+$/, '')
}
