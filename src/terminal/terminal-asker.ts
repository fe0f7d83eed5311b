import type { Asker } from '../core/asker.ts'
import { printable } from '../core/visible.ts'
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
