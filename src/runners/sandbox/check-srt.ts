import { homedir } from 'node:os'
import { findProgram } from '../find-program.ts'
import { commandRunner } from '../run-command.ts'
import { findRuntime, srtSandbox } from './srt.ts'

/** Something that keeps the sandbox from working, and the way out. */
export type Missing = { what: string; remedy: string }

const LONGEST_MS = 20_000

/** The programs that the runtime needs on Linux, and Debian's names of their packages. */
const PROGRAMS = { bwrap: 'bubblewrap', socat: 'socat', rg: 'ripgrep' }

/**
 * What keeps srt from working here; nothing: it works. The runtime's own check of its dependencies is no proof, so a
 * program is run inside. `program`: the program that hosts the runtime.
 */
export async function checkSrt(
  program: string,
  env: Record<string, string>,
  platform: NodeJS.Platform = process.platform,
): Promise<Missing[]> {
  const path = env.PATH ?? ''
  if (platform !== 'linux' && platform !== 'darwin')
    return [{ what: `srt does not run on ${platform}`, remedy: 'use Linux, macOS or WSL' }]
  const missing: Missing[] = []
  if (findRuntime(path) === null)
    missing.push({ what: 'srt is not on PATH', remedy: 'npm install -g @anthropic-ai/sandbox-runtime' })
  if (platform === 'linux')
    for (const [name, packageName] of Object.entries(PROGRAMS))
      if (findProgram(name, path) === null)
        missing.push({ what: `${name} is not on PATH`, remedy: `install the package ${packageName}` })
  if (missing.length > 0) return missing
  const failure = await tryInside(program, env)
  return failure === null ? [] : [{ what: `nothing can be run inside: ${failure}`, remedy: REMEDY }]
}

const REMEDY =
  'allow unprivileged user namespaces (on Ubuntu, an AppArmor profile for bwrap; in a container, a seccomp profile that allows them)'

/** Runs `true` inside; null: it ended well. */
async function tryInside(program: string, env: Record<string, string>): Promise<string | null> {
  const nothing = { allowedDomains: [], allowWrite: [], denyRead: [] }
  const borders = {
    home: homedir(),
    ralphHome: '',
    folders: [],
    git: [],
    agents: [],
    logins: [],
    secrets: [],
    env: {},
    settings: nothing,
  }
  try {
    const sandbox = srtSandbox({
      run: `check-${process.pid}`,
      borders: () => borders,
      program,
      env,
      keeps: () => true,
      checkDomains: [],
      onDenied: () => {},
    })
    try {
      const command = await sandbox.wrap({ argv: ['true'], cwd: '/', env, stdin: '' }, 'check', {})
      const run = commandRunner(new AbortController().signal)
      const ran = await run(command.argv, { cwd: '/', env, timeoutMs: LONGEST_MS })
      if (ran.end === 'exited')
        return ran.exit.code === 0 ? null : ran.stderr.trim().split('\n').at(-1) || `exit ${ran.exit.code}`
      return ran.end === 'unstartable' ? ran.why : 'it took too long'
    } finally {
      await sandbox.close()
    }
  } catch (error) {
    return (error as Error).message
  }
}
