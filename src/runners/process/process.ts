import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Exit } from '../../core/events.ts'
import type { Command, Live, Runner } from '../../core/ports.ts'
import type { StepId } from '../../core/table.ts'
import { follow } from './follow.ts'
import { type Launched, launch } from './launch.ts'
import { type Birth, isAlive, processes, processRef } from './proc.ts'
import { endTree, findMarked, groupLives } from './tree.ts'
import { keepWarden } from './warden.ts'

/** What was left behind may tidy up this long; the full grace is for what was stopped at work. */
const LEFTOVER_GRACE_MS = 300

export interface ProcessRunner extends Runner {
  /** Throws CannotGoOn where nothing can be started: before a step begins, so that none is lost to it. */
  ready(): void
  /** As `start`, but both output streams go to this open file: no pipe, so nothing that anyone could hold. */
  startToFile(command: Command, id: StepId | null, fd: number): Promise<Live>
  /** Ends everything that still carries this step's mark; null: what was started for no step. */
  sweep(id: StepId | null): Promise<void>
  /** What makes a process this sitting's, for those that others start: they do not outlive ralph either. */
  marks: Record<string, string>
  /** Ends everything of this run. Nothing can be started afterwards. */
  close(): Promise<void>
}

/**
 * Runs processes on this machine, so that none outlives its iteration, nor ralph. Each leads a group of its
 * own and carries marks in its environment, which its descendants inherit wherever they go. RALPH_RUN and
 * RALPH_STEP say whose it is. RALPH_SITTING is one life of ralph: the warden ends by it, so that it never
 * meets what a resumed run has just started. RALPH_CALL is this one process: `stop` ends by it, so that it
 * never meets another check of the same step.
 */
export function processRunner({
  run,
  graceMs,
  mark = {},
}: {
  run: string
  graceMs: number
  mark?: Record<string, string>
}): ProcessRunner {
  const sitting = randomUUID()
  const marks = { RALPH_RUN: run, RALPH_SITTING: sitting }
  const warden = keepWarden({ name: 'RALPH_SITTING', value: sitting })
  /** The groups that may still have members, by their leader. */
  const groups = new Map<number, { startTime: string; step: string }>()
  /** The first process of each step since it was last swept: nothing older can be the step's. */
  const births = new Map<string, Birth>()
  /** Who is being stopped, with the whole grace, and at which step: whoever sweeps meanwhile waits for that. */
  const stopping = new Map<Promise<void>, string>()
  const leftoverGraceMs = Math.min(graceMs, LEFTOVER_GRACE_MS)
  let calls = 0
  let closed = false

  function release(pgid: number): void {
    groups.delete(pgid)
    warden.drop(pgid)
  }

  async function begin(
    command: Command,
    id: StepId | null,
    output: 'pipe' | number,
    watch: (child: Launched) => Promise<Exit>,
  ): Promise<Live> {
    if (closed) throw new Error(`cannot start ${command.argv[0]}: the run is over`)
    const step = stepName(id)
    const call = `${sitting}.${++calls}`
    const own = { ...marks, RALPH_STEP: step, RALPH_CALL: call }
    const at = performance.now()
    warden.start()
    const child = await launch({ ...command, env: { ...command.env, ...mark, ...own } }, output)
    const ref = processRef(child.pid)
    if (!births.has(step)) births.set(step, { pid: child.pid, at })
    groups.set(child.pid, { startTime: ref.startTime, step })
    warden.add(child.pid)
    child.once('exit', () => {
      if (!groupLives(child.pid)) release(child.pid)
    })

    const exit = watch(child)
    let stopped: Promise<void> | undefined
    const stop = (): Promise<void> => {
      if (stopped) return stopped
      const target = { leaders: new Map([[ref.pid, ref.startTime]]), marks: [`RALPH_CALL=${call}`] }
      const ending = endTree(target, graceMs).finally(() => {
        release(ref.pid)
        stopping.delete(ending)
      })
      stopping.set(ending, step)
      stopped = ending
      return ending
    }
    // Output that cannot be taken: the process works for nobody.
    exit.catch(stop)
    return { ref, exit, stop }
  }

  return {
    marks,
    ready: warden.start,
    start: (command, id, sink) => begin(command, id, 'pipe', child => follow(child, sink)),

    startToFile: (command, id, fd) =>
      begin(command, id, fd, async child => {
        const [code, signal] = await once(child, 'exit')
        return { code, signal }
      }),

    async sweep(id) {
      const step = stepName(id)
      await Promise.all([...stopping].flatMap(([ending, of]) => (of === step ? ending : [])))
      const marks = [`RALPH_RUN=${run}`, `RALPH_STEP=${step}`]
      const birth = births.get(step) ?? null
      births.delete(step)
      const leaders = new Map<number, string>()
      for (const [pgid, group] of groups) {
        if (group.step !== step) continue
        if (groupLives(pgid)) leaders.set(pgid, group.startTime)
        else release(pgid)
      }
      // After almost every iteration there is nothing left, and that must cost next to nothing.
      if (leaders.size === 0 && (await findMarked(processes.pidsSince(birth), marks)).length === 0) return
      await endTree({ leaders, marks }, leftoverGraceMs)
      for (const pgid of leaders.keys()) release(pgid)
    },

    async reap(refs) {
      const leaders = new Map(refs.filter(isAlive).map(ref => [ref.pid, ref.startTime]))
      await endTree({ leaders, marks: [`RALPH_RUN=${run}`], spare: `RALPH_SITTING=${sitting}` }, graceMs)
    },

    async close() {
      closed = true
      const leaders = new Map([...groups].map(([pgid, { startTime }]) => [pgid, startTime]))
      await endTree({ leaders, marks: [`RALPH_RUN=${run}`] }, leftoverGraceMs)
      for (const pgid of leaders.keys()) release(pgid)
      warden.dismiss()
    },
  }
}

/** What was started for no step (checks before the first) is not to be taken for any step's. */
const stepName = (id: StepId | null): string => (id === null ? 'none' : String(id))
