import { literalGlob } from '../../../core/glob.ts'
import { UsageError } from '../../../core/usage-error.ts'
import { iterationLimit, prepare, startRun } from '../../../host/start.ts'
import type { Io } from '../../../runs/io.ts'
import { projectOf } from '../../../runs/project.ts'
import type { Settings } from '../../../settings/schema.ts'
import { realWithin } from '../../../store/files/paths.ts'
import { commandGuardrails, limitsOf } from '../../../workflows/spec.ts'
import type { StoriesFile } from '../../../workflows/stories/rules/story-file.ts'
import { storyLinks } from '../../../workflows/stories/story-file-place.ts'
import { storiesWorkflow } from '../../../workflows/stories/workflow.ts'
import type { StoriesOptions } from '../../verbs/run.ts'
import { asWorker } from '../spawn/as-worker.ts'
import { withScreen } from '../watch/run-screen.ts'
import { restoreStories } from './restore-stories.ts'
import { checkCommands, readStoryFile, storyDir, storyRisks } from './story-source.ts'

const ITERATIONS = 15
const VERIFY_TIMEOUT = 900

/** `ralph stories`, from its options to the end of the run. */
export async function startStories(typed: StoriesOptions, agentCommand: string[], io: Io): Promise<number> {
  const options = withScreen(asWorker(typed, io), io)
  if (options.completionResponse !== undefined || options.donePattern !== undefined || options.untilGreen)
    throw new UsageError(
      'a story loop ends when every story is approved; -c, --done-pattern and --until-green are for ralph run',
    )
  const iterations = iterationLimit(options) ?? ITERATIONS
  const project = projectOf(options.projectDir, process.env)
  const dir = storyDir(project, options.ralphDir)
  const prepared = prepare(options, agentCommand)
  const restored = options.dryRun ? null : restoreStories(project, dir)
  const file = readStoryFile(project, dir)
  checkCommands(dir, file)
  const { base } = prepared
  const { settings } = base
  const review = {
    ...settings.review,
    cap: options.reviewCap ?? settings.review.cap,
    skip: options.skipReview ?? settings.review.skip,
    atCap: options.atCap ?? settings.review.atCap,
  }
  const limits = { ...limitsOf(settings), iterations }
  return startRun(
    storiesWorkflow,
    { ...prepared, ownRisks: storyRisks(dir, file) },
    {
      ...base,
      settings: storySettings(settings, project, dir, file),
      workflow: storiesWorkflow.name,
      dir,
      ...storyLinks(project, dir),
      file,
      review,
    },
    limits,
    options,
    restored ? [restored] : [],
  )
}

/** Claude reads these when it starts. Hooks in them would let the author of the code act in its review. */
const CLAUDES = ['.claude/settings.json', '.claude/settings.local.json']

/** Agents commit their stories themselves and may not change prd.md. The verifyCommands become guardrails. */
export function storySettings(
  settings: Settings,
  project: string,
  dir: string,
  { verifyCommands = [] }: StoriesFile,
): Settings {
  const known = new Set(commandGuardrails(settings).map(({ command }) => command))
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

/** A link is restored as a link. Its target is protected under its own name. */
const withTarget = (project: string, path: string): string[] => [
  ...new Set([path, realWithin(project, path) ?? path]),
]
