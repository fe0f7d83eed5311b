import type { UserAccess } from '../core/asker.ts'
import type { Signals } from '../engine/run.ts'
import { hurryGitWhen } from '../git/git.ts'
import { editorOf, editText } from '../terminal/editor.ts'
import { terminalFrontend } from '../terminal/frontend.ts'
import { printError, printText } from '../terminal/print.ts'
import { terminalAsker } from '../terminal/question.ts'
import { isAttended, writeInBackground } from '../terminal/streams.ts'
import { plain } from '../view/text/plain.ts'
import type { Frontend } from './frontend.ts'

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

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const

const AGAIN: Partial<Record<NodeJS.Signals, string>> & { SIGTERM: string } = {
  SIGINT: 'Ctrl+C again to stop now.',
  SIGTERM: 'A second signal stops it now.',
}

/**
 * The first INT or TERM lets what is running finish; a second one, or HUP or QUIT, ends it now. The next one exits
 * ralph at once; its warden ends what is left. A HUP that was ignored when ralph started, as by nohup, stays ignored.
 * `ignored`: signals that mean nothing here.
 */
export function listenToSignals(
  say: (line: string) => void,
  ignored: readonly NodeJS.Signals[] = [],
): {
  signals: Signals
  /** Lets what is running finish, then stops. */
  stopSoon(): void
  close(): void
} {
  const soft = new AbortController()
  const hard = new AbortController()
  const stopHurrying = hurryGitWhen(hard.signal)
  const onSignal = (signal: NodeJS.Signals) => {
    if (ignored.includes(signal)) return
    if (hard.signal.aborted && signal !== 'SIGHUP') process.exit(130)
    const isNow = soft.signal.aborted || signal === 'SIGHUP' || signal === 'SIGQUIT'
    if (!soft.signal.aborted) say('Received signal, shutting down...')
    if (!isNow) say(`Stopping after this iteration. ${AGAIN[signal] ?? AGAIN.SIGTERM}`)
    soft.abort()
    if (!isNow || hard.signal.aborted) return
    // An agent may take its time to end.
    say('Stopping now.')
    hard.abort()
  }
  const stopSoon = () => {
    if (soft.signal.aborted) return
    say('Stopping after this iteration. Ctrl+C to stop now.')
    soft.abort()
  }
  const names = SIGNALS.filter(name => name !== 'SIGHUP' || process.env.RALPH_NOHUP !== '1')
  for (const name of names) process.on(name, onSignal)
  return {
    signals: { soft: soft.signal, hard: hard.signal },
    stopSoon,
    close: () => {
      stopHurrying()
      if (soft.signal.aborted) leaveSoon()
      for (const name of names) process.off(name, onSignal).off(name, tooLate).on(name, tooLate)
    },
  }
}

/** After a signal, ralph waits no longer than this for a reader of its last lines. */
const LAST_LINES_MS = 3000
let isLeaving = false
const leave = () => process.exit(process.exitCode ?? 130)

function leaveSoon(): void {
  isLeaving = true
  setTimeout(leave, LAST_LINES_MS).unref()
}

/** The exit code is decided by now. A further signal only shortens the wait for the output, and the next one ends it. */
const tooLate = () => (isLeaving ? leave() : leaveSoon())
