import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { RunEvent, TodoItem } from '../../src/core/events.ts'
import { readJournal } from '../../src/store/journal.ts'
import { startMockModel, type Turn } from '../support/loopback-model.mjs'
import { startRalph } from '../support/ralph.ts'
import { CLIS, openRealPlace, shareLearned } from './clis.ts'

/** What the model is asked for: to refine, to plan, or the id of a task; and whether its tool has answered already. */
export type Ask = { what: string; isAnswered: boolean; prompt: string }

const { env, shell, model } = CLIS.claude!

const PLAN: TodoItem[] = [
  { id: '#1', content: 'Write the theme', status: 'pending', activeForm: 'Writing the theme' },
  {
    id: '#2',
    content: 'Write the poem',
    status: 'pending',
    activeForm: 'Writing the poem',
    blockedBy: ['#3'],
  },
  {
    id: '#3',
    content: 'Write the title',
    status: 'pending',
    activeForm: 'Writing the title',
    blockedBy: ['#1'],
  },
]

/** What each task does to the tree. The poem is wrong until its bug is fixed. */
const WORK: Record<string, string> = {
  '#1': 'echo rain > theme.txt',
  '#3': 'echo Rain > title.txt',
  '#2': 'test -e poem.txt || echo wrong > poem.txt',
  '#2-bug-1': 'echo right > poem.txt',
}

/** How a good planner and worker would answer. */
export function answerTo({ what, isAnswered }: Ask): Turn {
  if (what === 'refine') return { text: 'In short.\n<refined>\nA poem about rain, in poem.txt.\n</refined>' }
  if (what === 'plan') return { text: `Here it is:\n\`\`\`json\n${JSON.stringify(PLAN)}\n\`\`\`` }
  return isAnswered
    ? { text: `${what} is as I think it should be.` }
    : { text: 'Working.', tools: [shell(WORK[what]!)] }
}

/** Reads what is asked from the conversation that the CLI sends. */
function askOf(body: unknown): Ask {
  const { messages } = body as { messages: { content: string | { type: string; text?: string }[] }[] }
  const contents = messages.map(({ content }) =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : content,
  )
  const prompt = contents
    .flat()
    .flatMap(({ text }) => text ?? [])
    .join('\n')
  const isAnswered = contents.flat().some(({ type }) => type === 'tool_result')
  const task = /^# Your task: .* \((\S+)\)$/m.exec(prompt)?.[1]
  const what = task ?? (prompt.includes('Divide this specification') ? 'plan' : 'refine')
  return { what, isAnswered, prompt }
}

/** A project with one guardrail, the real claude on a model that answers by what it is asked, and a build of it. */
export async function buildScene(answer: (ask: Ask) => Turn = answerTo) {
  const command =
    "! test -e poem.txt || grep -q right poem.txt || { echo 'poem.txt must say right'; exit 3; }"
  const place = openRealPlace({ killGrace: 1, guardrails: [{ command, hint: 'Mind the wording.' }] })
  const { project, home } = place
  shareLearned(home)
  const asks: Ask[] = []
  const mock = await startMockModel({
    answer(body) {
      const ask = askOf(body)
      asks.push(ask)
      return answer(ask)
    },
  })
  onTestFinished(() => mock.close())
  const ralphHome = place.env.RALPH_HOME
  const ralph = (...args: string[]) =>
    startRalph(args, { cwd: project, env: { ...place.env, ...env(mock.url) } })
  const runs = join(ralphHome, 'runs')
  const idOf = () => readdirSync(runs)[0]!
  const sessionFile = (name: string) =>
    readFileSync(join(project, '.ralph', 'sessions', idOf(), name), 'utf8')
  return {
    ralphHome,
    asks,
    build: () =>
      ralph('build', 'A poem about rain', '--refine', 'auto', '-a', 'claude', '--model', model, '--trust'),
    resume: () => ralph('resume', idOf()),
    read: (name: string) => readFileSync(join(project, name), 'utf8'),
    list: () => JSON.parse(sessionFile('tasks.json')) as TodoItem[],
    progress: () => sessionFile('progress.txt'),
    of: <T extends RunEvent['type']>(type: T) =>
      readJournal(join(runs, idOf())).filter((e): e is Extract<RunEvent, { type: T }> => e.type === type),
  }
}
