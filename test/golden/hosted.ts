import { execFileSync } from 'node:child_process'
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect } from 'vitest'
import { hostRalph as hostUnrecorded } from '../support/hosted.ts'
import { RALPH, type Ran } from '../support/ralph.ts'
import { masked } from './mask.ts'

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
