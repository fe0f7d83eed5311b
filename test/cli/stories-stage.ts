import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { StoriesFile, Story } from '../../src/workflows/stories/rules/story-file.ts'
import { newStory } from '../core/setup.ts'
import { setRepository } from './repository.ts'

const STORY_AGENT = fileURLToPath(new URL('../support/story-agent.mjs', import.meta.url))

/** What the agent of one call can do; see the head of test/support/story-agent.mjs. */
export type Hands = {
  n: number
  mode: string
  id: string
  dir: string
  path: string
  read(): StoriesFile
  put(file: unknown): void
  git(...args: string[]): string
  sh(command: string): string
  commit(message: string): void
  edit(change: Partial<Story>, of?: string): void
  submit(): void
  approve(): void
  reject(feedback?: string): void
  honest(): void
  count(): number
}

/** One call of the agent. It is written to a file, so it sees nothing but its argument. null: honest work. */
export type Call = ((hands: Hands) => unknown) | null

export type Seen = {
  mode: string
  id: string
  prompt: string
  file: StoriesFile
  marker: Record<string, unknown> | null
  gate: Record<string, unknown>
  env: Record<string, string>
}

const PROMPT =
  'iteration=$RALPH_ITERATION/$RALPH_MAX_ITERATIONS mode=$RALPH_MODE story=$RALPH_STORY cap=$RALPH_REVIEW_CAP\n'

const storyFile = (userStories: Story[], verifyCommands: string[] = []): StoriesFile => ({
  project: 'shop',
  branchName: 'ralph/shop',
  description: 'A shop.',
  verifyCommands,
  userStories,
})

export const story = (id: string, more: Partial<Story> = {}): Story => ({
  ...newStory(id),
  description: '',
  notes: '',
  dependsOn: [],
  ...more,
})

type Folder = { stories?: Story[]; verify?: string[]; prompt?: string }

/** An agent that follows these calls, then works honestly; gives what each call of it found, in turn. */
export function addStoryAgent(
  { root, bin }: { root: string; bin: string },
  calls: readonly Call[],
): () => Seen[] {
  const acts = join(root, 'acts.mjs')
  const seen = join(root, 'seen')
  const bodies = calls.map(call => (call === null ? 'null' : String(call)))
  writeFileSync(acts, `export default [${bodies.join(',\n')}]\n`)
  writeFileSync(
    join(bin, 'claude'),
    `#!/bin/sh\ncase "$*" in *--help | --version) exit 0 ;; esac\nexec "${process.execPath}" "${STORY_AGENT}" "${acts}" "${seen}"\n`,
  )
  chmodSync(join(bin, 'claude'), 0o755)
  return () =>
    readdirSync(seen)
      .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
      .map(name => JSON.parse(readFileSync(join(seen, name), 'utf8')))
}

/** Everything that a story loop needs. */
export const storyFiles = ({ stories, verify, prompt = PROMPT }: Folder): Record<string, string> => ({
  'ralph/tasks.json': spellFile(storyFile(stories ?? [story('US-001')], verify)),
  'ralph/prd.md': '# Shop\n',
  'ralph/progress.txt': '# Ralph Progress Log\n',
  'ralph/prompt.md': prompt,
})

const spellFile = (file: StoriesFile) => `${JSON.stringify(file, null, 2)}\n`

/** A committed story folder, and an agent that follows these calls, then works honestly. */
export function setStories(options: Folder & { calls?: Call[]; always?: Call; settings?: unknown } = {}) {
  const stage = setRepository(
    { settings: options.settings },
    { files: storyFiles(options), script: 'git add -A; git commit -q -m stories' },
  )
  const seen = addStoryAgent(stage, [...(options.calls ?? []), options.always ?? null])
  const put = (file: StoriesFile) => stage.write('ralph/tasks.json', spellFile(file))
  const file = (): StoriesFile => JSON.parse(stage.read('ralph/tasks.json'))
  return {
    ...stage,
    put,
    file,
    story: (id = 'US-001'): Story => file().userStories.find(other => other.id === id)!,
    /** What each call of the agent found, in turn. */
    seen,
    warned: () => stage.journal().flatMap(e => (e.type === 'warned' ? [e.note] : [])),
    moves: () =>
      stage.journal().flatMap(e => (e.type === 'settled' ? [`${e.stage} ${e.task} ${e.move}`] : [])),
    /** The subjects since the stories were committed, the oldest first. */
    history: () => stage.log().reverse().slice(2),
  }
}

export const fields = ({ passes, reviewStatus, reviewCount }: Story) => ({
  passes,
  reviewStatus,
  reviewCount,
})
