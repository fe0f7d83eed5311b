import { setTimeout as delay } from 'node:timers/promises'
import { type ProcessEntry, processes } from './proc.ts'

/** How often to try to kill; what is left then cannot be killed, because it waits for a dead disk for example. */
const ROUNDS = 30
const BLANK_ATTEMPTS = 4

/** Pids with their start times: a pid alone could mean a later, unrelated process. */
type Known = ReadonlyMap<number, string>

/** The processes to end. */
export type Target = {
  /** Leaders of process groups, running or not. */
  leaders: Known
  /** Everything that carries all of these marks. */
  marks: readonly string[]
  /** Nothing that carries one of these marks, and nothing of these groups or below their leaders. */
  spare?: { marks: readonly string[]; leaders?: Known }
}

/**
 * Ends the target and all its descendants: TERM, the grace (shorter if all exit sooner), then KILL until nothing is
 * found. It never ends this process or one of its ancestors.
 */
export async function endTree(target: Target, graceMs: number): Promise<void> {
  // Grows with every search: once a parent has died, its children cannot be found through it.
  const known = new Map(target.leaders)
  const { found, groups } = await find(target, known)
  if (found.length === 0) return
  for (const pgid of groups) send(-pgid, 'SIGTERM')
  for (const { pid, pgid } of found) if (!groups.has(pgid)) send(pid, 'SIGTERM')
  if (await waitForExit(target, known, performance.now() + graceMs)) return
  for (let round = 0; round < ROUNDS; round++) {
    const left = (await find(target, known)).found
    if (left.length === 0) return
    // STOP first: a child that starts while its parent is being killed would not be found as a descendant.
    for (const { pid } of left) send(pid, 'SIGSTOP')
    for (const { pid } of (await find(target, known)).found) send(pid, 'SIGKILL')
    await delay(Math.min(2 ** round, 100))
  }
}

/**
 * Those of the given processes that carry all the marks and none of the spared ones. A blank one is checked again before
 * it counts as unrelated.
 */
export async function findMarked(
  among: readonly number[],
  marks: readonly string[],
  spared: readonly string[] = [],
): Promise<number[]> {
  let found: number[] = []
  let open = among
  for (let attempt = 0; open.length > 0 && attempt < BLANK_ATTEMPTS; attempt++) {
    if (attempt > 0) await delay(2 ** attempt)
    const { marked, blank } = processes.findMarks(open, marks)
    found.push(...marked)
    open = blank
  }
  for (const mark of spared) {
    const elsewhere = processes.findMarks(found, [mark]).marked
    found = found.filter(pid => !elsewhere.includes(pid))
  }
  return found
}

/** Whether a group has members; a zombie counts until its parent has waited for it. */
export function groupLives(pgid: number): boolean {
  try {
    process.kill(-pgid, 0)
    return true
  } catch {
    return false
  }
}

async function find(
  target: Target,
  known: Map<number, string>,
): Promise<{ found: ProcessEntry[]; groups: Set<number> }> {
  const { spare } = target
  const marked = new Set(await findMarked(processes.pidsSince(null), target.marks, spare?.marks))

  const all = processes.list()
  const byPid = new Map(all.map(entry => [entry.pid, entry]))
  const protectedPids = ancestorsOf(process.pid, byPid)
  const children = childrenOf(all)
  const isSpared = ({ pid, pgid }: ProcessEntry) => spare?.leaders?.has(pgid) || spare?.leaders?.has(pid)
  for (const entry of descendantsOf(all.filter(isSpared), children)) protectedPids.add(entry.pid)
  const groups = new Set<number>()
  for (const [pgid, start] of target.leaders) {
    // The pid of a group is not reused while it has members, so a leader with another start time leads another group.
    const leader = byPid.get(pgid)
    if (!protectedPids.has(pgid) && (!leader || leader.startTime === start)) groups.add(pgid)
  }

  const open = all.filter(
    ({ pid, pgid, startTime }) => marked.has(pid) || groups.has(pgid) || known.get(pid) === startTime,
  )
  const found = descendantsOf(open, children, protectedPids)
  for (const { pid, startTime } of found) known.set(pid, startTime)
  for (const pgid of groups) if (!all.some(entry => entry.pgid === pgid)) groups.delete(pgid)
  return { found, groups }
}

/** These processes and all below them; nothing that is left out, and nothing below it unless it is found otherwise. */
function descendantsOf(
  from: readonly ProcessEntry[],
  children: ReadonlyMap<number, ProcessEntry[]>,
  leftOut: ReadonlySet<number> = new Set(),
): ProcessEntry[] {
  const found = new Map<number, ProcessEntry>()
  const open = [...from]
  for (let entry = open.pop(); entry; entry = open.pop()) {
    if (found.has(entry.pid) || leftOut.has(entry.pid)) continue
    found.set(entry.pid, entry)
    open.push(...(children.get(entry.pid) ?? []))
  }
  return [...found.values()]
}

function childrenOf(all: readonly ProcessEntry[]): Map<number, ProcessEntry[]> {
  const children = new Map<number, ProcessEntry[]>()
  for (const entry of all) {
    const siblings = children.get(entry.ppid)
    if (siblings) siblings.push(entry)
    else children.set(entry.ppid, [entry])
  }
  return children
}

/** A process and its ancestors, always with pids 0 and 1. */
function ancestorsOf(pid: number, byPid: ReadonlyMap<number, ProcessEntry>): Set<number> {
  const ancestors = new Set([0, 1])
  for (let at: number | undefined = pid; at !== undefined && !ancestors.has(at); at = byPid.get(at)?.ppid)
    ancestors.add(at)
  return ancestors
}

/** Whether all have exited before the deadline. */
async function waitForExit(target: Target, known: Map<number, string>, deadline: number): Promise<boolean> {
  for (let pause = 4; performance.now() < deadline; pause = Math.min(pause * 2, 50)) {
    await delay(Math.min(pause, deadline - performance.now()))
    if (!anyLives(known) && (await find(target, known)).found.length === 0) return true
  }
  return false
}

function anyLives(known: Known): boolean {
  for (const [pid, start] of known) if (processes.entry(pid)?.startTime === start) return true
  return false
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has exited already, or ralph has no permission.
  }
}
