import { existsSync } from 'node:fs'
import type { Env } from '../../core/ports.ts'
import { homeFolder } from '../../store/files/paths.ts'
import { LIMITS, textAt } from '../../store/files/read.ts'
import { commandRunner, type RunCommand } from '../run-command.ts'
import { type Kernel, obstacleOf } from './obstacle.ts'
import { findSrt, type Missing } from './programs.ts'
import { srtSandbox } from './srt.ts'

const LONGEST_MS = 20_000
const NEVER = new AbortController().signal

export type CheckSrtOptions = {
  /** The program that hosts the runtime. */
  program: string
  /** What belongs to this project is not used. */
  project: string
  env: Env
  platform?: NodeJS.Platform
  run?: RunCommand
}

/**
 * What keeps srt from working here. Empty if it works. The runtime's own check of its dependencies is no proof, so a
 * program is run inside.
 */
export async function checkSrt(options: CheckSrtOptions): Promise<Missing[]> {
  const found = findSrt(options.env.PATH ?? '', options.project, options.platform)
  if ('missing' in found) return found.missing
  const failure = await tryInside(options)
  return failure === null ? [] : [obstacleOf(failure, kernelHere())]
}

/** Runs `true` inside. Returns why that failed, or null. */
async function tryInside({
  program,
  project,
  env,
  run = commandRunner(NEVER),
}: CheckSrtOptions): Promise<string | null> {
  const borders = {
    home: homeFolder(),
    ralphHome: '',
    folders: [],
    git: [],
    links: [],
    agents: [],
    logins: [],
    secrets: [],
    env: {},
    settings: { allowedDomains: [], allowWrite: [], denyRead: [] },
  }
  try {
    const sandbox = srtSandbox({
      run: `check-${process.pid}`,
      project,
      borders: () => borders,
      program,
      env,
      keeps: () => true,
      checkDomains: [],
      onDenied: () => {},
    })
    try {
      const command = await sandbox.wrap({ argv: ['true'], cwd: '/', env, stdin: '' }, 'check', {})
      const ran = await run(command.argv, { cwd: '/', env, timeoutMs: LONGEST_MS })
      if (ran.end === 'exited')
        return ran.exit.code === 0 ? null : ran.stderr.trim().split('\n').at(-1) || `exit ${ran.exit.code}`
      return ran.end === 'timeout' ? 'it took too long' : ran.end === 'unstartable' ? ran.why : 'interrupted'
    } finally {
      await sandbox.close()
    }
  } catch (error) {
    return (error as Error).message
  }
}

function kernelHere(): Kernel {
  const numberAt = (path: string): number | null => {
    const text = textAt(`/proc/sys/${path}`, { limit: LIMITS.small })
    return text === null ? null : Number(text)
  }
  return {
    apparmor: numberAt('kernel/apparmor_restrict_unprivileged_userns'),
    clone: numberAt('kernel/unprivileged_userns_clone'),
    most: numberAt('user/max_user_namespaces'),
    isContainer: ['/.dockerenv', '/run/.containerenv'].some(path => existsSync(path)),
  }
}
