import { realpathSync, statSync } from 'node:fs'
import type { Capabilities } from '../../core/ports.ts'
import { known } from '../index.ts'
import { recall, remember } from './cache.ts'

export type ProbeOptions = {
  /** The program, by its absolute path. */
  path: string
  /** Only a CLI that ralph knows by this name is asked. */
  name: string
  /** Where answers are kept. */
  cacheDir: string
  /**
   * Runs a program with an empty standard input until it exits. Must stop it when the signal aborts.
   * Some CLIs print their help to standard error.
   */
  run(argv: string[], signal: AbortSignal): Promise<{ code: number | null; stdout: string; stderr?: string }>
  /** How long one answer may take. */
  timeoutMs?: number
}

const TIMEOUT_MS = 5000

const UNKNOWN: Capabilities = { version: null, flags: null }

/**
 * What a program can do, read from its own help. Asked once per binary, then remembered until the binary changes.
 * Never throws; what could not be learned is null and is asked again next time.
 */
export async function probe(options: ProbeOptions): Promise<Capabilities> {
  const help = known.get(options.name)?.helpArgs
  const binary = identify(options.path)
  // An unknown program may do anything when called with --help.
  if (!help || !binary) return UNKNOWN
  const remembered = recall(options.cacheDir, binary)
  if (remembered) return remembered
  // One after the other: in parallel they would slow each other down, perhaps beyond the timeout.
  const flags = flagsIn((await ask(options, help)) ?? '')
  const version = versionIn((await ask(options, ['--version'])) ?? '')
  const learned = { version, flags: flags.size > 0 ? flags : null }
  if (learned.version !== null && learned.flags !== null) remember(options.cacheDir, binary, learned)
  return learned
}

/** What distinguishes a binary from another and from its next version; null if it does not exist. */
function identify(path: string): { path: string; size: number; mtimeMs: number } | null {
  try {
    const real = realpathSync(path)
    const { size, mtimeMs } = statSync(real)
    return { path: real, size, mtimeMs }
  } catch {
    return null
  }
}

/** What the program prints; null if it fails or takes too long. */
async function ask(
  { path, run, timeoutMs = TIMEOUT_MS }: ProbeOptions,
  words: readonly string[],
): Promise<string | null> {
  const giveUp = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>(resolve => {
    timer = setTimeout(() => {
      giveUp.abort()
      resolve(null)
    }, timeoutMs)
  })
  try {
    const ran = await Promise.race([run([path, ...words], giveUp.signal), late])
    return ran?.code === 0 ? `${ran.stdout}\n${ran.stderr ?? ''}` : null
  } catch {
    return null
  } finally {
    clearTimeout(timer)
  }
}

const versionIn = (text: string): string | null =>
  /\d+\.\d+(?:\.\d+)*(?:[-+][\w.-]*\w)?/.exec(text)?.[0] ?? null

/** A line that defines a flag is indented by at most 8 spaces; deeper lines are prose, which may begin with a flag too. */
const DEFINED = /^ {1,8}(?=-)(.*)$/gm

/** The flags that a help text defines, long and short: `-m, --model <model>` → `-m`, `--model`. */
export function flagsIn(help: string): Set<string> {
  const heads = [...help.replace(/\u001b\[[\d;]*m/g, '').matchAll(DEFINED)].map(
    ([, line = '']) =>
      // Two spaces separate a flag from its description.
      line.split(/ {2,}/, 1)[0]!,
  )
  return new Set(heads.flatMap(head => [...head.matchAll(/(?<![^\s,|/])--?\w[\w-]*/g)].map(([flag]) => flag)))
}
