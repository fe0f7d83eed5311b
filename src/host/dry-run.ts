import { join } from 'node:path'
import type { Limits } from '../core/table.ts'
import { visibleJson, visibleText } from '../core/visible.ts'
import { terminalStyle } from '../terminal/console.ts'
import { taskSummary } from '../view/task-list.ts'
import { composePrompt } from '../workflows/run/workflow.ts'
import { agentOf, commandGuardrails, type Plan } from '../workflows/spec.ts'
import { estimate } from '../workflows/stories/rules/analytics.ts'
import { storyTemplate } from '../workflows/stories/templates.ts'
import { fallbacksOf } from './agents.ts'
import { commandsOf, facts, subject, table, until } from './announce.ts'

/** What would run, and nothing else: no file is written, no process started. */
export function dryRun(plan: Plan, limits: Limits, env: NodeJS.ProcessEnv, json: boolean): number {
  process.stdout.write(
    json ? `${visibleJson(JSON.stringify(asObject(plan, limits, env)))}\n` : asText(plan, limits, env),
  )
  return 0
}

function asText(plan: Plan, limits: Limits, env: NodeJS.ProcessEnv): string {
  const { colors } = terminalStyle(process.stdout, env, plan.settings.output)
  const rows = [
    ...facts(plan, limits),
    ...commandsOf(plan, env).map((argv, place) => [place === 0 ? 'command' : 'fallback', argv.join(' ')]),
  ]
  const head = `${colors.bold('ralph would run')}\n${table(rows, colors.dim)}`
  return `${head}\n\n${colors.dim('prompt')}\n${visibleText(textOf(plan, limits)).trimEnd()}\n`
}

/** The same facts for programs. */
function asObject(plan: Plan, limits: Limits, env: NodeJS.ProcessEnv): Record<string, unknown> {
  const [type, name] = subject(plan)
  return {
    workflow: plan.workflow,
    project: plan.project,
    agent: agentOf(plan).name,
    model: plan.agent.model,
    fallbacks: fallbacksOf(plan).map(({ command, model }) => ({ agent: command, model })),
    subject: { type, name },
    ...(plan.workflow === 'stories' && {
      estimate: estimate(plan.file, plan.review, limits.iterations).text,
    }),
    checks: commandGuardrails(plan.settings).map(g => g.command),
    iterations: limits.iterations,
    until: until(plan),
    commands: commandsOf(plan, env),
    prompt: textOf(plan, limits),
  }
}

function textOf(plan: Plan, limits: Limits): string {
  if (plan.workflow === 'stories') return storyTemplate(join(plan.project, plan.dir))
  if (plan.workflow === 'tasks') return plan.list ? taskSummary(plan.list.items).join('\n') : plan.goal.text
  return composePrompt(plan, limits, 1, { carry: [], interrupted: false, told: [] })
}
