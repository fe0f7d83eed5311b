import type { Command } from 'commander'
import type { Io } from '../../runs/io.ts'

/** What an action is given beside its own words. */
export type Call = {
  /** What followed `--`. */
  agentCommand: string[]
  io: Io
  finish(code: number): void
}

/** How the argument of a command that takes any run is explained. */
export const A_RUN = 'its id, or the beginning or end of it; default: the latest run of this folder'

/** A command. Its arguments and options are made only when it is the one that is asked for: they cost time. */
export type Verb = {
  name: string
  summary: string
  hidden?: true
  /** What follows `--` is an agent's command, and is not ours to read. */
  takesCommand?: true
  define(command: Command, call: Call): unknown
}
