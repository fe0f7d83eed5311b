import { known } from '../../../agents/index.ts'
import { describeExit } from '../../../agents/shared/failure.ts'
import type { Env } from '../../../core/ports.ts'
import { findProgram } from '../../../runners/find-program.ts'
import type { Ran, RunCommand } from '../../../runners/run-command.ts'
import { plainLine } from '../../../view/text/plain.ts'
import { type DoctorRow, row } from './finding.ts'

/** What a program says about itself. */
export type ProgramFact = {
  name: string
  /** Null if it is not on PATH. */
  path: string | null
  version: string | null
  /** Why it gave no version although it is installed: it crashed or could not be started. */
  trouble: string | null
  /** It is installed, but did not report its version in time. */
  slow?: true
}

/** How and where a program is run. */
export type ExamineOptions = { run: RunCommand; cwd: string; env: Env }

const TIMEOUT_MS = 5000

/** Finds a program and asks its version. */
export async function examineProgram(
  name: string,
  options: ExamineOptions,
  question: string[] = ['--version'],
): Promise<ProgramFact> {
  const path = findProgram(name, options.env.PATH ?? '')
  if (path === null) return { name, path, version: null, trouble: null }
  const { run, cwd, env } = options
  const ran = await run([path, ...question], { cwd, env, timeoutMs: TIMEOUT_MS })
  // A machine under load, or a CLI that looks for updates first: that is no reason not to use it.
  if (ran.end === 'timeout') return { name, path, version: null, trouble: null, slow: true }
  const trouble = troubleOf(ran, [name, ...question].join(' '))
  return { name, path, version: trouble === null ? versionIn(ran) : null, trouble }
}

export const isUsable = ({ path, trouble }: ProgramFact): boolean => path !== null && trouble === null

const SLOW = 'slow: did not report its version within 5 s'

/** `more`: what else is known of it. */
export function programRow(
  { name, path, version, trouble, slow }: ProgramFact,
  platform: string,
  ...more: (string | false | null)[]
): DoctorRow {
  const join = (...parts: (string | false | null)[]) => [...parts, ...more].filter(Boolean).join(' · ')
  if (path === null) return row('none', name, join('not found'), howToInstall(name, platform))
  return trouble === null
    ? row('yes', name, join(slow ? SLOW : version, path))
    : row('no', name, join(path, trouble))
}

/** System packages whose name is not that of the program. */
const SYSTEM_PACKAGES = new Map([
  ['bwrap', 'bubblewrap'],
  ['rg', 'ripgrep'],
  ['sh', 'dash'],
])

export function howToInstall(program: string, platform: string): string {
  const fromNpm = program === 'srt' ? '@anthropic-ai/sandbox-runtime' : known.get(program)?.npmPackage
  if (fromNpm !== undefined) return `npm install -g ${fromNpm}`
  if (program === 'docker') return 'https://docs.docker.com/get-started/get-docker/'
  if (program === 'sbx') return 'https://docs.docker.com/ai/sandboxes/'
  const name = SYSTEM_PACKAGES.get(program) ?? program
  return platform === 'darwin' ? `brew install ${name}` : `install the package ${name}`
}

/** A question that is asked beside the version. */
const SHORT_TIMEOUT_MS = 3000

/** What a program prints if it succeeds. Null if it is not there, or fails. */
export async function printedBy(
  { run, cwd, env }: ExamineOptions,
  name: string,
  ...words: string[]
): Promise<string | null> {
  const path = findProgram(name, env.PATH ?? '')
  if (path === null) return null
  const ran = await run([path, ...words], { cwd, env, timeoutMs: SHORT_TIMEOUT_MS })
  return ran.end === 'exited' && ran.exit.code === 0 ? ran.stdout.trim() || null : null
}

/** Why a program did not answer as it should. Null if it did. */
function troubleOf(ran: Exclude<Ran, { end: 'timeout' }>, question: string): string | null {
  if (ran.end === 'interrupted') return `\`${question}\` was interrupted`
  if (ran.end === 'unstartable') return plainLine(ran.why)
  if (ran.exit.code === 0) return null
  const output = plainLine(lastLine(ran.stderr) || lastLine(ran.stdout), 120)
  return `\`${question}\` failed: ${[describeExit(ran.exit), output].filter(Boolean).join(', ')}`
}

/** `codex-cli 0.166.0` → 0.166.0. Null if nothing looks like a version. */
const versionIn = (ran: Ran): string | null =>
  ran.end === 'exited' ? (/\d+\.\d+(?:[\w.+-]{0,40}\w)?/.exec(ran.stdout || ran.stderr)?.[0] ?? null) : null

const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1)!.trim()
