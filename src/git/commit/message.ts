import { readTag } from '../../core/completion.ts'
import { printable } from '../../core/visible.ts'

/** The exact prompt for the agent before each commit. */
export const MESSAGE_PROMPT =
  'Provide a short imperative commit message for the changes. Output only the message, no explanation.'

/** The message in an agent's answer: the content of `<response>`, or else the first line with text. Git shows it on
 * terminals as it is. */
export function commitMessage(answer: string): string | null {
  const tagged = readTag(answer, 'response')
  if (tagged) return printable(tagged)
  const line = answer.split('\n').find(l => l.trim() !== '' && !l.trim().startsWith('```'))
  return line === undefined ? null : printable(line.trim())
}
