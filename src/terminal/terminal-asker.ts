import type { Asker } from '../core/asker.ts'
import { putQuestion } from './put-question.ts'

/** Asks on the terminal. Aborting `stop` leaves the open question, and every later one, without an answer. */
export async function terminalAsker(stop: AbortSignal): Promise<Asker> {
  const { multiselect, select, text } = await import('@clack/prompts')

  return {
    async line(message, { otherwise = '', refuse } = {}) {
      const read = (typed = '') => typed.trim() || otherwise
      const answer = await putQuestion(
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
      return putQuestion(
        signal => multiselect({ message, signal, options: choices, initialValues, required: false }),
        { stop },
      )
    },
    one: (message, choices) =>
      putQuestion(signal => select({ message, signal, options: choices as never }), { stop }),
  }
}
