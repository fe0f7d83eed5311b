import type { Asker } from '../core/asker.ts'
import { askQuestion } from './question.ts'

/** Asks on the terminal. Once `stop` is aborted, the open question and every later one throw NoAnswer. */
export async function terminalAsker(stop: AbortSignal): Promise<Asker> {
  const { multiselect, select, text } = await import('@clack/prompts')

  return {
    async line(message, { otherwise = '', refuse } = {}) {
      const read = (typed = '') => typed.trim() || otherwise
      const answer = await askQuestion(
        signal =>
          text({
            message,
            signal,
            placeholder: otherwise || undefined,
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
        signal => multiselect({ message, signal, options: choices, initialValues, required: false }),
        { stop },
      )
    },
    one: (message, choices) =>
      askQuestion(signal => select({ message, signal, options: choices as never }), { stop }),
  }
}
