import { saysDone } from '../../core/completion.ts'
import type { Finding } from '../../core/events.ts'
import { CannotGoOn } from '../../core/ports.ts'
import type { Limits } from '../../core/table.ts'
import { readPlain } from '../../store/files/plain-file.ts'
import { commandGuardrails, type PromptPlan } from '../spec.ts'
import type { Trade } from '../workflow.ts'
import { matches } from './done-pattern.ts'
import { completionHint, countLine, promptText } from './table.ts'

/** `ralph run`: one prompt, until the agent says that it is done and the checks agree. */
export function promptTrade(plan: PromptPlan, limits: Limits): Trade {
  const { condition } = plan
  const hint = hintOf(plan)
  return {
    opening: () => ({ tasks: [{ id: 'prompt', title: 'the prompt', blockedBy: [] }], edits: [] }),
    prompt({ step, task, state }) {
      const { carry = [], interrupted = false } = state.at[task.id] ?? {}
      return composePrompt(plan, limits, step.n, { carry, interrupted, told: state.told })
    },
    checks: (_work, common) => common,
    async claims(_work, text) {
      // A command that prints its prompt repeats the hint, which claims nothing.
      const said = hint === null ? text : text.replaceAll(hint, '')
      const done = condition.response !== null && saysDone(said, condition.response)
      return { signal: done || (condition.pattern !== null && matches(condition.pattern, text)) }
    },
    edits: async () => [],
    begun() {},
    project() {},
    hear() {},
    isThere: () => false,
  }
}

/** The prompt of the nth iteration, as its agent gets it. */
export function composePrompt(
  plan: PromptPlan,
  limits: Limits,
  n: number,
  past: { carry: Finding[]; interrupted: boolean; told: readonly string[] },
): string {
  const { settings } = plan
  return promptText(readPrompt(plan.prompt), {
    ...past,
    count: settings.includeIterationCountInPrompt ? countLine(n, limits.iterations) : null,
    hint: hintOf(plan),
  })
}

const hintOf = ({ settings, condition }: PromptPlan): string | null =>
  settings.completionHint ? completionHint(condition, commandGuardrails(settings).length > 0) : null

/** Read anew for every iteration: people edit it while the loop runs. */
function readPrompt(prompt: PromptPlan['prompt']): string {
  if (prompt.type === 'text') return prompt.text
  try {
    return readPlain(prompt.path).toString()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new CannotGoOn(
      code === 'ENOENT' ? `prompt file not found: ${prompt.path}` : `cannot read prompt file: ${message}`,
    )
  }
}
