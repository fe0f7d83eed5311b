import type { Finding } from '../../../core/events.ts'
import { REVIEW, type TaskState } from '../../../core/table.ts'
import { HALF_EDITED } from '../../shared/prompt-parts.ts'
import type { ReviewMode } from './review-rules.ts'

/** What the variables of a story prompt stand for in one iteration. */
export type StoryScene = {
  iteration: number
  maximum: number | null
  mode: ReviewMode
  story: string
  cap: number
  /** The folder with the stories. */
  dir: string
}

export type StoryNews = {
  skip: boolean
  stands: TaskState | undefined
  /** What an agent wrote into the list and may not. */
  refused: readonly string[]
  told: readonly string[]
}

/** The prompt of one iteration: the template with its variables, then what is true of this iteration alone. */
export function storyPrompt(template: string, scene: StoryScene, news: StoryNews): string {
  const { stands } = news
  return [
    fill(template, scene).trimEnd(),
    news.skip ? SKIPPED : null,
    stands?.interrupted ? HALF_EDITED : null,
    ...(stands?.carry ?? []).map(carried),
    news.refused.length > 0 ? `An earlier iteration was corrected:\n${bullets(news.refused)}` : null,
    ...news.told.map(text => `Instruction from the user: ${text}`),
  ]
    .filter(part => part !== null)
    .join('\n\n')
}

const SKIPPED =
  'There is no review in this loop. Your mode is implement: once the verifyCommands are green, set `passes` to true ' +
  'yourself, and leave `reviewStatus` null and `reviewCount` 0.'

/** Longer names first: `$RALPH_MODE` is not the beginning of another. */
function fill(template: string, scene: StoryScene): string {
  const values: Record<string, string> = {
    RALPH_MAX_ITERATIONS: scene.maximum === null ? 'any number' : String(scene.maximum),
    RALPH_ITERATION: String(scene.iteration),
    RALPH_REVIEW_CAP: String(scene.cap),
    RALPH_STORY: scene.story,
    RALPH_MODE: scene.mode,
    RALPH_DIR: scene.dir,
  }
  return template.replace(/\$(?:\{(\w+)\}|(\w+))/g, (whole, braced, bare) => {
    const name: string = braced ?? bare
    return Object.hasOwn(values, name) ? values[name]! : whole
  })
}

const carried = ({ check, note }: Finding): string =>
  check === REVIEW ? `What the review asks for:\n\n${note}` : note

const bullets = (lines: readonly string[]) => lines.map(line => `- ${line}`).join('\n')
