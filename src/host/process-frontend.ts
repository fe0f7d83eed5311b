import type { UserAccess } from '../core/asker.ts'
import { editorOf, editText } from '../terminal/editor.ts'
import { terminalFrontend } from '../terminal/frontend.ts'
import { printError, printText } from '../terminal/print.ts'
import { terminalAsker } from '../terminal/question.ts'
import { isAttended, writeInBackground } from '../terminal/streams.ts'
import { plain } from '../view/text/plain.ts'
import type { Frontend } from './frontend.ts'
import { listenToSignals } from './signals.ts'

/** The frontend of a run that was started from a command line: this process's terminal, or its pipes. */
export function processFrontend(options: { json?: boolean; quiet?: boolean }): Frontend {
  const { env } = process
  // Lazily, because Node takes a while to create the streams.
  let isOpen = false
  const streams = () => {
    if (!isOpen) writeInBackground()
    isOpen = true
    return process
  }
  return {
    ...terminalFrontend(streams, env, options),
    user: stop => (isAttended(options) ? userAtTerminal(stop, env) : null),
    openSignals: () => ({
      ...listenToSignals(printError),
      interrupt: () => void process.emit('SIGINT'),
    }),
  }
}

/** The user at the terminal: answers questions there, and edits texts in an editor. */
function userAtTerminal(stop: AbortSignal, env: NodeJS.ProcessEnv): UserAccess {
  const editor = editorOf(env)
  return {
    asker: () => terminalAsker(stop),
    say: text => void printText(plain(text)),
    edit: (text, ending) => editText(text, ending, editor),
    editor,
  }
}
