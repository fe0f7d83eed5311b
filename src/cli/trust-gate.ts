import { UsageError } from '../core/usage-error.ts'
import type { Risk } from '../settings/trust.ts'
import { plain } from '../view/plain.ts'
import { agrees } from './put-question.ts'
import { isTrusted, trust } from './trusted.ts'

export type TrustAsk = {
  home: string
  project: string
  /** What the project's files would run, pass on or loosen. */
  found: Risk[]
  /** The user said so on the command line: remembered. */
  flag: boolean
  env: NodeJS.ProcessEnv
}

/**
 * A project's files may come from anyone. What they would run, pass on or loosen is shown and
 * asked about the first time, and whenever it changes.
 */
export async function requireTrust({ home, project, found, flag, env }: TrustAsk): Promise<void> {
  if (found.length === 0 || env.RALPH_TRUST === '1' || isTrusted(home, project, found)) return
  if (!flag) {
    if (!process.stdin.isTTY || !process.stderr.isTTY)
      throw new UsageError(
        `the files of ${project} run commands that nobody allowed yet (${found[0]!.where}: ${plain(found[0]!.what)}${found.length > 1 ? `, and ${found.length - 1} more` : ''}); look at them and allow them with: ralph trust`,
      )
    if (!(await ask(project, found))) throw new UsageError('not trusted; nothing was run')
  }
  trust(home, project, found)
}

function ask(project: string, found: Risk[]): Promise<boolean> {
  process.stderr.write(`\n${project} wants to:\n${listRisks(found)}\n\n`)
  return agrees('Trust these? Ralph asks again when they change.')
}

export function listRisks(found: Risk[]): string {
  const width = Math.max(...found.map(r => r.where.length))
  return found.map(r => `  ${r.where.padEnd(width)}  ${plain(r.what)}`).join('\n')
}
