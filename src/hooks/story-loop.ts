import { existsSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { OWN_DEPTH, parseJson } from '../core/json.ts'
import { LIMITS, readRegularFile } from '../store/files/read.ts'
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

/** The project's folder. The agent may have changed folders, so its cwd is only the second choice. */
export const projectFolder = (input: HookInput, env: Environment): string =>
  env.CLAUDE_PROJECT_DIR || input.cwd || process.cwd()

/**
 * Whether this session works on stories. In a run of ralph only the environment counts, because the agent cannot
 * change it; outside a run the marker file counts.
 */
export const isInStories = (project: string, env: Environment): boolean =>
  env.RALPH_RUN ? env.RALPH_WORKFLOW === 'stories' : existsSync(join(project, MARKER))

/** The story iteration that this session runs, or null. */
export function findStoryLoop(project: string, env: Environment): StoryLoop | null {
  if (!isInStories(project, env)) return null
  const mode = MODES[env.RALPH_STAGE ?? '']
  // A story loop also calls an agent outside of iterations, for example to write a commit message.
  if (env.RALPH_RUN && !mode) return null
  const written = readJson(env.RALPH_RUN ? env.RALPH_SNAPSHOT : join(project, MARKER))
  const rules = readGateRules(written)
  const folder = resolve(project, env.RALPH_DIR || 'ralph')
  return { project, folder, name: relative(project, folder) || '.', rules: mode ? { ...rules, mode } : rules }
}

function readJson(path: string | undefined): unknown {
  try {
    return path ? parseJson(readRegularFile(path, { limit: LIMITS.own }).toString(), OWN_DEPTH) : null
  } catch {
    // The gate then checks less.
    return null
  }
}
