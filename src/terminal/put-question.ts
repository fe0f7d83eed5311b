import type { CANCEL_SYMBOL } from '@clack/prompts'
import { NoAnswer } from '../core/asker.ts'

type Key = { ctrl?: boolean; name?: string }

/**
 * Puts a question of clack's on the terminal. Throws NoAnswer for Ctrl+C, Escape, the end of input, and when `stop`
 * is aborted. `isTyped`: the answer is a text, in which Ctrl+D deletes.
 */
export async function putQuestion<T>(
  question: (signal: AbortSignal) => Promise<T | typeof CANCEL_SYMBOL>,
  { stop, isTyped = false }: { stop?: AbortSignal; isTyped?: boolean } = {},
): Promise<T> {
  const { isCancel } = await import('@clack/prompts')
  if (stop?.aborted) throw new NoAnswer()
  const end = new AbortController()
  let isOpen = true
  const leave = () => isOpen && end.abort()
  // Clack does not look for the end of input: the reader below it closes, which pauses the stream, and the
  // question would stay open for ever. An answer pauses it too, so look when that has had its turn.
  const onPause = () => setImmediate(leave)
  // Where nothing is typed that reader takes every key for text, and Ctrl+D after text for a deletion.
  const onKey = (_: string, key: Key) => !isTyped && key.ctrl && key.name === 'd' && setImmediate(leave)
  // Clack believes a terminal that says it has no width, and writes a letter a line.
  for (const out of [process.stdout, process.stderr]) if (out.columns === 0) out.columns = 80
  stop?.addEventListener('abort', leave)
  process.stdin.on('pause', onPause).on('keypress', onKey)
  try {
    const answer = await question(end.signal)
    if (isCancel(answer)) throw new NoAnswer()
    return answer
  } finally {
    isOpen = false
    stop?.removeEventListener('abort', leave)
    process.stdin.off('pause', onPause).off('keypress', onKey)
  }
}

/** Yes or no, asked on standard error; whoever does not answer does not agree. */
export async function agrees(message: string): Promise<boolean> {
  const { confirm } = await import('@clack/prompts')
  try {
    return await putQuestion(signal =>
      confirm({ message, signal, initialValue: false, output: process.stderr }),
    )
  } catch (error) {
    if (error instanceof NoAnswer) return false
    throw error
  }
}
