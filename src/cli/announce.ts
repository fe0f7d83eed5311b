import { readFileSync } from 'node:fs'
import type { RunEvent } from '../core/events.ts'
import { plural, spellDuration } from '../core/spell.ts'
import type { Limits } from '../core/workflow.ts'
import { resolveFlags } from '../settings/load.ts'
import { fitTo } from '../view/fit.ts'
import { plain } from '../view/plain.ts'
import { redact } from './call.ts'
import { terminalStyle } from './console.ts'
import { agentOf, askOf, commandGuardrails, limitsOf, type Plan } from './plan.ts'

/** Said once, before the first iteration: what runs, on what, until when, and what protects nothing. */
export function announce(id: string, plan: Plan, limits: Limits, env: NodeJS.ProcessEnv): void {
  const { colors } = terminalStyle(process.stdout, env, plan.settings.output)
  const rows = [...facts(plan, limits), ['session', `.ralph/sessions/${id}`]]
  process.stdout.write(`${colors.bold(`ralph run ${id}`)}\n${table(rows, colors.dim)}\n`)
}

/** What would run, and nothing else: no file is written, no process started. */
export function dryRun(plan: Plan, env: NodeJS.ProcessEnv): number {
  const { colors } = terminalStyle(process.stdout, env, plan.settings.output)
  const { argv } = agentOf(plan).command({ ...askOf(plan), prompt: '' }, { version: null, flags: null })
  const rows = [...facts(plan, limitsOf(plan.settings)), ['command', redact(argv).join(' ')]]
  process.stdout.write(
    `${colors.bold('ralph would run')}\n${table(rows, colors.dim)}\n\n${colors.dim('prompt')}\n`,
  )
  const text = plan.prompt.type === 'text' ? plan.prompt.text : readFileSync(plan.prompt.path, 'utf8')
  process.stdout.write(`${plain(text).trimEnd()}\n`)
  return 0
}

function facts(plan: Plan, limits: Limits): string[][] {
  const { settings, condition, prompt } = plan
  const until = [
    condition.response && `<response>${condition.response}</response>`,
    condition.pattern && `/${condition.pattern}/`,
  ].filter(Boolean)
  const checks = commandGuardrails(settings).map(g => g.command)
  return [
    ['agent', [agentOf(plan).name, plan.agent.model].filter(Boolean).join(' · ')],
    ['prompt', plain(prompt.type === 'file' ? prompt.path : firstLine(prompt.text))],
    ['checks', checks.length > 0 ? plain(checks.join(' · ')) : 'none: whatever comes of it is only claimed'],
    ['limit', limits.iterations === null ? 'none' : plural(limits.iterations, 'iteration')],
    ['until', until.length > 0 ? plain(until.join(' or ')) : 'the limit'],
  ]
}

/** What people should know before the first iteration. */
export function warningsOf(plan: Plan): string[] {
  const { start } = plan
  const name = agentOf(plan).name
  const notes = []
  if (name !== 'demo')
    notes.push(
      `unprotected: ${name} may read, change and run whatever you can, without asking; there is no sandbox`,
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
export function verboseListener(plan: Plan, sources: string[]): (event: RunEvent) => void {
  const say = (text: string) => process.stderr.write(`[ralph] ${plain(text)}\n`)
  const { settings, condition } = plan
  for (const source of sources) say(`Loading settings from ${source}`)
  say(
    `Settings: ${JSON.stringify({ ...settings, agent: { ...settings.agent, flags: redact(resolveFlags(settings.agent.flags)) } })}`,
  )
  const { argv } = agentOf(plan).command({ ...askOf(plan), prompt: '' }, { version: null, flags: null })
  say(`Agent command: ${redact(argv).join(' ')}`)
  return event => {
    if (event.type === 'started') say(`Iteration ${event.n}/${settings.maximumIterations} starting`)
    else if (event.type === 'prompted') say(`Prompt: ${event.text.slice(0, 200)}`)
    else if (event.type === 'ended')
      say(`Agent exited with ${event.exit.signal ?? `code ${event.exit.code}`} (${spellDuration(event.ms)})`)
    else if (event.type === 'checking') say(`Running guardrail: ${event.check}`)
    else if (event.type === 'checked')
      say(
        `Guardrail exited with ${event.exit?.signal ?? `code ${event.exit?.code}`} (${spellDuration(event.ms)})`,
      )
    else if (event.type === 'settled' && event.end === 'ok' && event.move !== 'fail')
      say(
        `Completion (${condition.response ?? condition.pattern ?? 'no condition'}): ${event.move === 'pass' ? 'matched' : 'not matched'}`,
      )
  }
}

function table(rows: string[][], dim: (text: string) => string): string {
  const width = Math.max(...rows.map(([name]) => name!.length))
  const indent = `\n${' '.repeat(width + 4)}`
  const fit = fitTo(process.stdout.isTTY ? (process.stdout.columns || 80) - width - 4 : null)
  return rows
    .map(([name, value]) => `  ${dim(name!.padEnd(width))}  ${fit.wrap(value!).join(indent)}`)
    .join('\n')
}

const firstLine = (text: string) => {
  const line = text.trim().split('\n', 1)[0]!
  return line.length > 100 ? `${line.slice(0, 99)}…` : line
}
