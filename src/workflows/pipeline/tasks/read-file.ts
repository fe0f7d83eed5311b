import { firstLine } from '../../../core/format.ts'
import { isObject, JsonError, parseJson } from '../../../core/json.ts'
import { findCycle } from '../../../core/task.ts'
import { type Path, showPath } from '../../../settings/names.ts'
import { readGivenTask, type TaskProblem } from './read-task.ts'
import type { PipelineTask, TaskRules } from './task.ts'

/** What is wrong with a file of tasks: the line, where in the tasks, and what. */
export type FileProblem = { line: number | null; path: Path; problem: string }

export type ReadFile = { tasks: PipelineTask[] } | { problems: FileProblem[] }

/** Nothing that people write has more nodes or aliases than this. */
const MAX_ALIASES = 100

/**
 * Reads new tasks from YAML or JSON: a list, one task, or either of them under `task` or `tasks`. `known`: the tasks that
 * are there. Every problem is found at once, each with its line.
 */
export async function readNewTasks(
  text: string,
  options: TaskRules & { specId: string | null; now: string },
  known: readonly PipelineTask[],
): Promise<ReadFile> {
  const parsed = await parse(text)
  if ('problems' in parsed) return parsed
  const { entries, at } = entriesOf(parsed.value)
  if (entries.length === 0)
    return {
      problems: [{ line: null, path: [], problem: 'has no tasks: a list of them, or one under "task:"' }],
    }
  const read = entries.map(entry => readGivenTask(entry, options))
  const problems = read.flatMap((one, index) =>
    'problems' in one
      ? one.problems.map(({ path, problem }) => ({
          line: parsed.lineOf([...at(index), ...path]),
          path: [...at(index), ...path],
          problem,
        }))
      : [],
  )
  if (problems.length > 0) return { problems }
  const tasks = read.flatMap(one => ('task' in one ? [one.task] : []))
  const clashes = checkNewTasks(tasks, known).map(({ path, problem }) => {
    const [index, ...rest] = path
    return { line: parsed.lineOf([...at(Number(index)), ...rest]), path, problem }
  })
  return clashes.length > 0 ? { problems: clashes } : { tasks }
}

export const showFileProblem = (file: string, { line, path, problem }: FileProblem): string =>
  `${file}${line === null ? '' : `:${line}`}: ${[showPath(path), problem].filter(Boolean).join(' ')}`

type Parsed = { value: unknown; lineOf(path: Path): number | null }

/** JSON is read as JSON, because YAML does not take tabs everywhere. Lines come from the YAML reader in both cases. */
async function parse(text: string): Promise<Parsed | { problems: FileProblem[] }> {
  const { LineCounter, parseDocument, isNode } = await import('yaml')
  const lines = new LineCounter()
  const fail = (line: number | null, problem: string) => ({ problems: [{ line, path: [], problem }] })
  const isJson = /^\s*[[{]/.test(text)
  let value: unknown
  try {
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'silent' })
    if (isJson) value = parseJson(text)
    else {
      const [error] = document.errors
      if (error) return fail(lines.linePos(error.pos[0]).line, firstLine(error.message))
      value = document.toJS({ maxAliasCount: MAX_ALIASES })
    }
    const lineOf = (path: Path): number | null => {
      // The nearest that is there: a missing key has no line of its own.
      for (let length = path.length; length > 0; length--) {
        const node = document.getIn(path.slice(0, length), true)
        if (isNode(node) && node.range) return lines.linePos(node.range[0]).line
      }
      return null
    }
    return { value, lineOf }
  } catch (error) {
    if (error instanceof JsonError) return fail(Number(error.place.split(':')[0]), error.what)
    return fail(null, `cannot be read: ${firstLine((error as Error).message)}`)
  }
}

/** The tasks of a file, and the path of each. */
function entriesOf(value: unknown): { entries: unknown[]; at(index: number): Path } {
  for (const key of ['task', 'tasks'])
    if (isObject(value) && Object.hasOwn(value, key)) {
      const { entries, at } = entriesOf(value[key])
      return { entries, at: index => [key, ...at(index)] }
    }
  if (Array.isArray(value)) return { entries: value, at: index => [index] }
  return { entries: isObject(value) ? [value] : [], at: () => [] }
}

/**
 * What is wrong with new tasks among the known ones: an id that is taken, a dependency that does not exist, a
 * cycle. Paths begin with the index of the new task.
 */
export function checkNewTasks(fresh: readonly PipelineTask[], known: readonly PipelineTask[]): TaskProblem[] {
  const all = new Set([...known, ...fresh].map(({ id }) => id))
  // By lower case: on some systems two names that differ only in case are one file.
  const taken = new Map(known.map(({ id }) => [id.toLowerCase(), id]))
  const problems: TaskProblem[] = []
  for (const [index, { id, dependencies }] of fresh.entries()) {
    const other = taken.get(id.toLowerCase())
    if (other !== undefined)
      problems.push({ path: [index, 'id'], problem: `is taken: there is a task ${other} already` })
    else taken.set(id.toLowerCase(), id)
    for (const [place, dependency] of dependencies.entries())
      if (!all.has(dependency))
        problems.push({
          path: [index, 'dependencies', place],
          problem: `is ${dependency}, which does not exist`,
        })
  }
  if (problems.length > 0) return problems
  const cycle = findCycle(
    [...known, ...fresh].map(({ id, title, dependencies }) => ({ id, title, blockedBy: dependencies })),
  )
  if (cycle === null) return []
  const index = fresh.findIndex(({ id }) => cycle.includes(id))
  return [{ path: [index, 'dependencies'], problem: `would make a cycle: ${cycle.join(' → ')}` }]
}
