import { describeExit } from '../../../agents/shared/exit.ts'
import { findProgram } from '../../../runners/find-program.ts'
import type { Ran, RunCommand } from '../../../runners/run-command.ts'
import { plainLine } from '../../../view/text/plain.ts'
import type { ProgramFact } from './facts.ts'

/** How and where a program is run. */
export type ExamineOptions = { run: RunCommand; cwd: string; env: Record<string, string> }

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

/** A question that is asked beside the version. */
const SHORT_TIMEOUT_MS = 3000

/** What a program prints if it succeeds; null: it is not there, or it fails. */
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

/** Why a program did not answer as it should; null if it did. */
function troubleOf(ran: Exclude<Ran, { end: 'timeout' }>, question: string): string | null {
  switch (ran.end) {
    case 'interrupted':
      return `\`${question}\` was interrupted`
    case 'unstartable':
      return plainLine(ran.why)
    case 'exited': {
      if (ran.exit.code === 0) return null
      const output = plainLine(lastLine(ran.stderr) || lastLine(ran.stdout), 120)
      return `\`${question}\` failed: ${[describeExit(ran.exit), output].filter(Boolean).join(', ')}`
    }
    default:
      return ran satisfies never
  }
}

/** `codex-cli 0.166.0` → 0.166.0; null if nothing looks like a version. */
const versionIn = (ran: Ran): string | null =>
  ran.end === 'exited' ? (/\d+\.\d+(?:[\w.+-]{0,40}\w)?/.exec(ran.stdout || ran.stderr)?.[0] ?? null) : null

const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1)!.trim()
