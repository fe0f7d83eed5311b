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
  /** How many things it looked at, such as tests, if it says so; null if that cannot be compared. */
  count?: number | null
  /** Why the green checks of this iteration prove nothing, a line each. Such a finding is no evidence itself. */
  doubts?: string[]
}
