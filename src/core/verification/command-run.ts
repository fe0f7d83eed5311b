import type { Exit } from '../events.ts'

/** A shell command that a check ran, and what came of it. */
export type CommandRun = {
  command: string
  exit: Exit
  /** Why it did not pass, for the end of a sentence; null: exit code 0. */
  failure: string | null
  /** Ralph ended it, or it could not be started: its exit code says nothing. */
  cutOff: boolean
  /** How long it took, in ms. */
  ms: number
  /** All that it printed; null if that is too long to be searched. */
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
