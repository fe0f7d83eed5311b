import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { RunEvent, TodoItem } from '../../src/core/events.ts'
import type { Act, Answer } from '../support/agent-script.ts'
import { setStage } from './scene.ts'

export const says = (text: string): Act[] => [['claude', text]]

export const item = (n: number, blockedBy: string[] = [], more: Record<string, unknown> = {}) => ({
  id: `#${n}`,
  content: `Make part ${n}`,
  status: 'pending',
  activeForm: `Making part ${n}`,
  blockedBy,
  ...more,
})

export const plans = (...items: unknown[]): Act[] => says(JSON.stringify(items))

/** Of a task that nothing is said about: it leaves a file, and a sentence. */
const works = (id: string): Act[] => [
  ['file', `made-${id}`, ''],
  ['claude', `Made ${id}.`],
]

type Script = {
  /** Answers that go before all others. */
  first?: Answer[]
  refine?: Act[][]
  plan?: Act[][]
  /** By the id of the task: what is done at each try. */
  work?: Record<string, Act[][]>
  settings?: unknown
  git?: boolean
}

/** A stage whose agent refines, plans and works, each as it is told to. */
export function setBuild({ first = [], refine, plan, work = {}, ...options }: Script = {}) {
  const answers: Answer[] = [
    ...first,
    ['refine', '<request>', ...(refine ?? [says('<refined>The refined goal</refined>')])],
    ['plan', '<specification>', ...(plan ?? [plans(item(1), item(2, ['#1']))])],
  ]
  const tasks = Array.from({ length: 9 }, (_, n) => `#${n + 1}`)
  for (const id of new Set([...Object.keys(work), ...tasks]))
    answers.push([id, `^# Your task: .*\\(${id}\\)$`, ...(work[id] ?? [works(id)])])
  answers.push(['bug', '-bug-', works('bug')], ['other', '', [['print', 'A message']]])
  const stage = setStage({ ...options, answers })
  const sessions = join(stage.project, '.ralph', 'sessions')
  return {
    ...stage,
    names: () => stage.asked().map(({ name }) => name),
    /** The nth prompt that this was asked with. */
    promptOf: (name: string, nth = 1): string =>
      stage.asked().filter(asked => asked.name === name)[nth - 1]!.prompt,
    list: (): (TodoItem & { id: string })[] => JSON.parse(stage.session('tasks.json')),
    id: () => readdirSync(sessions)[0]!,
    /** A path in the one session there is. */
    at: (name: string) => join(sessions, readdirSync(sessions)[0]!, name),
    edits: () => stage.journal().filter(e => e.type === 'edited') as Extract<RunEvent, { type: 'edited' }>[],
    warnings: () => stage.journal().flatMap(e => (e.type === 'warned' ? e.note : [])),
    ending: () => stage.journal().findLast(e => e.type === 'finished'),
  }
}

export const statuses = (list: TodoItem[]): string[] => list.map(({ id, status }) => `${id} ${status}`)
