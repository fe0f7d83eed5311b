import { isAttended } from '../terminal/attended.ts'
import { editorOf, editText } from '../terminal/editor.ts'
import { terminalFrontend } from '../terminal/frontend.ts'
import { terminalAsker } from '../terminal/terminal-asker.ts'
import { plain } from '../view/plain.ts'
import { askPerson } from '../workflows/build/ask-person.ts'
import type { Person } from '../workflows/build/person.ts'
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

/** Whoever sits at the terminal. They answer questions there and edit texts in their own editor. */
function terminalPerson(stop: AbortSignal, env: NodeJS.ProcessEnv): Person {
  const editor = editorOf(env)
  return askPerson({
    asker: () => terminalAsker(stop),
    say: text => process.stdout.write(`${plain(text)}\n`),
    edit: (text, ending) => editText(text, ending, editor),
    editor,
  })
}
