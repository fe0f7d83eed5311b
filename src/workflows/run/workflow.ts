import { resolve } from 'node:path'
import { saysDone } from '../../core/completion.ts'
import type { Finding, RunEvent } from '../../core/events.ts'
import { CannotGoOn } from '../../core/ports.ts'
import type { Limits } from '../../core/table.ts'
import { pathSeenFrom } from '../../store/files/paths.ts'
import { LIMITS, readRegularFile } from '../../store/files/read.ts'
import { countLine, doubtNotes, instructionsFor } from '../shared/prompt-parts.ts'
import { checkNames, readPins, subjectLine } from '../spec.ts'
import type { Active, Context, Workflow } from '../workflow.ts'
import { matches, watchPattern } from './done-pattern.ts'
import { completionHint, promptText } from './rules/prompt.ts'
import { type PromptSpec, promptSchema, runTable } from './spec.ts'

/** `ralph run`: one prompt, repeated until the agent says that it is done and the checks are green. */
export const runWorkflow: Workflow<PromptSpec> = {
  name: 'run',
  command: 'run',
  listed: false,
  readSpec(pins) {
    const spec = readPins(promptSchema, pins)
    return { ...spec, prompt: movePrompt(spec.prompt, path => resolve(spec.project, path)) }
  },
  pins: spec => ({ ...spec, prompt: movePrompt(spec.prompt, path => pathSeenFrom(spec.project, path)) }),
  table: ({ condition }) => runTable(condition),
  describe: ({ prompt, once, condition: { response, pattern, untilGreen, unchanged } }) => {
    const conditions = [
      response && `<response>${response}</response>`,
      pattern && `/${pattern}/`,
      untilGreen && GREEN,
      unchanged && `${unchanged} iterations in a row that change nothing`,
    ].filter(Boolean)
    return {
      subject: ['prompt', prompt.type === 'file' ? prompt.path : subjectLine(prompt.text)],
      doneWhen: once ? ONE : conditions.length > 0 ? conditions.join(' or ') : 'the limit',
      condition: response ?? pattern ?? (untilGreen ? GREEN : null),
      estimate: null,
    }
  },
  preview: (spec, limits) =>
    composePrompt(spec, limits, 1, { lastRed: [], interrupted: false, doubts: [], instructions: [] }),
  about: ({ prompt }) => ({ prompt }),
  loop: ({ prompt, condition: { response, pattern } }) => ({
    promptFile: prompt.type === 'file' ? prompt.path : null,
    donePattern: pattern,
    isDoneByPattern: pattern !== null && response === null,
  }),
  protectedAreas: () => [],
  open,
}

const movePrompt = (prompt: PromptSpec['prompt'], move: (path: string) => string): PromptSpec['prompt'] =>
  prompt.type === 'file' ? { ...prompt, path: move(prompt.path) } : prompt

const GREEN = 'green checks'

const ONE = 'one iteration has ended; exit code 0 if it ended well and its checks are green'

function open({ spec, record }: Context<PromptSpec>): Active {
  const { condition } = spec
  const hint = hintOf(spec)
  return {
    ...(condition.pattern !== null && whileItWorks(condition.pattern, record)),
    initialTasks: () => ({ tasks: [{ id: 'prompt', title: 'the prompt', blockedBy: [] }], edits: [] }),
    adoptEdits: async () => {},
    buildPrompt({ step, task, state }) {
      const { lastRed = [], interrupted = false } = state.taskStates[task.id] ?? {}
      const doubts = doubtNotes(state)
      return composePrompt(spec, state.limits, step.n, {
        lastRed,
        interrupted,
        doubts,
        instructions: instructionsFor(state, task.id),
      })
    },
    checks: ({ workspace }) => workspace.checks(),
    async claims(_work, text) {
      // An agent command may print its prompt. The hint in it is not a claim.
      const withoutHint = hint === null ? text : text.replaceAll(hint, '')
      const isDone =
        (condition.response !== null && saysDone(withoutHint, condition.response)) ||
        (condition.pattern !== null && matches(condition.pattern, text))
      // What was found while the agent worked stays.
      return isDone ? { signal: true } : {}
    },
    apply() {},
  }
}

/** Looks for the pattern in the agent's own words as they come. A match is remembered; it does not end the agent. */
function whileItWorks(
  pattern: string,
  record: (event: RunEvent) => void,
): Pick<Active, 'onEvent' | 'claimsAtExit'> {
  const note = `--done-pattern takes too long on what the agent prints, so a match may be missed; simplify it`
  const watch = watchPattern(pattern, () => record({ type: 'warned', at: Date.now(), note }))
  return {
    onEvent(event) {
      if (event.type === 'started') watch.begin()
      else if (event.type === 'agent' && event.event.type === 'text') {
        const { text, from, echo } = event.event
        if (!from && !echo) watch.hear(text)
      }
    },
    claimsAtExit: async () => (watch.hasMatched() ? { signal: true } : {}),
  }
}

/** The prompt of the nth iteration, as its agent gets it. */
function composePrompt(
  spec: PromptSpec,
  limits: Limits,
  n: number,
  carried: {
    lastRed: Finding[]
    interrupted: boolean
    doubts: readonly string[]
    instructions: readonly string[]
  },
): string {
  return promptText(readPrompt(spec.prompt), {
    ...carried,
    count: spec.settings.includeIterationCountInPrompt ? countLine(n, limits.iterations) : null,
    hint: hintOf(spec),
  })
}

const hintOf = ({ settings, condition }: PromptSpec): string | null =>
  settings.completionHint ? completionHint(condition, checkNames(settings).length > 0) : null

/** Reads the prompt again for every iteration, because people edit it while the loop runs. */
function readPrompt(prompt: PromptSpec['prompt']): string {
  if (prompt.type === 'text') return prompt.text
  try {
    return readRegularFile(prompt.path, { limit: LIMITS.text }).toString()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new CannotGoOn(
      code === 'ENOENT' ? `prompt file not found: ${prompt.path}` : `cannot read prompt file: ${message}`,
    )
  }
}
