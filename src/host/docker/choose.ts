import { existsSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { Start } from '../../git/start.ts'
import { findProgram } from '../../runners/find-program.ts'
import { findSbx, openSbx, versionIn } from '../../runners/sandbox/docker/sbx.ts'
import { environmentOfSbx } from './docker.ts'
import { checkedVersion } from './record.ts'

/** Where a run is to work. */
export type DockerPlace = { project: string; start: Start | null; worktrees: boolean }

const GET_SBX =
  'install sbx (https://docs.docker.com/ai/sandboxes/), then: sbx login, and: ralph sandbox check docker'

/** Why there is no `sbx` here, with the way to get it. Null if there is one. */
export function sbxMissing(path: string, project: string): string | null {
  if (findSbx(path, project) !== null) return null
  const old =
    findProgram('docker', path) === null
      ? ''
      : ' (docker is: its old command `docker sandbox` was replaced by sbx)'
  return `sbx is not on PATH${old}; ${GET_SBX}`
}

/** Why a project cannot be cloned into a sandbox. Null if it can. */
export function cloneTrouble({ start, worktrees }: DockerPlace): string | null {
  if (worktrees) return 'it has one clone, so tasks cannot have worktrees (--parallel, --worktree); use srt'
  if (!start) return 'it clones the project, which is not a git repository; make one with: git init'
  if (start.head === null) return 'it clones the project, which has no commit yet; make the first one'
  const dir = join(start.root, '.git')
  if (!lstatSync(dir, { throwIfNoEntry: false })?.isDirectory())
    return `it cannot clone a linked working tree or a submodule; ${dir} must be a folder`
  if (existsSync(join(dir, 'shallow')))
    return 'it cannot clone a shallow repository; get the rest with: git fetch --unshallow'
  return null
}

/** The version of sbx, and that it is in order. Rejects with SbxError. */
export async function askSbx(env: Record<string, string>, project: string): Promise<string> {
  const sbx = openSbx(findSbx(env.PATH ?? '', project) ?? 'sbx', environmentOfSbx(env))
  const version = versionIn(await sbx(['version', '--json']))
  await sbx(['diagnose'])
  return version ?? 'unknown'
}

/** Why docker cannot be used, in one line. Null if it can. */
export async function dockerTrouble(env: Record<string, string>, place: DockerPlace): Promise<string | null> {
  const missing = sbxMissing(env.PATH ?? '', place.project) ?? cloneTrouble(place)
  if (missing !== null) return missing
  return askSbx(env, place.project).then(
    () => null,
    (error: Error) => error.message,
  )
}

/** Whether every step was tried here with this version of sbx, and this project can be cloned. */
export async function isDockerProven(
  home: string,
  env: Record<string, string>,
  place: DockerPlace,
): Promise<boolean> {
  const proven = checkedVersion(home)
  if (proven === null || sbxMissing(env.PATH ?? '', place.project) !== null || cloneTrouble(place) !== null)
    return false
  return askSbx(env, place.project).then(
    version => version === proven,
    () => false,
  )
}
