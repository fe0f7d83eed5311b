import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Exit, ProcessRef } from '../../core/events.ts'
import type { Command, Env, Live, Runner, Sink } from '../../core/ports.ts'
import type { StepId } from '../../core/table.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { follow } from './follow.ts'
import { type Launched, launch } from './launch.ts'
import type { Marks } from './marks.ts'
import { isAlive, type ProcessStart, processRef } from './proc.ts'
import {
  allLeaders,
  isOfIncarnation,
  isOfRun,
  isOfStep,
  isRalphs,
  limitMark,
  liveLeaders,
  type Processes,
  type ProcessRunnerOptions,
  release,
  stepName,
} from './run-processes.ts'
import { endTree, findMarked, groupLives, type Target } from './tree.ts'
import { keepWarden } from './warden.ts'

/** The grace for leftover processes. The full grace is for what ralph stops while it works. */
const LEFTOVER_GRACE_MS = 300

export interface ProcessRunner extends Runner {
  /** Throws CannotGoOn if nothing can be started. Call it before a step begins, so that no step fails because of it. */
  requireWarden(): Promise<void>
  /** Starts a command in a step. With null as the step, outside any. */
  start(command: Command, id: StepId | null, sink: Sink): Promise<Live>
  /** As `start`, but both output streams go to this open file. Without a pipe, no child can hold it open. */
  startToFile(command: Command, id: StepId | null, fd: number): Promise<Live>
  /** As `start`, but something else starts the process, with the same marks. */
  startBy(command: Command, id: StepId | null, start: StartProcess): Promise<Live>
  /** Ends what a step left running. With null, what was started outside any. */
  sweep(id: StepId | null): Promise<void>
  /** The environment for agents, so that what they start does not outlive ralph. */
  marks: Env
  /** The same for what ralph itself runs elsewhere, git for example: no sweep ends it. Agents never get it. */
  ownMarks: Env
  /** Ends everything of this run. Nothing can be started afterwards. */
  close(): Promise<void>
}

/** A process that leads its own group. */
export type StartedProcess = {
  pid: number
  /** It is known by now, so it is ended whatever happens to ralph. It may wait for that before it does anything. */
  go?(): void
  onExit(callback: () => void): void
  /** Passes its output on, until it has exited. */
  follow(): Promise<Exit>
  /** How one sees whether it is at work. Absent if that is by its output. */
  watched?: Live['watched']
}

/** Starts a marked command. `prefix`: the words before it that set a mark, too. */
type StartProcess = (command: Command, prefix: readonly string[]) => Promise<StartedProcess>

/** One started process, and what is needed to end it. */
type Call = {
  name: string
  step: string
  ref: ProcessRef
  /** The time of its start, by performance.now. */
  at: number
  inside: Sandbox | undefined
}

/**
 * Runs processes on this machine so that none outlives its iteration or ralph. Each process leads its own group and has
 * marks in its environment, which its descendants inherit. RALPH_RUN and RALPH_STEP name the run and the step.
 * RALPH_INCARNATION is this incarnation: the warden looks for it, so it never ends what a resumed run has just started.
 * RALPH_CALL is this one process: `stop` looks for it, so it never ends another check of the same step.
 * A process can change or clear its environment, so a resource limit marks the run and the incarnation, too, and a sweep
 * ends everything of the run that is not known to belong elsewhere.
 */
export function processRunner(options: ProcessRunnerOptions): ProcessRunner {
  const { run, graceMs, sandbox } = options
  const incarnation = randomUUID()
  const marks = { RALPH_RUN: run, RALPH_INCARNATION: incarnation }
  const limit = limitMark(run, incarnation)
  const mark = { name: 'RALPH_INCARNATION', value: incarnation, limit: limit.value }
  const warden = keepWarden(
    mark,
    () => void endTree({ leaders: allLeaders(processes), isOurs: found => isOfRun(processes, found) }, 0),
  )
  const processes: Processes = {
    ...options,
    incarnation,
    marks,
    ownMarks: { ...marks, RALPH_CALL: randomUUID() },
    limit,
    warden,
    groups: new Map(),
    firstProcesses: new Map(),
    stepsByCall: new Map(),
    running: new Map(),
    stopping: new Map(),
    calls: 0,
    closed: false,
  }
  const { ownMarks } = processes
  return {
    marks,
    ownMarks,
    requireWarden: warden.start,
    start: (command, id, sink) =>
      startMarked(
        processes,
        command,
        id,
        launchedTo('pipe', child => follow(child, sink)),
      ),
    startToFile: (command, id, fd) =>
      startMarked(
        processes,
        command,
        id,
        launchedTo(fd, async child => {
          const [code, signal] = await once(child, 'exit')
          return { code, signal }
        }),
      ),
    startBy: (command, id, start) => startMarked(processes, command, id, start),
    sweep: id => sweep(processes, id),
    async reap(refs) {
      const leaders = new Map(refs.filter(isAlive).map(ref => [ref.pid, ref.startTime]))
      const isEarlier = (found: Marks) => isOfRun(processes, found) && !isOfIncarnation(processes, found)
      await endTree({ leaders, isOurs: isEarlier }, graceMs)
      await sandbox?.recover?.(ownMarks)
    },
    close: () => close(processes),
  }
}

async function startMarked(
  processes: Processes,
  command: Command,
  id: StepId | null,
  start: StartProcess,
): Promise<Live> {
  const { warden, running, firstProcesses, groups, sandbox, ownMarks } = processes
  if (processes.closed) throw new Error(`cannot start ${command.argv[0]}: the run is over`)
  const step = stepName(id)
  const name = `${processes.incarnation}.${++processes.calls}`
  const own = { ...processes.marks, RALPH_STEP: step, RALPH_CALL: name }
  const at = performance.now()
  await warden.start()
  running.set(name, step)
  processes.stepsByCall.set(name, step)
  const marked = { ...command, env: { ...command.env, ...processes.mark, ...own } }
  const inside = command.unconfined ? undefined : sandbox
  const launching = processes.limit
    .prefix()
    .then(async prefix => start(inside ? await inside.wrap(marked, name, ownMarks) : marked, prefix))
  const child = await launching.catch(async error => {
    running.delete(name)
    await inside?.after?.(name)
    throw error
  })
  // It may have waited for room meanwhile.
  if (processes.closed) process.kill(-child.pid, 'SIGKILL')
  const ref = processRef(child.pid)
  if (!firstProcesses.has(step)) firstProcesses.set(step, { pid: child.pid, at })
  groups.set(child.pid, { startTime: ref.startTime, step })
  warden.add(child.pid)
  child.onExit(() => {
    running.delete(name)
    if (!groupLives(child.pid)) release(processes, child.pid)
  })
  child.go?.()

  const followed = child.follow()
  const exit = inside?.after ? followed.finally(() => inside.after?.(name)) : followed
  const call: Call = { name, step, ref, at, inside }
  let stopped: Promise<void> | undefined
  const stop = (): Promise<void> => {
    stopped ??= stopCall(processes, call)
    return stopped
  }
  async function sweepCall(): Promise<void> {
    await stopped
    await ([...running.values()].includes(step) ? endLeftoversOf(processes, call) : sweep(processes, id))
  }
  // If the output cannot be stored, the process must not go on.
  exit.catch(stop)
  return { ref, exit, stop, sweep: sweepCall, ...(child.watched && { watched: child.watched }) }
}

function stopCall(processes: Processes, { name, step, ref, inside }: Call): Promise<void> {
  const { sandbox, graceMs, stopping } = processes
  const target = {
    leaders: new Map([[ref.pid, ref.startTime]]),
    isOurs: (found: Marks) => found.call === name,
    ...(sandbox && { asked: (found: Marks) => found.inside === name }),
  }
  const endHere = () => endTree(target, graceMs)
  const ending = (inside?.end ? inside.end(name, graceMs).then(endHere) : endHere()).finally(() => {
    release(processes, ref.pid)
    stopping.delete(ending)
  })
  stopping.set(ending, step)
  return ending
}

/** Ends what one process left, while others of its step are at work. */
function endLeftoversOf(processes: Processes, { name, ref, at }: Call): Promise<void> {
  const leaders = liveLeaders(processes, ([pgid]) => pgid === ref.pid)
  return endLeftovers(processes, { leaders, isOurs: found => found.call === name }, { pid: ref.pid, at })
}

async function sweep(processes: Processes, id: StepId | null): Promise<void> {
  const { stopping, firstProcesses, stepsByCall, running } = processes
  const step = stepName(id)
  await Promise.all([...stopping].flatMap(([ending, stoppedStep]) => (stoppedStep === step ? ending : [])))
  const first = firstProcesses.has(step) ? oldest(firstProcesses.values()) : null
  firstProcesses.delete(step)
  // Once this incarnation is closed, what carries the run's marks is of the next one.
  const isLeft = (found: Marks) =>
    !processes.closed &&
    isOfRun(processes, found) &&
    !isRalphs(processes, found) &&
    isOfStep(processes, found, step)
  const spared = liveLeaders(processes, ([, group]) => group.step !== step && firstProcesses.has(group.step))
  const leaders = liveLeaders(processes, ([, group]) => group.step === step)
  await endLeftovers(processes, { leaders, isOurs: isLeft, spared }, first)
  for (const [call, callStep] of stepsByCall)
    if (callStep === step && !running.has(call)) stepsByCall.delete(call)
}

async function close(processes: Processes): Promise<void> {
  processes.closed = true
  await processes.sandbox?.close()
  const leaders = allLeaders(processes)
  await endTree({ leaders, isOurs: found => isOfRun(processes, found) }, leftoverGrace(processes))
  for (const pgid of leaders.keys()) release(processes, pgid)
  processes.warden.dismiss()
}

/** Ends what is left. `first` is the oldest process that can be one of them, or null if any can. */
async function endLeftovers(processes: Processes, target: Target, first: ProcessStart | null): Promise<void> {
  // Almost always nothing is left, so this check must be fast.
  if (target.leaders.size === 0 && (await findMarked(first, target.isOurs)).length === 0) return
  await endTree(target, leftoverGrace(processes))
  for (const pgid of target.leaders.keys()) release(processes, pgid)
}

const leftoverGrace = ({ graceMs }: Processes): number => Math.min(graceMs, LEFTOVER_GRACE_MS)

/** Starts a process as a child of this one. */
const launchedTo =
  (output: 'pipe' | number, watch: (child: Launched) => Promise<Exit>): StartProcess =>
  async (command, prefix) => {
    const child = await launch(command, output, prefix)
    return {
      pid: child.pid,
      onExit: callback => void child.once('exit', callback),
      follow: () => watch(child),
    }
  }

const oldest = (starts: Iterable<ProcessStart>): ProcessStart =>
  [...starts].reduce((first, start) => (start.at < first.at ? start : first))
