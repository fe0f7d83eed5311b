import type { RunEvent } from '../core/events.ts'
import { formatDuration } from '../core/format.ts'
import { redactAll, redactWords } from '../core/secrets.ts'
import type { Limits } from '../core/table.ts'
import { visibleText } from '../core/visible.ts'
import { resolveFlags } from '../settings/load.ts'
import type { RunSpec } from '../workflows/spec.ts'
import type { Workflow } from '../workflows/workflow.ts'
import { agentCommands } from './facts.ts'
import type { Listener } from './frontend.ts'

/** `[ralph] …` lines on standard error: what is loaded, called and tested, and how long it took. */
export function verboseLines(
  workflow: Workflow,
  spec: RunSpec,
  limits: Limits,
  sources: string[],
  env: NodeJS.ProcessEnv,
  write: (line: string) => void,
): Listener {
  const say = (text: string) => write(`[ralph] ${visibleText(text)}`)
  const { settings } = spec
  const condition = workflow.describe(spec, limits).condition ?? 'no condition'
  for (const source of sources) say(`Loading settings from ${source}`)
  const hide = <T extends { flags: string[] }>(agent: T): T => ({
    ...agent,
    flags: redactWords(resolveFlags(agent.flags)),
  })
  const hidden = { agent: hide(settings.agent), fallbackAgents: settings.fallbackAgents.map(hide) }
  say(`Settings: ${JSON.stringify(redactAll({ ...settings, ...hidden }))}`)
  for (const [place, command] of agentCommands(spec, env).entries())
    say(`${place === 0 ? 'Agent command' : 'Fallback command'}: ${command.join(' ')}`)
  return { onEvent }

  function onEvent(event: RunEvent): void {
    if (event.type === 'started')
      say(`Iteration ${event.n}${limits.iterations === null ? '' : `/${limits.iterations}`} starting`)
    else if (event.type === 'prompted') say(`Prompt: ${event.text.slice(0, 200)}`)
    else if (event.type === 'ended')
      say(`Agent exited with ${event.exit.signal ?? `code ${event.exit.code}`} (${formatDuration(event.ms)})`)
    else if (event.type === 'checking') say(`Running guardrail: ${event.check}`)
    // Checks of ralph's own run no command, and have no exit.
    else if (event.type === 'checked' && event.exit)
      say(
        `Guardrail exited with ${event.exit.signal ?? `code ${event.exit.code}`} (${formatDuration(event.ms)})`,
      )
    else if (event.type === 'settled' && event.end === 'ok' && event.move !== 'fail')
      say(`Completion (${condition}): ${event.move === 'pass' ? 'matched' : 'not matched'}`)
  }
}
