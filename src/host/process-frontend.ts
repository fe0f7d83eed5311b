import { isAttended } from '../terminal/attended.ts'
import { terminalFrontend } from '../terminal/frontend.ts'
import { terminalPerson } from '../terminal/terminal-person.ts'
import type { Frontend } from './frontend.ts'
import { listenToSignals } from './signals.ts'

/** The frontend of a run that was started from a command line: this process's terminal, or its pipes. */
export function processFrontend(options: { json?: boolean; quiet?: boolean }): Frontend {
  const { env } = process
  return {
    // Asked for late: Node takes a while to make them.
    ...terminalFrontend(() => process, env, options),
    person: stop => (isAttended(options) ? terminalPerson(stop, env) : null),
    openSignals: () => ({
      ...listenToSignals(line => process.stderr.write(`${line}\n`)),
      interrupt: () => void process.emit('SIGINT'),
    }),
  }
}
