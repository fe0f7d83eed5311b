import { createHash } from 'node:crypto'
import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { UsageError } from '../core/usage-error.ts'
import { visible } from '../core/visible.ts'
import { readJson } from '../settings/read.ts'
import type { Risk } from '../settings/trust.ts'
import { replaceFile } from '../store/files/atomic.ts'
import { printError } from '../terminal/print.ts'
import { askConfirmation } from '../terminal/question.ts'

export type TrustAsk = {
  home: string
  project: string
  /** What the project's files would run, pass on or loosen. */
  found: Risk[]
  /** `--trust` on the command line; it is remembered. */
  flag: boolean
  env: NodeJS.ProcessEnv
}

/**
 * A project's files may come from anyone. Ralph shows what they would run, pass on or loosen, and asks the first time
 * and whenever it changes.
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
  printError(`\n${visible(project)} wants to:\n${listRisks(found)}\n`)
  return askConfirmation('Trust these? Ralph asks again when they change.')
}

/** Shows every character. A line break is shown as an escape and then made, indented so that no text looks like the next risk. */
export function listRisks(found: Risk[]): string {
  const rows = found.map(({ where, what }) => ({ where: visible(where), what: visible(what) }))
  const width = Math.max(...rows.map(({ where }) => where.length))
  const indent = ' '.repeat(width + 4)
  return rows
    .map(({ where, what }) => `  ${where.padEnd(width)}  ${what.replaceAll(BREAK, `${BREAK}\n${indent}`)}`)
    .join('\n')
}

const BREAK = visible('\n')

const FILE = 'trust.json'

/** How many are remembered, the latest last: sets of risks per project, because branches differ, and projects. */
const MAX_SETS = 10
const MAX_PROJECTS = 500

const store = z.strictObject({ v: z.literal(1), projects: z.record(z.string(), z.array(z.string())) })

type Store = z.output<typeof store>

/** Whether the user has allowed exactly these risks for this project. No risk needs no trust. */
export function isTrusted(home: string, project: string, risks: readonly Risk[]): boolean {
  if (risks.length === 0) return true
  return remembered(read(home), realpathSync(project)).includes(digest(risks))
}

/** Remembers that the user allowed these risks. If two processes write at once, one is lost and asked again. */
export function trust(home: string, project: string, risks: readonly Risk[]): void {
  const path = realpathSync(project)
  const hash = digest(risks)
  const known = read(home)
  const sets = [...remembered(known, path).filter(other => other !== hash), hash].slice(-MAX_SETS)
  const others = Object.entries(known.projects).filter(([other]) => other !== path)
  const next: Store = { v: 1, projects: Object.fromEntries([...others, [path, sets]].slice(-MAX_PROJECTS)) }
  mkdirSync(home, { recursive: true, mode: 0o700 })
  replaceFile(join(home, FILE), `${JSON.stringify(next, null, 2)}\n`, 0o600)
}

/** Throws on a broken file and leaves it as it is, because it holds the user's decisions. */
function read(home: string): Store {
  const raw = readStore(home)
  if (raw === undefined) return { v: 1, projects: {} }
  const parsed = store.safeParse(raw, { jitless: true })
  if (!parsed.success) throw broken(home, 'it is not a list of trusted projects')
  return parsed.data
}

function readStore(home: string): unknown {
  try {
    return readJson(home, FILE)
  } catch (error) {
    throw error instanceof UsageError ? broken(home, error.message) : error
  }
}

const broken = (home: string, why: string) =>
  new UsageError(
    `${join(home, FILE)} cannot be used: ${why}; repair it, or move it away and trust your projects again`,
  )

const remembered = ({ projects }: Store, path: string): string[] =>
  Object.hasOwn(projects, path) ? projects[path]! : []

const digest = (risks: readonly Risk[]): string =>
  createHash('sha256')
    .update(JSON.stringify(risks.map(({ where, what }) => [where, what])))
    .digest('hex')
