import type { CANCEL_SYMBOL } from '@clack/prompts'
import { type Asker, NoAnswer } from './asker.ts'

type Key = { ctrl?: boolean; name?: string }

/** Asks on the terminal. Aborting `stop` leaves the open question, and every later one, without an answer. */
export async function terminalAsker(stop: AbortSignal): Promise<Asker> {
  const { isCancel, multiselect, select, text } = await import('@clack/prompts')

  async function put<T>(
    question: (signal: AbortSignal) => Promise<T | typeof CANCEL_SYMBOL>,
    isList: boolean,
  ): Promise<T> {
    if (stop.aborted) throw new NoAnswer()
    const end = new AbortController()
    let isOpen = true
    const leave = () => isOpen && end.abort()
    // Clack does not look for the end of input: the reader below it closes, which pauses the stream, and the
    // question would stay open for ever. An answer pauses it too, so look when that has had its turn.
    const onPause = () => setImmediate(leave)
    // In a list that reader takes every key for text, and Ctrl+D after text for a deletion.
    const onKey = (_: string, key: Key) => isList && key.ctrl && key.name === 'd' && setImmediate(leave)
    stop.addEventListener('abort', leave)
    process.stdin.on('pause', onPause).on('keypress', onKey)
    try {
      const answer = await question(end.signal)
      if (isCancel(answer)) throw new NoAnswer()
      return answer
    } finally {
      isOpen = false
      stop.removeEventListener('abort', leave)
      process.stdin.off('pause', onPause).off('keypress', onKey)
    }
  }

  return {
    async line(message, { otherwise = '', refuse } = {}) {
      const read = (typed = '') => typed.trim() || otherwise
      const answer = await put(
        signal =>
          text({
            message,
            signal,
            placeholder: otherwise || undefined,
            defaultValue: otherwise,
            validate: typed => refuse?.(read(typed)),
          }),
        false,
      )
      return read(answer)
    },
    some(message, choices) {
      const initialValues = choices.map(choice => choice.value)
      return put(
        signal => multiselect({ message, signal, options: choices, initialValues, required: false }),
        true,
      )
    },
    one: (message, choices) => put(signal => select({ message, signal, options: choices as never }), true),
  }
}
