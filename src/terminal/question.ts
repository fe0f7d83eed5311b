import type { CANCEL_SYMBOL } from '@clack/prompts'
import { type Asker, NoAnswer } from '../core/asker.ts'
import { printable } from '../core/visible.ts'

type Key = { ctrl?: boolean; name?: string }

/**
 * Asks on the terminal with a prompt of clack's. Throws NoAnswer for Ctrl+C, Escape, the end of input, and when `stop`
 * is aborted. `isTyped`: the answer is a text, in which Ctrl+D deletes.
 */
async function askQuestion<T>(
  prompt: (signal: AbortSignal) => Promise<T | typeof CANCEL_SYMBOL>,
  { stop, isTyped = false }: { stop?: AbortSignal; isTyped?: boolean } = {},
): Promise<T> {
  const { isCancel } = await import('@clack/prompts')
  if (stop?.aborted) throw new NoAnswer()
  const end = new AbortController()
  let isOpen = true
  const cancel = () => isOpen && end.abort()
  // Clack does not notice the end of input: its readline closes, which pauses the stream, and the question would
  // stay open for ever. An answer also pauses the stream, so wait a turn: by then the question is closed.
  const onPause = () => setImmediate(cancel)
  // Readline takes every key for text, even where nothing is to be typed, and Ctrl+D after text for a deletion.
  const onKey = (_: string, key: Key) => !isTyped && key.ctrl && key.name === 'd' && setImmediate(cancel)
  // Clack believes a terminal that reports a width of 0, and writes one letter a line.
  for (const out of [process.stdout, process.stderr]) if (out.columns === 0) out.columns = 80
  stop?.addEventListener('abort', cancel)
  process.stdin.on('pause', onPause).on('keypress', onKey)
  try {
    const answer = await prompt(end.signal)
    if (isCancel(answer)) throw new NoAnswer()
    return answer
  } finally {
    isOpen = false
    stop?.removeEventListener('abort', cancel)
    process.stdin.off('pause', onPause).off('keypress', onKey)
  }
}

/** Yes or no, asked on standard error. No answer is a no. */
export async function askConfirmation(message: string): Promise<boolean> {
  const { confirm } = await import('@clack/prompts')
  try {
    return await askQuestion(signal =>
      confirm({ message, signal, initialValue: false, output: process.stderr }),
    )
  } catch (error) {
    if (error instanceof NoAnswer) return false
    throw error
  }
}

/** Asks on the terminal. Once `stop` is aborted, the open question and every later one throw NoAnswer. */
export async function terminalAsker(stop: AbortSignal): Promise<Asker> {
  const { multiselect, select, text } = await import('@clack/prompts')

  return {
    async line(message, { otherwise = '', refuse } = {}) {
      const read = (typed = '') => typed.trim() || otherwise
      const answer = await askQuestion(
        signal =>
          text({
            message: printable(message),
            signal,
            placeholder: printable(otherwise) || undefined,
            defaultValue: otherwise,
            validate: typed => refuse?.(read(typed)),
          }),
        { stop, isTyped: true },
      )
      return read(answer)
    },
    some(message, choices) {
      const initialValues = choices.map(choice => choice.value)
      return askQuestion(
        signal =>
          multiselect({
            message: printable(message),
            signal,
            options: choices.map(seen),
            initialValues,
            required: false,
          }),
        { stop },
      )
    },
    one: (message, choices) =>
      askQuestion(
        signal => select({ message: printable(message), signal, options: choices.map(seen) as never }),
        { stop },
      ),
  }
}

/** What others wrote may be in a question; the value stays as it is. */
const seen = <T extends { value: string; label?: string; hint: string }>(choice: T) => ({
  ...choice,
  label: printable(choice.label ?? choice.value),
  hint: printable(choice.hint),
})
