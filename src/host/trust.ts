import { UsageError } from '../core/usage-error.ts'
import { visible } from '../core/visible.ts'
import type { Risk } from '../settings/trust.ts'
import { agrees } from '../terminal/put-question.ts'
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
        `the files of ${visible(project)} run commands that nobody allowed yet (${visible(found[0]!.where)}: ${visible(found[0]!.what)}${found.length > 1 ? `, and ${found.length - 1} more` : ''}); look at them and allow them with: ralph trust`,
      )
    if (!(await ask(project, found))) throw new UsageError('not trusted; nothing was run')
  }
  trust(home, project, found)
}

function ask(project: string, found: Risk[]): Promise<boolean> {
  process.stderr.write(`\n${visible(project)} wants to:\n${listRisks(found)}\n\n`)
  return agrees('Trust these? Ralph asks again when they change.')
}

/** Every character of them. A line break is shown, and then made, at a depth where nothing passes for the next risk. */
export function listRisks(found: Risk[]): string {
  const rows = found.map(({ where, what }) => ({ where: visible(where), what: visible(what) }))
  const width = Math.max(...rows.map(({ where }) => where.length))
  const indent = ' '.repeat(width + 4)
  return rows
    .map(({ where, what }) => `  ${where.padEnd(width)}  ${what.replaceAll(BREAK, `${BREAK}\n${indent}`)}`)
    .join('\n')
}

const BREAK = visible('\n')
