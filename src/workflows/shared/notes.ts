import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod/mini'
import type { RunEvent } from '../../core/events.ts'
import type { StepId } from '../../core/table.ts'
import type { TaskId } from '../../core/task.ts'
import { UsageError } from '../../core/usage-error.ts'
import type { Context } from '../workflow.ts'

/** What an agent was not allowed to do, for later prompts. `after`: the last step that had begun when that was known. */
export type Correction = { text: string; after: StepId }

/** Of the notes of workflows that correct their agents. */
export const corrections: z.ZodMiniType<Correction[]> = z.array(
  z.object({ text: z.string(), after: z.number() }),
)

type Schema = z.ZodMiniObject
type Values<S extends Schema> = z.output<S>

/** What a workflow has noted in a journal: its own state, for the run or for a task. The latest value of a key counts. */
export type Notes<S extends Schema> = {
  get<K extends keyof Values<S>>(key: K, task?: TaskId): Values<S>[K] | undefined
}

/** Notes of a run that goes on. */
export type OpenNotes<S extends Schema> = Notes<S> & {
  /** Notes a value, unless it is noted already. */
  set<K extends keyof Values<S> & string>(key: K, value: Values<S>[K], task?: TaskId): void
}

/** Reads what a workflow noted. Throws a UsageError if the schema does not know it: it would be understood only in part. */
export function notesIn<S extends Schema>(schema: S, events: readonly RunEvent[]): Notes<S> {
  const noted = fold(schema, events)
  return { get: (key, task) => noted.get(nameOf(key, task)) as never }
}

export function openNotes<S extends Schema>(
  schema: S,
  { past, note }: Pick<Context, 'past' | 'note'>,
): OpenNotes<S> {
  const noted = fold(schema, past)
  return {
    get: (key, task) => noted.get(nameOf(key, task)) as never,
    set(key, value, task) {
      if (isDeepStrictEqual(noted.get(nameOf(key, task)), value)) return
      note(key, value, task)
      noted.set(nameOf(key, task), value)
    },
  }
}

function fold(schema: Schema, events: readonly RunEvent[]): Map<string, unknown> {
  const noted = new Map<string, unknown>()
  for (const event of events) {
    if (event.type !== 'noted') continue
    const { key, task, value } = event
    const known = Object.hasOwn(schema.shape, key) ? (schema.shape[key] as z.ZodMiniType) : null
    const read = known?.safeParse(value, { jitless: true })
    if (!read?.success) throw new UsageError(`the note "${key}" of this run cannot be read; start a new run`)
    noted.set(nameOf(key, task), read.data)
  }
  return noted
}

const nameOf = (key: PropertyKey, task: TaskId = ''): string => `${String(key)} ${task}`

/** Only the latest, and each once. */
export const withCorrections = (
  known: readonly Correction[],
  texts: readonly string[],
  after: StepId,
): Correction[] => {
  const fresh = texts.filter(text => known.every(other => other.text !== text))
  return [...known, ...[...new Set(fresh)].map(text => ({ text, after }))].slice(-MOST)
}

const MOST = 20

/** Those that the prompt of a step did not have: they came after it began. */
export const unheardBy = (known: readonly Correction[], step: StepId): Correction[] =>
  known.filter(({ after }) => after >= step)
