import type { CANCEL_SYMBOL } from '@clack/prompts'
import { NoAnswer } from '../core/asker.ts'

type Key = { ctrl?: boolean; name?: string }

/**
 * Asks on the terminal with a prompt of clack's. Throws NoAnswer for Ctrl+C, Escape, the end of input, and when `stop`
 * is aborted. `isTyped`: the answer is a text, in which Ctrl+D deletes.
 */
export async function askQuestion<T>(
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
