import { setTimeout as delay } from 'node:timers/promises'
import type { Marks } from './marks.ts'
import { type ProcessEntry, type ProcessStart, processes } from './proc.ts'

/** How often to try to kill. What is left then cannot be killed, because it waits for a dead disk for example. */
const ROUNDS = 30
/** How often a process is looked at whose environment cannot be read now. */
const BLANK_ATTEMPTS = 4
/** How often to look at processes that started during the search. */
const MORE_LOOKS = 10

/** Pids with their start times: a pid alone could mean a later, unrelated process. */
type Known = ReadonlyMap<number, string>

/** The processes to end. */
export type Target = {
  /** Leaders of process groups, running or not. */
  leaders: Known
  /** Everything with marks like these. */
  isOurs: IsOurs
  /** But nothing of these groups or below their leaders. */
  spared?: Known
  /** Only these get TERM, if there are any: a sandbox around them that got it would kill them at once. */
  asked?: IsOurs
}

export type IsOurs = (marks: Marks) => boolean

/**
 * Ends the target and all its descendants: TERM, the grace (shorter if all exit sooner), then KILL until nothing is
 * found. It never ends this process or one of its ancestors.
 */
export async function endTree(target: Target, graceMs: number): Promise<void> {
  // Grows with every search: once a parent has died, its children cannot be found through it.
  const known = new Map(target.leaders)
  const first = await find(target, known)
  if (isNothing(first)) return
  const asked = target.asked ? await findMarked(null, target.asked) : []
  signalAll(asked.length > 0 ? alone(asked) : first, 'SIGTERM')
  if (await waitForExit(target, known, performance.now() + graceMs)) return
  for (let round = 0; round < ROUNDS; round++) {
    const left = await find(target, known)
    if (isNothing(left)) return
    // STOP first: a child that starts while its parent is being killed would not be found as a descendant.
    signalAll(left, 'SIGSTOP')
    signalAll(await find(target, known), 'SIGKILL')
    await delay(Math.min(2 ** round, 100))
  }
}

/** `isLimited`: its limit says so, whatever its environment says. */
type Marked = { entry: ProcessEntry; isLimited: boolean }

/** Finds what is ours among the processes that may have started since this one. With null, among all. */
export async function findMarked(start: ProcessStart | null, isOurs: IsOurs): Promise<Marked[]> {
  const found: Marked[] = []
  const collect = (among: readonly number[]): number[] => {
    const unreadable: number[] = []
    for (const { pid, marks } of processes.readMarks(among)) {
      if (marks === null) unreadable.push(pid)
      else if (isOurs(marks)) {
        // At once: in a moment it may be gone, and only its group shows where its child is.
        const entry = processes.entry(pid)
        const { limit } = marks
        if (entry) found.push({ entry, isLimited: limit !== undefined && isOurs({ limit }) })
      }
    }
    return unreadable
  }
  let newest = processes.newestPid()
  let open = collect(processes.pidsSince(start, newest))
  for (let more = 0; newest !== null && more < MORE_LOOKS; more++) {
    const last: number = newest
    newest = processes.newestPid()
    if (newest === null || newest <= last) break
    open.push(...collect(Array.from({ length: newest - last }, (_, i) => last + 1 + i).reverse()))
  }
  for (let attempt = 1; open.length > 0 && attempt < BLANK_ATTEMPTS; attempt++) {
    await delay(2 ** attempt)
    open = collect(open)
  }
  return found
}

/** Whether a group has members. A zombie counts until its parent has waited for it. */
export function groupLives(pgid: number): boolean {
  try {
    process.kill(-pgid, 0)
    return true
  } catch {
    return false
  }
}

type Found = { found: ProcessEntry[]; groups: Set<number> }

async function find({ leaders, isOurs, spared }: Target, known: Map<number, string>): Promise<Found> {
  const marked = await findMarked(null, isOurs)
  const all = processes.list()
  const byPid = new Map(all.map(entry => [entry.pid, entry]))
  const protectedPids = ancestorsOf(process.pid, byPid)
  const children = childrenOf(all)
  const isSpared = ({ pid, pgid }: ProcessEntry) => spared?.has(pgid) || spared?.has(pid)
  for (const entry of descendantsOf(all.filter(isSpared), children)) protectedPids.add(entry.pid)
  const protectedGroups = new Set([...protectedPids].map(pid => byPid.get(pid)?.pgid))
  const groups = new Set<number>()
  for (const [pgid, start] of leaders) {
    // The pid of a group is not reused while it has members, so a leader with another start time leads another group.
    const leader = byPid.get(pgid)
    if (!protectedPids.has(pgid) && (!leader || leader.startTime === start)) groups.add(pgid)
  }
  for (const pgid of groups) if (!all.some(entry => entry.pgid === pgid)) groups.delete(pgid)
  for (const { entry, isLimited } of marked) {
    // Only processes that ralph starts in a session of their own, or in a window of its own, get the limit, and nobody
    // can join a session from outside. So the whole group is ours, and one signal reaches even what forks faster than it can be listed.
    if (isLimited && !protectedGroups.has(entry.pgid) && groupLives(entry.pgid)) groups.add(entry.pgid)
  }

  const isMarked = new Set(marked.map(({ entry }) => entry.pid))
  const open = all.filter(
    ({ pid, pgid, startTime }) => isMarked.has(pid) || groups.has(pgid) || known.get(pid) === startTime,
  )
  const found = descendantsOf(open, children, protectedPids)
  for (const { pid, startTime } of found) known.set(pid, startTime)
  return { found, groups }
}

/** These processes and all below them, without what is left out and what is only below that. */
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
    if (!anyLives(known) && isNothing(await find(target, known))) return true
  }
  return false
}

function anyLives(known: Known): boolean {
  for (const [pid, start] of known) if (processes.entry(pid)?.startTime === start) return true
  return false
}

/** Some processes, and nothing else of their groups. */
const alone = (marked: readonly Marked[]): Found => ({
  found: marked.map(({ entry }) => entry),
  groups: new Set(),
})

const isNothing = ({ found, groups }: Found): boolean => found.length + groups.size === 0

/** A group by one signal, so that none of its members can fork in between. */
function signalAll({ found, groups }: Found, signal: NodeJS.Signals): void {
  for (const pgid of groups) send(-pgid, signal)
  for (const { pid, pgid } of found) if (!groups.has(pgid)) send(pid, signal)
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has exited already, or ralph has no permission.
  }
}
