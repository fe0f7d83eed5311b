import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { type Dice, dice } from '../core/dice.ts'

/** How often ralph is killed in a test; more for a long run. */
export const KILLS = Number(process.env.RALPH_KILLS ?? 12)

/** How many rounds are played at a time. */
const WIDTH = 4

/** Where the dice begin. Given by hand, the same moments come again (as far as the machine keeps time). */
const SEED = Number(process.env.RALPH_SEED ?? Date.now() % 1_000_000)

/** What to say when it fails, so that it can be had again. */
export const howAgain = `RALPH_SEED=${SEED} RALPH_KILLS=${KILLS}`

/** Dice of its own for every round, whatever the others do meanwhile. */
export const diceOf = (round: number): Dice => dice(SEED * 1000 + round)

/** Everything that carries this home in its environment: ralph itself, agents, checks and their children. */
export function leftovers(home: string): string[] {
  const mine = `RALPH_HOME=${home}`
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter(pid => readOf(pid, 'environ').split('\0').includes(mine))
    .map(pid => `${pid} ${readOf(pid, 'cmdline').replaceAll('\0', ' ')}`)
}

function readOf(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

const childrenOf = (pid: number): number[] =>
  readOf(String(pid), `task/${pid}/children`).split(' ').filter(Boolean).map(Number)

const descendantsOf = (pid: number): number[] =>
  childrenOf(pid).flatMap(child => [child, ...descendantsOf(child)])

/** The wardens of a ralph. */
export const wardensOf = (ralph: number): number[] =>
  childrenOf(ralph).filter(pid => readOf(String(pid), 'cmdline').includes('ralph-warden'))

/** Every git that a ralph, its agent or its checks run. */
export const gitsOf = (ralph: number): number[] =>
  descendantsOf(ralph).filter(pid => readOf(String(pid), 'comm') === 'git\n')

/** Whether this process is a child of a ralph. */
export const isChildOf = (ralph: number, pid: number): boolean => childrenOf(ralph).includes(pid)

/** Kills what is still there, and tells whether that was anything. */
export function killAll(pids: readonly number[]): boolean {
  const killed = pids.filter(pid => {
    try {
      return process.kill(pid, 'SIGKILL')
    } catch {
      return false
    }
  })
  return killed.length > 0
}

/** The same a second later, or as soon as two looks find nothing: what is gone starts nothing more. */
export async function leftoversLater(home: string): Promise<string[]> {
  let before = ['not looked yet']
  for (const end = Date.now() + 1000; Date.now() < end; await delay(50)) {
    const now = leftovers(home)
    if (now.length === 0 && before.length === 0) return []
    before = now
  }
  return leftovers(home)
}

/** Rounds side by side, in each of which ralph is killed about so many times, until that is often enough. */
export async function killAway(
  killsPerRound: number,
  play: (round: number) => Promise<number>,
  wanted = KILLS,
): Promise<number> {
  let kills = 0
  let round = 0
  let playing = 0
  const player = async () => {
    while (kills + playing * killsPerRound < wanted) {
      playing++
      const more = await play(round++)
      playing--
      kills += more
    }
  }
  await Promise.all(Array.from({ length: WIDTH }, player))
  return kills
}

/** Waits until it holds, looking often; false if the time is up. */
export async function soon(holds: () => boolean, ms = 15_000): Promise<boolean> {
  for (const end = Date.now() + ms; Date.now() < end; await delay(2)) if (holds()) return true
  return holds()
}
