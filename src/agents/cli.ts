import type { Agent, Needs } from '../core/ports.ts'
import type { LoadedFile } from './loads/entries.ts'
import type { Payment } from './shared/payment.ts'

/** Everything ralph knows about one coding-agent CLI. */
export type Cli = {
  /** `program`: the name or path to run it by. */
  make(program?: string): Agent
  /** Matches the word by which a command line asks it for a stream. */
  streamWord: RegExp
  lastWritten?: Agent['lastWritten']
  /** The arguments with which it lists the flags that ralph gives it. */
  helpArgs: readonly string[]
  /** Variables that it gets although their names look secret: names, or patterns with `*`. */
  ownEnv: readonly string[]
  /** More of them, for a provider behind it: each list only while the variable that is its key is on. */
  ownEnvWhen?: Readonly<Record<string, readonly string[]>>
  /** How a run is paid for, by the variable that is set; the first that applies counts. None: by its own login. */
  payments: readonly Payment[]
  /** What it loads from a project by itself and that can run something. */
  loads: readonly LoadedFile[]
  /** What it needs of the world outside the project, for a sandbox. Paths are relative to the user's home. */
  needs: Needs
  npmPackage: string
}
