import { realpathSync, statSync } from 'node:fs'
import type { Capabilities } from '../../core/ports.ts'
import { known } from '../index.ts'
import { recall, remember } from './cache.ts'

export type Probing = {
  /** The program, by its absolute path. */
  path: string
  /** The name it goes by; only a known CLI is asked. */
  name: string
  /** Where answers are kept. */
  cacheDir: string
  /**
   * Starts a program, with nothing on its standard input, and waits for its end. Must end it when the signal says so.
   * Some CLIs print their help to standard error.
   */
  run(argv: string[], signal: AbortSignal): Promise<{ code: number | null; stdout: string; stderr?: string }>
  /** How long one answer may take. */
  patienceMs?: number
}

const PATIENCE_MS = 5000

const UNKNOWN: Capabilities = { version: null, flags: null }

/**
 * What a program can do, by its own word: asked once per binary, then remembered until the binary changes.
 * Never throws; what could not be learned is null, and is asked again next time.
 */
export async function probe(probing: Probing): Promise<Capabilities> {
  const help = known.get(probing.name)?.helpArgs
  const binary = identify(probing.path)
  // A program that ralph does not know may do anything on --help.
  if (!help || !binary) return UNKNOWN
  const remembered = recall(probing.cacheDir, binary)
  if (remembered) return remembered
  // One after the other: side by side they would slow each other down, perhaps beyond patience.
  const flags = flagsIn((await ask(probing, help)) ?? '')
  const version = versionIn((await ask(probing, ['--version'])) ?? '')
  const learned = { version, flags: flags.size > 0 ? flags : null }
  if (learned.version !== null && learned.flags !== null) remember(probing.cacheDir, binary, learned)
  return learned
}

/** What tells one binary from another, or from its next version; null if there is none. */
function identify(path: string): { path: string; size: number; mtimeMs: number } | null {
  try {
    const real = realpathSync(path)
    const { size, mtimeMs } = statSync(real)
    return { path: real, size, mtimeMs }
  } catch {
    return null
  }
}

/** What the program prints; null if it fails, or says nothing in time. */
async function ask(
  { path, run, patienceMs = PATIENCE_MS }: Probing,
  words: readonly string[],
): Promise<string | null> {
  const giveUp = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>(resolve => {
    timer = setTimeout(() => {
      giveUp.abort()
      resolve(null)
    }, patienceMs)
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

/** How far a flag's own line is indented at most; deeper lines are prose, which may begin with a flag, too. */
const DEFINED = /^ {1,8}(?=-)(.*)$/gm

/** The flags that a help text defines, long and short: `-m, --model <model>` → `-m`, `--model`. */
export function flagsIn(help: string): Set<string> {
  const heads = [...help.replace(/\u001b\[[\d;]*m/g, '').matchAll(DEFINED)].map(
    ([, line = '']) =>
      // Two spaces part a flag from what is said about it.
      line.split(/ {2,}/, 1)[0]!,
  )
  return new Set(heads.flatMap(head => [...head.matchAll(/(?<![^\s,|/])--?\w[\w-]*/g)].map(([flag]) => flag)))
}
