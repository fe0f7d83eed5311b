import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Exit } from '../../core/events.ts'
import type { Command, Live, Runner, Sink } from '../../core/ports.ts'
import type { StepId } from '../../core/table.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { follow } from './follow.ts'
import { type Launched, launch } from './launch.ts'
import { limitMark } from './limit-mark.ts'
import { isLimitOf, type Marks } from './marks.ts'
import { isAlive, type ProcessStart, processRef } from './proc.ts'
import { endTree, findMarked, groupLives, type Target } from './tree.ts'
import { keepWarden } from './warden.ts'

/** The grace for leftover processes; the full grace is for what ralph stops while it works. */
const LEFTOVER_GRACE_MS = 300

export interface ProcessRunner extends Runner {
  /** Throws CannotGoOn if nothing can be started. Call it before a step begins, so that no step fails because of it. */
  requireWarden(): Promise<void>
  /** null: outside any step. */
  start(command: Command, id: StepId | null, sink: Sink): Promise<Live>
  /** As `start`, but both output streams go to this open file. Without a pipe, no child can hold it open. */
  startToFile(command: Command, id: StepId | null, fd: number): Promise<Live>
  /** As `start`, but something else starts the process, with the same marks. */
  startBy(command: Command, id: StepId | null, start: StartProcess): Promise<Live>
  /** null: the step of what was started outside any. */
  sweep(id: StepId | null): Promise<void>
  /** The environment for agents, so that what they start does not outlive ralph. */
  marks: Record<string, string>
  /** The same for what ralph itself runs elsewhere, git for example: no sweep ends it. Agents never get it. */
  ownMarks: Record<string, string>
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
  /** How one sees whether it is at work; absent: by its output. */
  watched?: Live['watched']
}

/** Starts a marked command. `prefix`: the words before it that set a mark, too. */
type StartProcess = (command: Command, prefix: readonly string[]) => Promise<StartedProcess>

/**
 * Runs processes on this machine so that none outlives its iteration or ralph. Each process leads its own group and has
 * marks in its environment, which its descendants inherit. RALPH_RUN and RALPH_STEP name the run and the step.
 * RALPH_INCARNATION is this incarnation: the warden goes by it, so it never ends what a resumed run has just started.
 * RALPH_CALL is this one process: `stop` goes by it, so it never ends another check of the same step.
 * A process can change or clear its environment, so a resource limit marks the run and the incarnation, too, and a sweep
 * ends everything of the run that is not known to belong elsewhere.
 */
export function processRunner({
  run,
  graceMs,
  mark = {},
  sandbox,
}: {
  run: string
  graceMs: number
  mark?: Record<string, string>
  /** What everything is started in, unless it must stay outside. */
  sandbox?: Sandbox
}): ProcessRunner {
  const incarnation = randomUUID()
  const marks = { RALPH_RUN: run, RALPH_INCARNATION: incarnation }
  const ownCall = randomUUID()
  const ownMarks = { ...marks, RALPH_CALL: ownCall }
  const limit = limitMark(run, incarnation)
  const warden = keepWarden({ name: 'RALPH_INCARNATION', value: incarnation, limit: limit.value }, () => {
    const all = new Map([...groups].map(([pgid, { startTime }]) => [pgid, startTime]))
    void endTree({ leaders: all, isOurs: isOfRun }, 0)
  })
  /** Any one mark is enough: a process may have changed the others. */
  const isOfIncarnation = (its: Marks): boolean =>
    its.incarnation === incarnation ||
    its.call?.startsWith(`${incarnation}.`) === true ||
    (its.limit !== undefined && its.limit === limit.value)
  const isOfRun = (its: Marks): boolean =>
    its.run === run || isOfIncarnation(its) || (its.limit !== undefined && isLimitOf(run, its.limit))
  /** The process groups that may still have members, by their leader's pid. */
  const groups = new Map<number, { startTime: string; step: string }>()
  /** The first process of each step since its last sweep: nothing older is left of any of them. */
  const firstProcesses = new Map<string, ProcessStart>()
  /** The steps of the calls since the last sweep of each step. */
  const stepsByCall = new Map<string, string>()
  /** The step of each process that was started and has not exited. */
  const running = new Map<string, string>()
  /** The stops in progress, with their step: a sweep waits for them, so they get the full grace. */
  const stopping = new Map<Promise<void>, string>()
  const leftoverGraceMs = Math.min(graceMs, LEFTOVER_GRACE_MS)
  let calls = 0
  let closed = false

  function release(pgid: number): void {
    groups.delete(pgid)
    warden.drop(pgid)
  }

  /**
   * Whether a process is to go with a step. It belongs to the step that started it, or else to the one that it names. If
   * neither was started since its last sweep, it hides where it comes from, and goes with any step, unless another one is
   * at work, which it may belong to.
   */
  function isOfStep({ call, step: named }: Marks, step: string): boolean {
    const known = call === undefined ? undefined : stepsByCall.get(call)
    const from = known ?? (named === step || firstProcesses.has(named ?? '') ? named : undefined)
    return from === undefined ? ![...running.values()].some(other => other !== step) : from === step
  }

  /** What ralph runs itself is not started here, so it has no limit of the run's. */
  const isOwn = (its: Marks): boolean =>
    its.call === ownCall && (its.limit === undefined || !isLimitOf(run, its.limit))

  async function startMarked(command: Command, id: StepId | null, start: StartProcess): Promise<Live> {
    if (closed) throw new Error(`cannot start ${command.argv[0]}: the run is over`)
    const step = stepName(id)
    const call = `${incarnation}.${++calls}`
    const own = { ...marks, RALPH_STEP: step, RALPH_CALL: call }
    const at = performance.now()
    await warden.start()
    running.set(call, step)
    stepsByCall.set(call, step)
    const marked = { ...command, env: { ...command.env, ...mark, ...own } }
    const inside = command.unconfined ? undefined : sandbox
    const launching = limit
      .prefix()
      .then(async prefix => start(inside ? await inside.wrap(marked, call, ownMarks) : marked, prefix))
    const child = await launching.catch(async error => {
      running.delete(call)
      await inside?.after?.(call)
      throw error
    })
    // It may have waited for room meanwhile.
    if (closed) process.kill(-child.pid, 'SIGKILL')
    const ref = processRef(child.pid)
    if (!firstProcesses.has(step)) firstProcesses.set(step, { pid: child.pid, at })
    groups.set(child.pid, { startTime: ref.startTime, step })
    warden.add(child.pid)
    child.onExit(() => {
      running.delete(call)
      if (!groupLives(child.pid)) release(child.pid)
    })
    child.go?.()

    const followed = child.follow()
    const exit = inside?.after ? followed.finally(() => inside.after?.(call)) : followed
    let stopped: Promise<void> | undefined
    const stop = (): Promise<void> => {
      if (stopped) return stopped
      const target = {
        leaders: new Map([[ref.pid, ref.startTime]]),
        isOurs: (its: Marks) => its.call === call,
        ...(sandbox && { asked: (its: Marks) => its.inside === call }),
      }
      const endHere = () => endTree(target, graceMs)
      const ending = (inside?.end ? inside.end(call, graceMs).then(endHere) : endHere()).finally(() => {
        release(ref.pid)
        stopping.delete(ending)
      })
      stopping.set(ending, step)
      stopped = ending
      return ending
    }
    async function sweepCall(): Promise<void> {
      await stopped
      if (![...running.values()].includes(step)) return sweep(id)
      const leaders = liveLeaders(([pgid]) => pgid === ref.pid)
      await endLeftovers({ leaders, isOurs: its => its.call === call }, { pid: ref.pid, at })
    }
    // If the output cannot be stored, the process must not go on.
    exit.catch(stop)
    return { ref, exit, stop, sweep: sweepCall, ...(child.watched && { watched: child.watched }) }
  }

  /** Those of the known groups that still have members; the others are forgotten. */
  function liveLeaders(isWanted: (group: [number, { step: string }]) => boolean): Map<number, string> {
    const leaders = new Map<number, string>()
    for (const group of groups) {
      const [pgid, { startTime }] = group
      if (!isWanted(group)) continue
      if (groupLives(pgid)) leaders.set(pgid, startTime)
      else release(pgid)
    }
    return leaders
  }

  /** `first`: the oldest process that can be one of them; null: any. */
  async function endLeftovers(target: Target, first: ProcessStart | null): Promise<void> {
    // Almost always nothing is left, so this check must be fast.
    if (target.leaders.size === 0 && (await findMarked(first, target.isOurs)).length === 0) return
    await endTree(target, leftoverGraceMs)
    for (const pgid of target.leaders.keys()) release(pgid)
  }

  async function sweep(id: StepId | null): Promise<void> {
    const step = stepName(id)
    await Promise.all([...stopping].flatMap(([ending, stoppedStep]) => (stoppedStep === step ? ending : [])))
    const first = firstProcesses.has(step) ? oldest(firstProcesses.values()) : null
    firstProcesses.delete(step)
    // Once this incarnation is closed, what carries the run's marks is of the next one.
    const isLeft = (its: Marks) => !closed && isOfRun(its) && !isOwn(its) && isOfStep(its, step)
    const spared = liveLeaders(([, group]) => group.step !== step && firstProcesses.has(group.step))
    const leaders = liveLeaders(([, group]) => group.step === step)
    await endLeftovers({ leaders, isOurs: isLeft, spared }, first)
    for (const [call, its] of stepsByCall) if (its === step && !running.has(call)) stepsByCall.delete(call)
  }

  return {
    marks,
    ownMarks,
    requireWarden: warden.start,
    start: (command, id, sink) =>
      startMarked(
        command,
        id,
        launchedTo('pipe', child => follow(child, sink)),
      ),

    startToFile: (command, id, fd) =>
      startMarked(
        command,
        id,
        launchedTo(fd, async child => {
          const [code, signal] = await once(child, 'exit')
          return { code, signal }
        }),
      ),

    startBy: startMarked,

    sweep,

    async reap(refs) {
      const leaders = new Map(refs.filter(isAlive).map(ref => [ref.pid, ref.startTime]))
      await endTree({ leaders, isOurs: its => isOfRun(its) && !isOfIncarnation(its) }, graceMs)
      await sandbox?.recover?.(ownMarks)
    },

    async close() {
      closed = true
      await sandbox?.close()
      const leaders = new Map([...groups].map(([pgid, { startTime }]) => [pgid, startTime]))
      await endTree({ leaders, isOurs: isOfRun }, leftoverGraceMs)
      for (const pgid of leaders.keys()) release(pgid)
      warden.dismiss()
    },
  }
}

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

/** Processes outside any step (the baseline checks) must not match a step's mark. */
const stepName = (id: StepId | null): string => (id === null ? 'none' : String(id))

const oldest = (starts: Iterable<ProcessStart>): ProcessStart =>
  [...starts].reduce((first, start) => (start.at < first.at ? start : first))
