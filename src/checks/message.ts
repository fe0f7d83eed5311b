import { redactText } from '../core/secrets.ts'

/** The first `limit` characters, with a note only if something was cut. */
export function truncate(text: string, limit: number): string {
  if (text.length <= limit) return text
  const last = text.charCodeAt(limit - 1)
  const splitsPair = last >= 0xd800 && last <= 0xdbff
  return `${text.slice(0, splitsPair ? limit - 1 : limit)}... [truncated]`
}

/** A name for a log file, without secrets: everything but letters and digits becomes one `_`; at most 50 characters. */
export const slugOf = (command: string): string =>
  redactText(command)
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_/, '')
    .slice(0, 50)
    .replace(/_$/, '') || 'check'

/** Slugs for a list of commands; equal ones get `_2`, `_3` … */
export function slugsOf(commands: string[]): string[] {
  const used = new Set<string>()
  return commands.map(command => {
    const slug = slugOf(command)
    let name = slug
    for (let n = 2; used.has(name); n++) name = `${slug}_${n}`
    used.add(name)
    return name
  })
}

/** The message to the agent about a red guardrail. The hint is literal and never cut. */
export function failureMessage(red: {
  command: string
  failure: string
  hint?: string
  logFile: string
  output: string
}): string {
  const lines = [`Guardrail "${red.command}" ${red.failure}.`]
  if (red.hint) lines.push(`Hint: ${red.hint}`)
  lines.push(`Output file: ${red.logFile}`, 'Output (truncated):', red.output)
  return lines.join('\n')
}
