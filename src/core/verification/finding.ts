import type { Exit, Outcome } from '../events.ts'

/** What one check said. */
export type Finding = {
  check: string
  verdict: 'pass' | 'fail' | 'unsure'
  /** For the next prompt and for people: what failed, why, where to look. */
  note: string
  log?: string
  /** How a failed guardrail shapes the next prompt. */
  action?: 'APPEND' | 'PREPEND' | 'REPLACE'
  /** On an agent's word alone (a promise that was matched, a reviewer's note): no evidence. */
  claim?: true
  /** It was red on the same tree before: that it is green now proves nothing yet. */
  flaky?: true
  /** What a judge thought of it, or what the agent said; not what a command showed. */
  opinion?: true
  /** Which CLI judged, and whether it is the one that writes the code. */
  judgedBy?: string
  /** Nobody could decide, which is not the agent's fault: it spends no try. */
  undecided?: true
  /** A person wants another answer: the stage begins again, with all its tries. */
  anew?: true
  /** Only a person can help: the task is blocked, with the note as its question. */
  asks?: true
  /** How many things it looked at, such as tests, if it says so. Null if that cannot be compared. */
  count?: number | null
  /** Why the green checks of this iteration prove nothing, a line each. Such a finding is no evidence itself. */
  doubts?: string[]
}

type Ok = Extract<Outcome, { end: 'ok' }>

/** Whether the agent could do all it wanted and changed nothing, with all checks green. */
export const isUnchanged = ({ changed, denials, findings }: Ok): boolean =>
  !changed &&
  denials === undefined &&
  findings.some(isEvidence) &&
  findings.every(({ verdict }) => verdict === 'pass')

/** Whether all that keeps the stage from passing is a check that could not decide. */
export const onlyUndecided = ({ findings }: Ok): boolean => {
  const open = findings.filter(({ verdict }) => verdict !== 'pass')
  return open.length > 0 && open.every(({ undecided }) => undecided)
}

/** Whether all that is red is what somebody thinks. */
export const isOpinion = ({ findings }: Ok): boolean =>
  findings.every(({ verdict, opinion }) => verdict !== 'fail' || opinion)

/** Whether a finding is more than somebody's word. */
export const isEvidence = ({ claim, doubts }: Finding): boolean => !claim && doubts === undefined

/** A shell command that a check ran, and what came of it. */
export type CommandRun = {
  command: string
  exit: Exit
  /** Why it did not pass, for the end of a sentence. Null for exit code 0. */
  failure: string | null
  /** Ralph ended it, or it could not be started: its exit code says nothing. */
  cutOff: boolean
  /** How long it took, in ms. */
  ms: number
  /** All that it printed. Null if that is too long to be searched. */
  output: string | null
  /** The beginning of its output. */
  head: string
  /** The name of its log, for people and agents. */
  log: string
}

/**
 * The commands that the checks of one pass ran, by folder and command. While the tree does not change, a command is not
 * run twice.
 */
export type CommandRuns = Map<string, Promise<CommandRun>>
