import { existsSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { type GateRules, readGateRules } from '../workflows/stories/rules/gate.ts'
import type { ReviewMode } from '../workflows/stories/rules/review-rules.ts'
import type { HookInput } from './run-hook.ts'

type Environment = Record<string, string | undefined>

/** An iteration of a story loop, as a hook sees it. */
export type StoryLoop = {
  project: string
  /** The stories' folder. */
  folder: string
  /** Its name, as the agent knows it. */
  name: string
  rules: GateRules
}

const MODES: Record<string, ReviewMode> = { implement: 'implement', review: 'review', fix: 'review-fix' }

const MARKER = '.ralph-active'

/** Not where the agent happens to be: it may have changed folders. */
export const projectOf = (input: HookInput, env: Environment): string =>
  env.CLAUDE_PROJECT_DIR || input.cwd || process.cwd()

/**
 * Whether this session works on stories. A run of ralph says so by its environment, which the agent cannot change,
 * and then nothing else counts; outside of one the marker file says so.
 */
export const isInStories = (project: string, env: Environment): boolean =>
  env.RALPH_RUN ? env.RALPH_WORKFLOW === 'stories' : existsSync(join(project, MARKER))

/** The iteration that is to be judged when it ends; null where there is none. */
export function findStoryLoop(project: string, env: Environment): StoryLoop | null {
  if (!isInStories(project, env)) return null
  const mode = MODES[env.RALPH_STAGE ?? '']
  // A call of a story loop that is no iteration: a commit message is written, say.
  if (env.RALPH_RUN && !mode) return null
  const written = readJson(env.RALPH_RUN ? env.RALPH_SNAPSHOT : join(project, MARKER))
  const rules = readGateRules(written)
  const folder = resolve(project, env.RALPH_DIR || 'ralph')
  return { project, folder, name: relative(project, folder) || '.', rules: mode ? { ...rules, mode } : rules }
}

function readJson(path: string | undefined): unknown {
  try {
    return path ? JSON.parse(readFileSync(path, 'utf8')) : null
  } catch {
    // The gate does without.
    return null
  }
}
