import type { AgentEnding, Exit, Finding, Outcome, Settled } from './events.ts'
import { listPaths } from './format.ts'
import type { Claims } from './ports.ts'
import type { Move, RunState, Stage, TaskState } from './table.ts'

type Ok = Extract<Outcome, { end: 'ok' }>

/** How an agent ended, as far as the outcome depends on it. */
type Ending = Omit<AgentEnding, 'ms' | 'claimed'>

/** What was found out about the work of a step. */
export type Evidence = {
  findings: Finding[]
  /** What the agent said or wrote about its work. */
  claims: Claims
  /** The fingerprint of the tree that the checks ran on. */
  tree?: string
  changed: boolean
}

/** The outcome of an iteration. Exit code 0 alone proves nothing; any other exit code is an error. */
export function agentOutcome(ending: Ending, { findings, tree, claims, changed }: Evidence): Outcome {
  const { how, result, limited } = ending
  const trouble = troubleOf(ending)
  if (trouble === null) {
    const denials = result.denials ?? 0
    return denials > 0
      ? { ...discounted(claims, findings, changed, denials), ...(tree !== undefined && { tree }) }
      : {
          end: 'ok',
          ...claims,
          findings,
          ...(tree !== undefined && { tree }),
          changed,
          ...saidIn(result.text),
          ...(how === 'inactive' && { fellSilent: true as const }),
        }
  }
  const { end, note } = trouble
  if (end === 'unusable') return { end, note }
  if (end === 'limited')
    return { end, note, ...(limited?.resetsAt !== undefined && { resetsAt: limited.resetsAt }) }
  return { end, note, changed }
}

/** Whether there is anything to verify: after trouble no check is run. */
export const needsChecks = (ending: Ending): boolean => troubleOf(ending) === null

/** Whether an iteration is not counted: its number is used again. */
export const isUncounted = ({ patch }: Pick<Settled, 'patch'>): boolean => patch.n === undefined

function troubleOf(ending: Ending): { end: Exclude<Outcome['end'], 'ok'>; note: string } | null {
  const { how, exit, result, limited, unusable, watched, stoppedByRalph } = ending
  switch (how) {
    case 'interrupted':
      return { end: 'interrupted', note: 'interrupted' }
    case 'timeout':
      return { end: 'timeout', note: 'the iteration took too long and was stopped' }
    case 'inactive':
      // On a screen, an agent that waits for the next input looks like this, so its work is checked.
      if (watched === 'screen') return null
      return { end: 'inactive', note: 'the agent fell silent and was stopped' }
    case 'exited':
      break
    default:
      return how satisfies never
  }
  if (unusable && !result.ok) return { end: 'unusable', note: unusable.note }
  if (limited && !result.ok) return { end: 'limited', note: limited.note }
  if (!result.ok)
    return {
      end: 'error',
      note: result.error?.trim() || `the agent reported an error (${describeExit(exit)})`,
    }
  if (!stoppedByRalph && exit.code !== 0)
    return { end: 'error', note: `${describeExit(exit)}, although the agent reported success` }
  if (result.text.trim() === '') return { end: 'empty', note: 'the agent gave an empty answer' }
  return null
}

/** How much of an answer is compared: its end, where an agent says what it did. */
const COMPARED = 2000
const KEPT_LETTERS = 200

/** A word or two, such as "Working.", is too short to be new or old. */
const LEAST_LETTERS = 12

/** The letters of an answer: numbers, times and marks may differ where nothing new is said. */
function saidIn(text: string): { said?: string } {
  const letters = text
    .slice(-COMPARED)
    .toLowerCase()
    .replace(/[^\p{L}]+/gu, '')
  return letters.length < LEAST_LETTERS ? {} : { said: `${letters.length} ${letters.slice(-KEPT_LETTERS)}` }
}

/** An agent whose tool calls were refused cannot have finished, whatever it says. */
function discounted(claims: Claims, findings: Finding[], changed: boolean, denials: number): Ok {
  const { signal: _, verdict, note, ...rest } = claims
  const refused = `${denials} tool call${denials === 1 ? ' was' : 's were'} refused`
  const rejects = verdict === 'reject'
  return {
    end: 'ok',
    ...rest,
    ...(rejects && { verdict }),
    note: rejects && note ? `${note}\n${refused}` : refused,
    findings,
    changed,
    denials,
  }
}

/** The checks that were red when they last ran on exactly this tree. */
export function redOnTree({ checked }: RunState, tree: string | null, workspace = ''): readonly string[] {
  const last = checked[workspace]
  return last !== undefined && last.tree === tree ? last.red : []
}

/** A check that is green on a tree on which it was red: chance may have made it green, so it has to be so once more. */
export const asFlaky = (finding: Finding): Finding => ({
  ...finding,
  verdict: 'unsure',
  flaky: true,
  note: `Guardrail "${finding.check}" is flaky: it failed before and passes now, on the same tree.\nIf it depends on chance, time or the network, make it reliable. It counts once it passes again.`,
  action: 'APPEND',
})

/** The checks change the tree each time they run: nobody has checked it as it is now. */
export function unstableTree(paths: readonly string[]): Finding {
  const doubt = `the tree changes whenever the checks run (${listPaths(paths) || 'a commit'}), so it was not checked as it is now`
  return {
    check: 'tree',
    verdict: 'pass',
    note: `The checks are green, but ${doubt}. Make the checks leave these files alone, or add the files to .gitignore.`,
    doubts: [doubt],
  }
}

const describeExit = (exit: Exit): string =>
  exit.signal === null ? `exit code ${exit.code}` : `ended by ${exit.signal}`

/** An iteration that leaves its task as it was: nothing is finished, red, changed, or said that was not said before. */
export function countIdle(
  me: TaskState,
  { changed, said, findings }: Ok,
  move: Move,
  { repeats }: Stage,
): void {
  const before = me.idle
  delete me.idle
  if (repeats || move !== 'more' || changed || said === undefined) return
  if (findings.some(({ verdict }) => verdict !== 'pass')) return
  me.idle = { times: before?.said === said ? before.times + 1 : 1, said }
}

export const explainIdle = ({ idle }: TaskState): string =>
  `idle: ${idle?.times} iterations in a row changed nothing and said nothing new`
