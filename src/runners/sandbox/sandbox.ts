import type { Command, Env } from '../../core/ports.ts'

/** A sandbox that the processes of one run work in. */
export type Sandbox = {
  /**
   * The command as it is to be started, so that it runs inside. `call`: a name for it that cannot be guessed. `marks`: the
   * environment of what ralph itself runs. Rejects with CannotGoOn if there is no such sandbox here.
   */
  wrap(command: Command, call: string, marks: Env): Promise<Command>
  /** Ends what a call has running inside, where that is on another machine and no signal from here reaches it. */
  end?(call: string, graceMs: number): Promise<void>
  /**
   * A call has exited, or could not be started: brings back what it did, where the sandbox has files of its own. Rejects
   * with CannotGoOn if that fails; then it is still inside, and the next incarnation gets it.
   */
  after?(call: string): Promise<void>
  /** Ends what crashed incarnations left running inside, and brings back what they did. `marks`: as for `wrap`. */
  recover?(marks: Env): Promise<void>
  /** Lets what is inside reach one host more. */
  allow(host: string): void
  close(): Promise<void>
}
