import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { StoriesFile, Story } from '../../src/workflows/stories/rules/story-file.ts'
import { newStory } from '../core/setup.ts'
import { setRepository } from './repository.ts'

const supportFile = (name: string) => fileURLToPath(new URL(`../support/${name}`, import.meta.url))

/** What the agent of one call can do in Node; see test/support/story-agent.mjs. */
type Hands = {
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

/**
 * One call of the agent: a script for a shell with the functions of test/support/story-agent.sh, or a function, which is
 * written to a file, so it sees nothing but its argument. null: honest work.
 */
export type Call = string | ((hands: Hands) => unknown) | null

export type Seen = {
  mode: string
  id: string
  prompt: string
  file: StoriesFile
  marker: Record<string, unknown> | null
  gate: Record<string, unknown>
  env: Record<string, string>
}

/** Whoever runs this approves the only story, through whatever leads to the file. */
export const APPROVE = `sed -e 's/"passes": false/"passes": true/' -e 's/"reviewStatus": [^,]*/"reviewStatus": "approved"/' \
  -e 's/"reviewCount": [0-9]*/"reviewCount": 1/' -e 's/"notes": "[^"]*"/"notes": "x"/' ralph/tasks.json > .git/approved
cat .git/approved > ralph/tasks.json`

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
function addStoryAgent(
  { root, bin }: { root: string; bin: string },
  calls: readonly Call[],
  { commits = true } = {},
): () => Seen[] {
  const module = join(root, 'acts.mjs')
  const seen = join(root, 'seen')
  mkdirSync(seen)
  const functions = calls.map(call => (typeof call === 'function' ? String(call) : 'null'))
  writeFileSync(module, `export default [${functions.join(',\n')}]\n`)
  const scripts = calls.map(call => (typeof call === 'function' ? 'in_node' : (call ?? 'honest')))
  const lines = [
    '#!/bin/sh',
    `seen='${seen}' module='${module}' node='${process.execPath}' agent='${supportFile('story-agent.mjs')}'`,
    `commits=${commits ? 'yes' : 'no'}`,
    `. '${supportFile('story-agent.sh')}'`,
    'case $n in',
    ...scripts.map((script, at) => `${at === scripts.length - 1 ? '*' : at + 1})\n${script}\n;;`),
    'esac',
    'answer',
  ]
  writeFileSync(join(bin, 'claude'), `${lines.join('\n')}\n`, { mode: 0o755 })
  return () =>
    readdirSync(seen)
      .flatMap(name => /^(\d+)\.about$/.exec(name)?.slice(1).map(Number) ?? [])
      .sort((a, b) => a - b)
      .map(n => seenBy(join(seen, String(n))))
}

/** What a call found. */
function seenBy(call: string): Seen {
  const text = (name: string) => readFileSync(`${call}.${name}`, 'utf8')
  const json = (name: string) => (existsSync(`${call}.${name}`) ? JSON.parse(text(name)) : null)
  const [mode = '', id = ''] = text('about').trimEnd().split(' ')
  const variables = text('env').matchAll(/^(\w+)=(.*)$/gm)
  const env = Object.fromEntries([...variables].map(([, name, value]) => [name!, value!]))
  return {
    mode,
    id,
    prompt: text('prompt'),
    file: json('file'),
    marker: json('marker'),
    gate: json('gate'),
    env,
  }
}

/** Everything that a story loop needs. */
const storyFiles = ({ stories, verify, prompt = PROMPT }: Folder): Record<string, string> => ({
  'ralph/tasks.json': spellFile(storyFile(stories ?? [story('US-001')], verify)),
  'ralph/prd.md': '# Shop\n',
  'ralph/progress.txt': '# Ralph Progress Log\n',
  'ralph/prompt.md': prompt,
})

const spellFile = (file: StoriesFile) => `${JSON.stringify(file, null, 2)}\n`

/** A story folder, committed unless there is no git, and an agent that follows these calls, then works honestly. */
export function setStories(
  options: Folder & { calls?: Call[]; always?: Call; settings?: unknown; git?: boolean } = {},
) {
  const stage = setRepository(
    { settings: options.settings },
    {
      files: storyFiles(options),
      script: options.git === false ? 'rm -rf .git' : 'git add -A; git commit -q -m stories',
    },
  )
  const calls = [...(options.calls ?? []), options.always ?? null]
  const seen = addStoryAgent(stage, calls, { commits: options.git !== false })
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
