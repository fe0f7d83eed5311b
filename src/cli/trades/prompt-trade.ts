import { saysDone } from '../../core/completion.ts'
import { CannotGoOn } from '../../core/ports.ts'
import type { Limits } from '../../core/workflow.ts'
import { countLine, promptText } from '../../core/workflows/prompt.ts'
import { readPlain } from '../../store/plain-file.ts'
import { matches } from '../done-pattern.ts'
import type { PromptPlan } from '../plan.ts'
import type { Trade } from './trade.ts'

/** `ralph run`: one prompt, until the agent says that it is done and the checks agree. */
export function promptTrade(plan: PromptPlan, limits: Limits): Trade {
  const { condition, settings } = plan
  return {
    opening: () => ({ tasks: [{ id: 'prompt', title: 'the prompt', blockedBy: [] }], edits: [] }),
    prompt({ step, task, state }) {
      const stands = state.at[task.id]
      return promptText(readPrompt(plan.prompt), {
        carry: stands?.carry ?? [],
        interrupted: stands?.interrupted ?? false,
        told: state.told,
        count: settings.includeIterationCountInPrompt ? countLine(step.n, limits.iterations) : null,
      })
    },
    checks: (_work, common) => common,
    async claims(_work, text) {
      const done = condition.response !== null && saysDone(text, condition.response)
      return { signal: done || (condition.pattern !== null && matches(condition.pattern, text)) }
    },
    edits: async () => [],
    begun() {},
    project() {},
    hear() {},
    isThere: () => false,
  }
}

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
