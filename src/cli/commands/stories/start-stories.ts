import { literalGlob } from '../../../core/glob.ts'
import { UsageError } from '../../../core/usage-error.ts'
import { iterationsOf, prepare, startRun } from '../../../host/start.ts'
import { projectOf } from '../../../runs/project.ts'
import type { Settings } from '../../../settings/schema.ts'
import { realWithin } from '../../../store/real-path.ts'
import { limitsOf } from '../../../workflows/spec.ts'
import { estimate } from '../../../workflows/stories/rules/analytics.ts'
import type { StoriesFile } from '../../../workflows/stories/rules/story-file.ts'
import type { StoriesSpec } from '../../../workflows/stories/spec.ts'
import { storyTarget } from '../../../workflows/stories/story-file-path.ts'
import { storiesWorkflow } from '../../../workflows/stories/workflow.ts'
import type { StoriesOptions } from './command.ts'
import { mendStories } from './mend-stories.ts'
import { needCommands, readStoryFile, storyDir, storyRisks } from './story-source.ts'

const ITERATIONS = 15
const VERIFY_TIMEOUT = 900

/** `ralph stories`, from the words typed to the end of the run. */
export async function startStories(options: StoriesOptions, agentCommand: string[]): Promise<number> {
  if (options.completionResponse !== undefined || options.donePattern !== undefined)
    throw new UsageError(
      'a story loop ends when every story is approved; -c and --done-pattern are for ralph run',
    )
  const project = projectOf(options.projectDir)
  const dir = storyDir(project, options.ralphDir)
  const ready = prepare(options, agentCommand)
  const mended = options.dryRun ? null : mendStories(project, dir)
  const file = readStoryFile(project, dir)
  needCommands(dir, file)
  const { base } = ready
  const { settings } = base
  const review = {
    cap: options.reviewCap ?? settings.review.cap,
    skip: options.skipReview ?? settings.review.skip,
    atCap: options.atCap ?? settings.review.atCap,
  }
  const limits = { ...limitsOf(settings), iterations: iterationsOf(options) ?? ITERATIONS }
  return startRun(
    storiesWorkflow,
    { ...ready, risks: [...ready.risks, ...storyRisks(dir, file)] },
    {
      ...base,
      settings: storySettings(settings, project, dir, file),
      workflow: storiesWorkflow.name,
      dir,
      ...storyTarget(project, dir),
      file,
      review,
    },
    limits,
    options,
    [...(mended ? [mended] : []), ...notesOf(file, review, limits.iterations)],
  )
}

/** What claude reads when it starts: hooks in there would let who wrote the code act in its review. */
const CLAUDES = ['.claude/settings.json', '.claude/settings.local.json']

/** Agents commit their stories themselves; prd.md is nobody's to change; what verifies a story is checked like all else. */
export function storySettings(
  settings: Settings,
  project: string,
  dir: string,
  { verifyCommands = [] }: StoriesFile,
): Settings {
  const known = new Set(settings.guardrails.map(({ command }) => command))
  const verify = verifyCommands
    .filter(command => !known.has(command))
    .map(command => ({ command, failAction: 'APPEND' as const, timeout: VERIFY_TIMEOUT }))
  return {
    ...settings,
    scm: null,
    protect: [
      ...settings.protect,
      ...[`${dir}/prd.md`, `${dir}/prompt.md`, ...CLAUDES].flatMap(path =>
        withTarget(project, path).map(literalGlob),
      ),
    ],
    guardrails: [...settings.guardrails, ...verify],
  }
}

/** A link is put back as a link; what it leads to is protected by its own name. */
const withTarget = (project: string, path: string): string[] => [
  ...new Set([path, realWithin(project, path) ?? path]),
]

/** What people should know before the first iteration. */
function notesOf(file: StoriesFile, review: StoriesSpec['review'], limit: number): string[] {
  const { text, isTight } = estimate(file, review, limit)
  const notes = isTight ? [`${text}, and the limit is ${limit}; -m raises it`] : []
  if ((file.verifyCommands ?? []).length === 0)
    notes.push(
      `no verifyCommands: ${review.skip ? 'nothing verifies' : 'only a review says'} that a story is done`,
    )
  return notes
}
