import { readFileSync, writeFileSync } from 'node:fs'
import type { StoriesFile, Story } from '../../../workflows/stories/rules/story-file.ts'
import type { AgentStream } from './agent-stream.ts'
import { json } from './scratch.ts'

const story = (
  id: string,
  title: string,
  priority: number,
  dependsOn: string[],
  criteria: string[],
): Story => ({
  id,
  title,
  description: '',
  acceptanceCriteria: criteria,
  priority,
  passes: false,
  reviewStatus: null,
  reviewCount: 0,
  reviewFeedback: '',
  notes: '',
  dependsOn,
})

const FILE: StoriesFile = {
  project: 'notes',
  branchName: 'ralph/notes',
  description: 'Notes that can be added, listed and searched.',
  verifyCommands: ['node --test'],
  userStories: [
    story('US-001', 'Add a note', 1, [], ['add(notes, text) gives a new list with the note']),
    story('US-002', 'List notes', 2, ['US-001'], ['list(notes) gives them by name, whatever their case']),
    story('US-003', 'Search notes', 3, ['US-001'], ['find(notes, word) gives those that hold the word']),
  ],
}

/** The story loop's project: three stories, and a check. */
export const notes = {
  message: 'Three stories and nothing else',
  files: {
    'package.json': json({ name: 'notes', type: 'module', private: true }),
    'notes.test.js': `import test from 'node:test'

test('the project is there', () => {})
`,
    '.gitignore': '.ralph-active\n',
    'ralph/prd.md': '# Notes\n\nNotes that can be added, listed and searched. No dependencies.\n',
    'ralph/tasks.json': json(FILE),
    'ralph/progress.txt': '# Ralph Progress Log\n\n## Codebase Patterns\n\n---\n',
    '.ralph/settings.json': json({ agent: { command: 'demo' } }),
  },
}

const ADD = 'export const add = (notes, text) => [...notes, text]\n'
const LIST = 'export const list = notes => [...notes].sort()\n'
const BY_NAME =
  'export const list = notes => [...notes].sort((a, b) => a.toLowerCase().localeCompare(b.toLowerCase()))\n'
const FIND = 'export const find = (notes, word) => notes.filter(note => note.includes(word))\n'

const WORK: Readonly<Record<string, { path: string; text: string }>> = {
  'US-001': { path: 'add.js', text: ADD },
  'US-002': { path: 'list.js', text: LIST },
  'US-003': { path: 'find.js', text: FIND },
}

const FEEDBACK =
  'list.js sorts capital letters before all others: ["b", "A", "c"] must give A, b, c. Compare without case.'

/** Implements, reviews what another context wrote, and fixes what a review found; one story is sent back once. */
export async function playNotes(stream: AgentStream, prompt: string): Promise<void> {
  const [, mode = '', id = ''] = /in one mode: \*\*([\w-]+)\*\*, story \*\*(\S+?)\*\*/.exec(prompt) ?? []
  await stream.text(`Story ${id}, ${mode}.`)
  const found: StoriesFile = JSON.parse(readFileSync('ralph/tasks.json', 'utf8'))
  const mine = found.userStories.find(other => other.id === id)!
  const message = mode === 'review' ? await review(stream, mine) : await work(stream, mine, mode)
  writeFileSync('ralph/tasks.json', json(found))
  writeFileSync('ralph/progress.txt', `\n## ${id} (${mode})\n${mine.notes}\n`, { flag: 'a' })
  const who = '-c user.name=Ralph -c user.email=ralph@localhost -c commit.gpgsign=false'
  await stream.run(`git add -A && git ${who} commit -qm "${message}"`)
  const isDone = found.userStories.every(other => other.passes)
  const verdict = mode === 'review' ? `\n<verdict>${mine.reviewStatus}</verdict>` : ''
  await stream.end(`${isDone ? '<promise>COMPLETE</promise>' : `Committed: ${message}`}${verdict}`, {
    input: 1500,
    cached: 600,
  })
}

async function work(stream: AgentStream, story: Story, mode: string): Promise<string> {
  const fixes = mode === 'review-fix'
  const { path, text } = WORK[story.id]!
  await stream.write(path, fixes ? BY_NAME : text)
  story.reviewStatus = 'needs_review'
  story.reviewFeedback = ''
  story.notes = `${path} ${fixes ? 'compares without case now' : 'is written'}.`
  return fixes ? `fix: [${story.id}] - address review feedback` : `feat: [${story.id}] - ${story.title}`
}

async function review(stream: AgentStream, story: Story): Promise<string> {
  const { path } = WORK[story.id]!
  await stream.read(path)
  story.reviewCount++
  const sentBack = readFileSync(path, 'utf8') === LIST
  story.reviewStatus = sentBack ? 'changes_requested' : 'approved'
  story.passes = !sentBack
  story.reviewFeedback = sentBack ? FEEDBACK : ''
  await stream.text(sentBack ? FEEDBACK : 'Each criterion is met.')
  return `review: [${story.id}] - ${sentBack ? 'changes requested' : 'approved'}`
}
