import { mkdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseJson } from '../../core/json.ts'
import type { Capabilities } from '../../core/ports.ts'
import { LIMITS, readRegularFile } from '../../store/files/read.ts'
import { known } from '../index.ts'
import { asObject, type Fields } from '../shared/fields.ts'

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

/** What distinguishes a binary from another and from its next version, or null if it does not exist. */
function identify(path: string): { path: string; size: number; mtimeMs: number } | null {
  try {
    const real = realpathSync(path)
    const { size, mtimeMs } = statSync(real)
    return { path: real, size, mtimeMs }
  } catch {
    return null
  }
}

/** What the program prints, or null if it fails or takes too long. */
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

type Binary = { path: string; size: number; mtimeMs: number }

/** What is remembered of this exact binary, or null if that is nothing, or nothing valid. */
function recall(dir: string, { path, size, mtimeMs }: Binary): Capabilities | null {
  const all = read(dir)
  const entry = Object.hasOwn(all, path) ? asObject(all[path]) : null
  if (!entry || entry.size !== size || entry.mtimeMs !== mtimeMs) return null
  const { version, flags } = entry
  if (typeof version !== 'string' || !Array.isArray(flags)) return null
  return flags.every(flag => typeof flag === 'string') ? { version, flags: new Set(flags) } : null
}

/** Replaces what was known of an earlier binary at the same path. Only a cache, so a failure is ignored. */
function remember(dir: string, { path, ...binary }: Binary, { version, flags }: Capabilities): void {
  const temporary = `${fileIn(dir)}.${process.pid}`
  try {
    mkdirSync(dir, { recursive: true })
    const entry = { ...binary, version, flags: [...(flags ?? [])] }
    writeFileSync(temporary, JSON.stringify({ ...read(dir), [path]: entry }, null, 2))
    renameSync(temporary, fileIn(dir))
  } catch {
    discard(temporary)
  }
}

function discard(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // It was never written.
  }
}

const fileIn = (dir: string) => join(dir, 'capabilities.json')

function read(dir: string): Fields {
  try {
    return asObject(parseJson(readRegularFile(fileIn(dir), { limit: LIMITS.text }).toString())) ?? {}
  } catch {
    return {}
  }
}
