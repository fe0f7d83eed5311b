import { readTag } from '../core/completion.ts'

/** Asked of the agent, word for word, before each commit. */
export const MESSAGE_PROMPT =
  'Provide a short imperative commit message for the changes. Output only the message, no explanation.'

/** The message in an agent's answer: what its `<response>` says, else the first line that says anything. */
export function commitMessage(answer: string): string | null {
  const tagged = readTag(answer, 'response')
  if (tagged) return tagged
  const line = answer.split('\n').find(l => l.trim() !== '' && !l.trim().startsWith('```'))
  return line?.trim() ?? null
}
