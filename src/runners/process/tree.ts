import { setTimeout as delay } from 'node:timers/promises'
import { type Entry, processes } from './proc.ts'

/** Rounds of killing before what is left must be taken for unkillable (waiting for a dead disk, say). */
const ROUNDS = 30
const LOOKS_AT_BLANK = 4

/** Process numbers with their start times: by the number alone, a stranger could be meant. */
type Known = ReadonlyMap<number, string>

/** What is to be ended, by everything that can be known of it. */
export type Target = {
  /** Leaders of process groups, living or not. */
  leaders: Known
  /** Everything that carries all of these. */
  marks: readonly string[]
  /** But nothing that carries this. */
  spare?: string
}

/**
 * Ends the target and all its descendants: TERM, the grace (less if all are gone sooner), then KILL
 * until nothing is found. Never this process, nor one that it descends from.
 */
export async function endTree(target: Target, graceMs: number): Promise<void> {
  // Grows with every look: a parent that dies takes the trace to its children along.
  const known = new Map(target.leaders)
  const { found, groups } = await find(target, known)
  if (found.length === 0) return
  for (const pgid of groups) send(-pgid, 'SIGTERM')
  for (const { pid, pgid } of found) if (!groups.has(pgid)) send(pid, 'SIGTERM')
  if (await leave(target, known, performance.now() + graceMs)) return
  for (let round = 0; round < ROUNDS; round++) {
    const left = (await find(target, known)).found
    if (left.length === 0) return
    // Stopped first: a child born while its parent is being killed would be nobody's descendant.
    for (const { pid } of left) send(pid, 'SIGSTOP')
    for (const { pid } of (await find(target, known)).found) send(pid, 'SIGKILL')
    await delay(Math.min(2 ** round, 100))
  }
}

/** Those of the given processes that carry the marks. A blank one is looked at again before it counts as a stranger. */
export async function findMarked(among: readonly number[], marks: readonly string[]): Promise<number[]> {
  const found: number[] = []
  let open = among
  for (let look = 0; open.length > 0 && look < LOOKS_AT_BLANK; look++) {
    if (look > 0) await delay(2 ** look)
    const { marked, blank } = processes.look(open, marks)
    found.push(...marked)
    open = blank
  }
  return found
}

/** Whether a group has members; a zombie counts until it is buried. */
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
): Promise<{ found: Entry[]; groups: Set<number> }> {
  const marked = new Set(await findMarked(processes.pidsSince(null), target.marks))
  if (target.spare) for (const pid of await findMarked([...marked], [target.spare])) marked.delete(pid)

  const all = processes.list()
  const byPid = new Map(all.map(entry => [entry.pid, entry]))
  const untouchable = lineOf(process.pid, byPid)
  const groups = new Set<number>()
  for (const [pgid, start] of target.leaders) {
    // A group's number is taken as long as it has members: a leader of another age leads another group.
    const leader = byPid.get(pgid)
    if (!untouchable.has(pgid) && (!leader || leader.startTime === start)) groups.add(pgid)
  }

  const children = childrenOf(all)
  const found = new Map<number, Entry>()
  const open = all.filter(
    ({ pid, pgid, startTime }) => marked.has(pid) || groups.has(pgid) || known.get(pid) === startTime,
  )
  for (let entry = open.pop(); entry; entry = open.pop()) {
    if (found.has(entry.pid) || untouchable.has(entry.pid)) continue
    found.set(entry.pid, entry)
    known.set(entry.pid, entry.startTime)
    open.push(...(children.get(entry.pid) ?? []))
  }
  for (const pgid of groups) if (!all.some(entry => entry.pgid === pgid)) groups.delete(pgid)
  return { found: [...found.values()], groups }
}

function childrenOf(all: readonly Entry[]): Map<number, Entry[]> {
  const children = new Map<number, Entry[]>()
  for (const entry of all) {
    const siblings = children.get(entry.ppid)
    if (siblings) siblings.push(entry)
    else children.set(entry.ppid, [entry])
  }
  return children
}

/** A process and those it descends from, and the first of all. */
function lineOf(pid: number, byPid: ReadonlyMap<number, Entry>): Set<number> {
  const line = new Set([0, 1])
  for (let at: number | undefined = pid; at !== undefined && !line.has(at); at = byPid.get(at)?.ppid)
    line.add(at)
  return line
}

/** Whether all are gone before the deadline. */
async function leave(target: Target, known: Map<number, string>, deadline: number): Promise<boolean> {
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
    // Gone by itself, or not ours to end.
  }
}
