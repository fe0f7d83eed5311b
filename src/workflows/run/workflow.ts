import { saysDone } from '../../core/completion.ts'
import type { Finding } from '../../core/events.ts'
import { CannotGoOn } from '../../core/ports.ts'
import type { Limits } from '../../core/table.ts'
import { readPlain } from '../../store/files/plain-file.ts'
import { firstLine } from '../shared/first-line.ts'
import { countLine } from '../shared/prompt-parts.ts'
import { commandGuardrails, readPins } from '../spec.ts'
import type { Active, Context, Workflow } from '../workflow.ts'
import { matches } from './done-pattern.ts'
import { completionHint, promptText } from './rules/prompt.ts'
import { type PromptSpec, promptSchema } from './spec.ts'
import { prompt } from './table.ts'

/** `ralph run`: one prompt, until the agent says that it is done and the checks agree. */
export const promptWorkflow: Workflow<PromptSpec> = {
  name: 'prompt',
  command: 'run',
  listed: false,
  guardsChecks: false,
  readSpec: pins => readPins(promptSchema, pins),
  pins: spec => spec,
  table: prompt,
  describe: ({ prompt, condition: { response, pattern } }) => {
    const words = [response && `<response>${response}</response>`, pattern && `/${pattern}/`].filter(Boolean)
    return {
      subject: ['prompt', prompt.type === 'file' ? prompt.path : firstLine(prompt.text)],
      until: words.length > 0 ? words.join(' or ') : 'the limit',
      condition: response ?? pattern,
      estimate: null,
    }
  },
  preview: (spec, limits) => promptOf(spec, limits, 1, { carry: [], interrupted: false, told: [] }),
  about: ({ prompt }) => ({ prompt }),
  protectedAreas: () => [],
  open,
}

function open({ spec, limits }: Context<PromptSpec>): Active {
  const { condition } = spec
  const hint = hintOf(spec)
  return {
    initialTasks: () => ({ tasks: [{ id: 'prompt', title: 'the prompt', blockedBy: [] }], edits: [] }),
    adoptEdits: async () => [],
    buildPrompt({ step, task, state }) {
      const { carry = [], interrupted = false } = state.at[task.id] ?? {}
      return promptOf(spec, limits, step.n, { carry, interrupted, told: state.told })
    },
    checks: (_work, common) => common,
    async claims(_work, text) {
      // A command that prints its prompt repeats the hint, which claims nothing.
      const said = hint === null ? text : text.replaceAll(hint, '')
      const done = condition.response !== null && saysDone(said, condition.response)
      return { signal: done || (condition.pattern !== null && matches(condition.pattern, text)) }
    },
    apply() {},
  }
}

/** The prompt of the nth iteration, as its agent gets it. */
function promptOf(
  spec: PromptSpec,
  limits: Limits,
  n: number,
  past: { carry: Finding[]; interrupted: boolean; told: readonly string[] },
): string {
  return promptText(readPrompt(spec.prompt), {
    ...past,
    count: spec.settings.includeIterationCountInPrompt ? countLine(n, limits.iterations) : null,
    hint: hintOf(spec),
  })
}

const hintOf = ({ settings, condition }: PromptSpec): string | null =>
  settings.completionHint ? completionHint(condition, commandGuardrails(settings).length > 0) : null

/** Read again for every iteration, because people edit it while the loop runs. */
function readPrompt(prompt: PromptSpec['prompt']): string {
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
