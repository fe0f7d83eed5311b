import type { Finding } from '../../../core/events.ts'
import { REVIEW, type TaskState } from '../../../core/table.ts'
import { HALF_EDITED } from '../../shared/prompt-parts.ts'
import type { ReviewMode } from './review-rules.ts'
import { VERDICT_REQUEST } from './verdict.ts'

/** The values of a story prompt's variables in one iteration. */
export type PromptVariables = {
  iteration: number
  maximum: number | null
  mode: ReviewMode
  story: string
  cap: number
  /** The folder with the stories. */
  dir: string
}

export type StoryPromptOptions = {
  skip: boolean
  current: TaskState | undefined
  /** Corrections of what earlier agents wrote into the list without permission. */
  refused: readonly string[]
  /** Why green checks prove nothing now. */
  doubts: readonly string[]
  instructions: readonly string[]
}

/** The prompt of one iteration: the filled-in template, then what applies to this iteration only. */
export function storyPrompt(
  template: string,
  variables: PromptVariables,
  options: StoryPromptOptions,
): string {
  const { current } = options
  return [
    fill(template, variables).trimEnd(),
    options.skip ? NO_REVIEW : null,
    variables.mode === 'review' && !template.includes('<verdict>') ? VERDICT_REQUEST : null,
    current?.interrupted ? HALF_EDITED : null,
    ...(current?.lastRed ?? []).map(formatFinding),
    ...options.doubts,
    options.refused.length > 0 ? `An earlier iteration was corrected:\n${bullets(options.refused)}` : null,
    ...options.instructions.map(text => `Instruction from the user: ${text}`),
  ]
    .filter(part => part !== null)
    .join('\n\n')
}

const NO_REVIEW =
  'There is no review in this loop. Your mode is implement: once the verifyCommands are green, set `passes` to true ' +
  'yourself, and leave `reviewStatus` null and `reviewCount` 0.'

function fill(template: string, variables: PromptVariables): string {
  const values: Record<string, string> = {
    RALPH_MAX_ITERATIONS: variables.maximum === null ? 'any number' : String(variables.maximum),
    RALPH_ITERATION: String(variables.iteration),
    RALPH_REVIEW_CAP: String(variables.cap),
    RALPH_STORY: variables.story,
    RALPH_MODE: variables.mode,
    RALPH_DIR: variables.dir,
  }
  return template.replace(/\$(?:\{(\w+)\}|(\w+))/g, (whole, braced, bare) => {
    const name: string = braced ?? bare
    return Object.hasOwn(values, name) ? values[name]! : whole
  })
}

const formatFinding = ({ check, note }: Finding): string =>
  check === REVIEW ? `What the review asks for:\n\n${note}` : note

const bullets = (lines: readonly string[]) => lines.map(line => `- ${line}`).join('\n')
