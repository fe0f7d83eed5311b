import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { onTestFinished } from 'vitest'
import type { Command, Sink } from '../../src/core/ports.ts'
import type { MakeRunner } from '../../src/runners/index.ts'
import { type ProcessRunner, processRunner } from '../../src/runners/process/process.ts'

export const FAKE_AGENT = fileURLToPath(new URL('../support/fake-agent.mjs', import.meta.url))

export type Act = [string, ...unknown[]]

type Start = Partial<Command> & { step?: number; sink?: Sink }

/** A folder, and a run whose processes are gone when the test is over, whatever became of it. */
export function setScene({
  graceMs = 200,
  run = `test-${randomUUID()}`,
  make = (_folder: string): MakeRunner => processRunner,
} = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-runners-'))
  const runner: ProcessRunner = make(folder)({ run, graceMs })
  const strangers: number[] = []
  onTestFinished(async () => {
    await runner.close()
    for (const pid of strangers) kill(pid)
    rmSync(folder, { recursive: true, force: true })
  })
  const path = (name: string) => join(folder, name)
  const command = (acts: Act[], more: Partial<Command> = {}): Command => ({
    argv: [process.execPath, FAKE_AGENT],
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', FAKE_AGENT: JSON.stringify(acts) },
    stdin: '',
    ...more,
  })
  return {
    run,
    runner,
    folder,
    path,
    command,
    /** Starts an agent that does this, in the first step of the run unless another one is named. */
    start: (acts: Act[], { step = 1, sink = ignoring, ...more }: Start = {}) =>
      runner.start(command(acts, more), step, sink),
    /** Ended with the test, though no runner knows of it. */
    tidy: (pid: number) => strangers.push(pid),
    /** Numbers that processes wrote down, once there are so many. */
    numbers: async (name: string, count = 1): Promise<number[]> => {
      const read = () => readText(path(name)).split('\n').filter(Boolean).map(Number)
      await until(() => read().length >= count)
      return read()
    },
  }
}

/** The driver as plain JavaScript in the folder: a process of its own that a test may kill. */
export async function bundleDriver(folder: string): Promise<string> {
  const outfile = join(folder, 'driver.mjs')
  const entry = fileURLToPath(new URL('driver.ts', import.meta.url))
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  })
  return outfile
}

export function collect() {
  const lines: string[] = []
  const cuts: boolean[] = []
  const chunks: Buffer[] = []
  const errors: Buffer[] = []
  const sink: Sink = {
    line: (line, cut) => {
      lines.push(line)
      cuts.push(cut)
    },
    bytes: chunk => chunks.push(Buffer.from(chunk)),
    error: chunk => errors.push(Buffer.from(chunk)),
  }
  return {
    sink,
    lines,
    cuts,
    bytes: () => Buffer.concat(chunks),
    errors: () => Buffer.concat(errors).toString(),
  }
}

export const ignoring: Sink = { line: () => {}, bytes: () => {}, error: () => {} }

export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** Waits for something to come true; the limit is there for the case that it never does. */
export async function until(isTrue: () => boolean, limitMs = 20_000): Promise<void> {
  const limit = Date.now() + limitMs
  while (!isTrue()) {
    if (Date.now() > limit) throw new Error(`still not true: ${isTrue}`)
    await delay(5)
  }
}

/** Whether a process lives; a zombie does not. Looked up here without the code under test. */
export function lives(pid: number): boolean {
  const stat = readText(`/proc/${pid}/stat`)
  return stat !== '' && !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2))
}

/** The processes that were started with this entry, `NAME=value`, in their environment. */
export function carriers(entry: string): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .filter(name => readText(`/proc/${name}/environ`).split('\0').includes(entry))
    .map(Number)
}

export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Gone already.
  }
}
