import { createHash } from 'node:crypto'
import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { findLoaded } from '../agents/loads/find.ts'
import { wrapLines } from '../core/format.ts'
import { UsageError } from '../core/usage-error.ts'
import { visible } from '../core/visible.ts'
import { refuseFromWithinAny } from '../runs/within.ts'
import { readJson } from '../settings/read.ts'
import { type Risk, risks } from '../settings/trust.ts'
import { replaceFile } from '../store/files/atomic.ts'
import { printError } from '../terminal/print.ts'
import { askConfirmation } from '../terminal/question.ts'
import { splitTo } from '../view/text/fit.ts'

export type TrustAsk = {
  home: string
  project: string
  /** What the project's files decide, whatever command is called. */
  found: readonly Risk[]
  /** What only this command uses of them. */
  own?: readonly Risk[]
  /** `--trust` on the command line; it is remembered. */
  flag: boolean
  env: NodeJS.ProcessEnv
}

/** What ralph's settings and the agents' own files in a project decide, and so what needs trust. */
export const projectRisks = (project: string, fromFiles: unknown, env: NodeJS.ProcessEnv): Risk[] => [
  ...risks(fromFiles),
  ...findLoaded(project, env.HOME),
]

/**
 * A project's files may come from anyone. Ralph shows what they would run, pass on or loosen, and asks the first time
 * and whenever it changes.
 */
export async function requireTrust({ home, project, found, own = [], flag, env }: TrustAsk): Promise<void> {
  const all = [...found, ...own]
  if (env.RALPH_TRUST === '1' || isTrusted(home, project, all)) return
  refuseFromWithinAny(home, env, 'trust a project')
  if (!flag) {
    const shown = all.length > 0 ? all : [GONE]
    if (!process.stdin.isTTY || !process.stderr.isTTY) throw new UsageError(refusal(project, shown))
    if (!(await ask(home, project, shown))) throw new UsageError('not trusted; nothing was run')
  }
  rememberTrust(home, project, found, all)
}

/** Stands for the empty list where there was something before: checks that are gone are a change, too. */
const GONE: Risk = { where: 'settings', what: 'everything that you allowed before is gone, with its checks' }

function refusal(project: string, [first, ...others]: readonly Risk[]): string {
  const { file, where, what } = first!
  const place = [file, where].filter(Boolean).join(' ')
  const more = others.length > 0 ? `, and ${others.length} more` : ''
  return `the files of ${visible(project)} ask for something that nobody has allowed yet (${visible(place)}: ${visible(what)}${more}); look at it and allow it with: ralph trust`
}

function ask(home: string, project: string, shown: readonly Risk[]): Promise<boolean> {
  const isKnown = remembered(read(home), realpathSync(project)).length > 0
  const title = isKnown ? 'have changed since you trusted them. They decide' : 'decide'
  const columns = process.stderr.columns || 80
  const heading = wrapLines(`The files of ${visible(project)} ${title} what runs and what counts:`, columns)
  printError(`\n${heading}\n${listRisks(shown, columns)}\n`)
  return askConfirmation('Trust these? Ralph asks again when they change.')
}

/** Shows every character: what ralph itself uses, then each file that agents load. `columns`: of a terminal. */
export function listRisks(all: readonly Risk[], columns: number | null = null): string {
  const files = [...new Set(all.flatMap(risk => risk.file ?? []))]
  const ofRalph = all.filter(risk => risk.file === undefined)
  return [
    ...(ofRalph.length > 0 ? listRows(ofRalph, '  ', columns) : []),
    ...files.flatMap(file => [
      `  ${visible(file)} (agents load it)`,
      ...listRows(
        all.filter(risk => risk.file === file),
        '    ',
        columns,
      ),
    ]),
  ].join('\n')
}

/** A line break is shown as an escape and then made. All lines of a text are indented, so none looks like the next risk. */
function listRows(found: readonly Risk[], margin: string, columns: number | null): string[] {
  const rows = found.map(({ where, what }) => ({ where: visible(where), what: visible(what) }))
  const widest = Math.max(...rows.map(({ where }) => where.length))
  // Where a long name leaves too little room, its text begins on the next line.
  const width = columns === null ? widest : Math.min(widest, Math.max(columns - margin.length - ROOM, 4))
  const indent = `\n${margin}${' '.repeat(width)}${widest > 0 ? '  ' : ''}`
  const room = columns === null ? null : Math.max(columns - indent.length, 8)
  return rows.map(({ where, what }) => {
    const lines = what.split(BREAK).map((line, index, all) => (index < all.length - 1 ? line + BREAK : line))
    const text = lines.flatMap(line => (room === null ? line : splitTo(line, room))).join(indent)
    const head = `${margin}${where.padEnd(width)}`
    return where.length > width ? `${head}${indent}${text}` : `${head}${widest > 0 ? '  ' : ''}${text}`
  })
}

/** What a text gets at least of a line. */
const ROOM = 40

const BREAK = visible('\n')

const FILE = 'trust.json'

/** How many are remembered, the latest last: sets of risks per project, because branches differ, and projects. */
const MAX_SETS = 10
const MAX_PROJECTS = 500

const store = z.strictObject({ v: z.literal(1), projects: z.record(z.string(), z.array(z.string())) })

type Store = z.output<typeof store>

/** Whether the user has allowed exactly these risks for this project. */
export function isTrusted(home: string, project: string, risks: readonly Risk[]): boolean {
  if (risks.length === 0) return isNothingNew(home, project)
  return remembered(read(home), realpathSync(project)).includes(digest(risks))
}

/** Without a risk no trust is needed, unless there was one before. If the store cannot be read, asking for trust reports it. */
function isNothingNew(home: string, project: string): boolean {
  try {
    const sets = remembered(read(home), realpathSync(project))
    return sets.length === 0 || sets.includes(digest([]))
  } catch {
    return true
  }
}

/** Remembers that the user allowed these sets of risks. If two processes write at once, one is lost and asked again. */
export function rememberTrust(home: string, project: string, ...allowed: (readonly Risk[])[]): void {
  const path = realpathSync(project)
  const hashes = [...new Set(allowed.map(digest))]
  const known = read(home)
  const sets = [...remembered(known, path).filter(other => !hashes.includes(other)), ...hashes].slice(
    -MAX_SETS,
  )
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
    .update(
      JSON.stringify(
        risks.map(({ file, where, what, exact }) => [
          where,
          what,
          ...(file === undefined ? [] : [file, exact ?? '']),
        ]),
      ),
    )
    .digest('hex')
