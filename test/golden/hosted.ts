import { execFileSync } from 'node:child_process'
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect } from 'vitest'
import { hostRalph as hostUnrecorded } from '../support/hosted.ts'
import { RALPH, type Ran } from '../support/ralph.ts'

const MOST_BYTES = 200_000
/** Where the recorded ralph is installed. */
const PACKAGE = dirname(dirname(RALPH))

const calls = new Map<string, number>()

/** Runs one command line and records it: exit code, output, the project's files and history, and ralph's own files. */
export async function hostRalph(
  args: string[],
  at: { cwd: string; env: Record<string, string> },
): Promise<Ran> {
  const { testPath, currentTestName } = expect.getState()
  const ran = await hostUnrecorded(args, at)
  const test = join(relative(join(import.meta.dirname, '..', 'cli'), testPath!), slug(currentTestName!))
  const n = (calls.get(test) ?? 0) + 1
  calls.set(test, n)
  const root = dirname(at.cwd)
  const home = at.env.RALPH_HOME ?? join(at.env.HOME ?? root, '.ralph')
  const text = [
    `$ ralph ${args.join(' ')}`,
    `exit ${ran.code}`,
    `-- stdout\n${ran.stdout}`,
    `-- stderr\n${ran.stderr}`,
    ...historyOf(at.cwd, at.env),
    ...filesOf(at.cwd, 'project'),
    ...filesOf(home, 'home'),
  ].join('\n')
  const path = join(process.env.GOLDEN_RECORD!, `${test}.${n}.txt`)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, masked(text.replaceAll(root, '<root>').replaceAll(PACKAGE, '<package>')))
  return ran
}

const slug = (name: string): string => name.replace(/[^\w.-]+/g, '-').slice(0, 180)

function historyOf(cwd: string, env: Record<string, string>): string[] {
  const git = (...args: string[]): string => {
    try {
      return execFileSync('git', args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    } catch {
      return '(none)'
    }
  }
  return [
    `-- git log\n${git('log', '--topo-order', '--branches', '--format=%s%n%b', '--name-status')}`,
    `-- git status\n${git('status', '--porcelain')}`,
  ]
}

/** Every regular file below a folder but git's, in the order of the names. */
function filesOf(folder: string, label: string): string[] {
  let names: string[]
  try {
    names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
  } catch {
    return [`-- ${label}: not a folder`]
  }
  return names
    .filter(name => !/(?:^|\/)\.git(?:\/|$)/.test(name))
    .flatMap(name => {
      const described = describeFile(join(folder, name))
      return described === null ? [] : [`-- ${label}/${name}\n${described}`]
    })
    .sort((a, b) => (masked(a) < masked(b) ? -1 : 1))
}

/** Null for a folder, and for what went away meanwhile. */
function describeFile(path: string): string | null {
  try {
    const stats = lstatSync(path)
    if (stats.isDirectory()) return null
    if (stats.isSymbolicLink()) return `link to ${readlinkSync(path)}`
    if (!stats.isFile()) return 'neither file nor folder'
    if (stats.size > MOST_BYTES) return `${stats.size} bytes`
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

/** What is never the same twice: ids, times, durations, processes, hashes. */
function masked(text: string): string {
  return text
    .replace(/\b\d{8}-\d{6}-[a-z0-9]{3,}\b/g, '<run>')
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<uuid>')
    .replace(/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?/g, '<time>')
    .replace(/\b\d\d:\d\d(?::\d\d)?\b/g, '<clock>')
    .replace(/\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,64}\b/g, '<hash>')
    .replace(/\b\d{7,}\b/g, '<number>')
    .replace(
      /"(\w*(?:[mM]s|pid|pids|inode|ino|dev|birth|warden|elapsed|duration|seconds|worked|waited|took))":\s*-?\d+(?:\.\d+)?/g,
      '"$1":<number>',
    )
    .replace(/\b(pid|process) \d+/g, '$1 <pid>')
    .replace(/\bduration=\S+/g, 'duration=<time>')
    .replace(/\b\d+(?:\.\d+)? ?(?:ms|s|sec|min|m|h)\b(?: ?\d+ ?(?:s|m))?/g, '<time>')
    .replace(/ralph-(?:cli|test|tests|stories|build|scene)-[A-Za-z0-9_-]{6}/g, '<scratch>')
}
