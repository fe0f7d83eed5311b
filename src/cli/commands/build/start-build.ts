import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { firstProblem } from '../../../core/format.ts'
import { UsageError } from '../../../core/usage-error.ts'
import { iterationLimit, ownTrees, prepare, startRun } from '../../../host/start.ts'
import type { Io } from '../../../runs/io.ts'
import { projectOf } from '../../../runs/project.ts'
import { pathSeenFrom } from '../../../store/files/paths.ts'
import { isAttended } from '../../../terminal/streams.ts'
import type { CheckedList } from '../../../workflows/build/rules/planned.ts'
import { readTaskList } from '../../../workflows/build/rules/sources/read-tasks.ts'
import type { BuildSpec } from '../../../workflows/build/spec.ts'
import { buildWorkflow } from '../../../workflows/build/workflow.ts'
import { limitsOf } from '../../../workflows/spec.ts'
import type { BuildOptions } from '../../verbs/run.ts'
import { propose, readFiles } from '../init/propose.ts'
import { readInput } from '../run/start-run.ts'
import { asWorker } from '../spawn/as-worker.ts'
import { withScreen } from '../watch/run-screen.ts'
import { readArgument } from './argument.ts'
import { resumeBuild } from './resume-build.ts'

/** Options that a build does not have, and what to use instead. */
const REMOVED: [keyof BuildOptions, string][] = [
  ['yolo', '--yolo is not needed: every goal becomes a list of tasks; just give the goal'],
  ['featureList', '--feature-list is gone: name the specification itself, or give a list with --tasks FILE'],
  ['completionPromise', '--completion-promise is gone: a build ends when its list is done, not on a word'],
  ['completionResponse', 'a build ends when its list is done; --completion-response (-c) is for ralph run'],
  ['donePattern', 'a build ends when its list is done; --done-pattern is for ralph run'],
  ['untilGreen', 'a build ends when its list is done; --until-green is for ralph run'],
]

/** Options for planning, which are useless if the list is given. */
const PLANNING = ['refine', 'yes'] as const

const UNASKED =
  'there is no terminal to ask about a refined goal, so ralph plans the goal as it is; --refine auto refines it anyway'

/** `ralph build`, from its options to the end of the run. */
export async function startBuild(
  argument: string | undefined,
  typed: BuildOptions,
  agentCommand: string[],
  io: Io,
): Promise<number> {
  const options = withScreen(asWorker(typed, io, { isParallel: true }), io)
  for (const [option, instead] of REMOVED) if (options[option] !== undefined) throw new UsageError(instead)
  if (options.resume !== undefined)
    return resumeBuild(options.resume, argument ?? null, options, agentCommand, io)
  const unused = options.tasks === undefined ? undefined : PLANNING.find(name => options[name] !== undefined)
  if (unused)
    throw new UsageError(
      `--${unused} cannot be used with --tasks: there is a list already, so nothing is planned`,
    )
  const goal = goalOf(argument, options)
  const list = options.tasks === undefined ? null : listOf(options.tasks)
  const prepared = prepare(options, agentCommand)
  const { base } = prepared
  const wanted = options.refine ?? 'ask'
  const refine = wanted === 'ask' && !isAttended(options) ? 'off' : wanted
  const notes = [...warnWithoutChecks(base)]
  if (refine !== wanted && list === null) notes.push(UNASKED)
  return startRun(
    buildWorkflow,
    prepared,
    {
      ...base,
      ...ownTrees(options, base.settings),
      workflow: buildWorkflow.name,
      goal,
      refine,
      asks: !options.yes,
      planOnly: options.planOnly ?? false,
      list,
    },
    { ...limitsOf(base.settings), iterations: iterationLimit(options) ?? null },
    options,
    notes,
  )
}

/** Without checks nothing is verified, so name the ones that init would propose. */
function warnWithoutChecks({ project, settings }: Pick<BuildSpec, 'project' | 'settings'>): string[] {
  if (settings.guardrails.length > 0) return []
  const found = propose(readFiles(project)).map(({ command }) => command)
  const fix = found.length > 0 ? `; ralph init would propose: ${found.join(', ')}` : '; ralph init adds some'
  return [`no checks: a task counts as done when the agent says so${fix}`]
}

function goalOf(argument: string | undefined, { tasks, projectDir }: BuildOptions): BuildSpec['goal'] {
  const project = projectOf(projectDir, process.env)
  if (argument === undefined && tasks !== undefined)
    return { type: 'list', path: asSeenFrom(project, tasks), text: `the tasks of ${tasks}` }
  const read = readArgument(argument ?? '', kindOf(argument ?? ''))
  if ('error' in read) throw new UsageError(read.error)
  if (read.type === 'goal') return read
  const text = readInput(resolve(read.path), `spec file ${read.path}`)
  if (text.trim() === '') throw new UsageError(`spec file ${read.path} is empty; write into it what to build`)
  return { type: 'spec', path: asSeenFrom(project, read.path), text }
}

/** Agents work in the project, but the user may have typed the path in another folder. */
const asSeenFrom = (project: string, path: string): string => pathSeenFrom(project, resolve(path))

function kindOf(path: string): 'file' | 'directory' | 'missing' {
  const found = path.trim() === '' || path.includes('\0') ? undefined : statAt(path)
  if (!found) return 'missing'
  return found.isDirectory() ? 'directory' : 'file'
}

/** statSync throws for a goal that is longer than any path can be. */
function statAt(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

function listOf(path: string): CheckedList {
  const read = readTaskList(path, readInput(resolve(path), `tasks file ${path}`))
  if (!('errors' in read)) return read
  throw new UsageError(firstProblem(read.errors))
}
