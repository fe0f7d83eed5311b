import type { Command } from 'commander'
import type { Io } from '../../runs/io.ts'

/** What an action gets beside its own arguments and options. */
export type VerbContext = {
  /** The words after `--`. */
  agentCommand: string[]
  io: Io
  finish(code: number): void
}

/** The option of every command that belongs to a project. */
export const PROJECT_DIR = [
  '-C, --project-dir <dir>',
  'the project; default: the one that this folder is in',
] as const

/** The description of an argument that may be any run. */
export const RUN_ARGUMENT = 'its id, or the beginning or end of it; default: the latest run of this project'

/** A command. Its arguments and options are created only for the command that is called, because that takes time. */
export type Verb = {
  name: string
  summary: string
  hidden?: true
  /** The words after `--` are an agent's command, and are not parsed. */
  takesCommand?: true
  define(command: Command, context: VerbContext): unknown
  /** Runs it, with its arguments and options, and gives its exit code. Absent if `define` or its subcommands do that. */
  act?: (actions: typeof import('../actions.ts'), io: Io, ...given: never[]) => number | Promise<number>
}
