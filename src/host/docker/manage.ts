import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UsageError } from '../../core/usage-error.ts'
import { openExchange } from '../../git/exchange.ts'
import { recordStart } from '../../git/start.ts'
import { takeAll } from '../../runners/sandbox/docker/docker.ts'
import {
  findSbx,
  type Listed,
  openSbx,
  SBX_TIMES,
  type Sbx,
  sandboxesIn,
} from '../../runners/sandbox/docker/sbx.ts'
import { liveRuns } from '../../runs/live.ts'
import { environmentOfSbx } from './docker.ts'
import { dropSandbox, listSandboxes, type SandboxRecord } from './record.ts'

/** One of ralph's sandboxes. `status` is null if sbx does not list it. */
export type KnownSandbox = SandboxRecord & { status: string | null }

/** What managing sandboxes takes. */
export type Manager = { home: string; env: Record<string, string>; sbx: Sbx }

export function openManager(home: string, env: Record<string, string>, project: string): Manager {
  const program = findSbx(env.PATH ?? '', project)
  if (program === null) throw new UsageError('sbx is not on PATH; ralph doctor says how to get it')
  return { home, env, sbx: openSbx(program, environmentOfSbx(env)) }
}

/** Those that ralph made, and those that only sbx knows: their record is lost. */
export async function knownSandboxes({ home, sbx }: Manager): Promise<KnownSandbox[]> {
  const listed = sandboxesIn(await sbx(['ls', '--json'])).filter(({ name }) =>
    /^ralph-[\da-f]{12}$/.test(name),
  )
  const statusOf = (name: string) => listed.find(entry => entry.name === name)?.status ?? null
  const recorded = listSandboxes(home).map(record => ({ ...record, status: statusOf(record.name) }))
  const isLost = ({ name }: Listed) => recorded.every(record => record.name !== name)
  const lost = listed.filter(isLost).map(({ name, status, agent }) => ({
    name,
    status,
    agent: agent ?? '',
    project: '',
    root: '',
    run: '',
  }))
  return [...recorded, ...lost]
}

/** Refuses to touch a sandbox that a run is at work in. */
export function refuseWhileUsed(home: string, { name, project }: SandboxRecord): void {
  const run = liveRuns(home).find(live => live.began.project === project)
  if (run)
    throw new UsageError(
      `run ${run.id} may be at work in the sandbox ${name}; end it first: ralph cancel ${run.id}`,
    )
}

/** Removes a sandbox; what is in it and not here is fetched and kept first. `force`: also where that cannot be done. */
export async function removeSandbox(
  { home, env, sbx }: Manager,
  record: KnownSandbox,
  force: boolean,
  warn: (note: string) => void,
): Promise<void> {
  if (record.status !== null) {
    if (!force) await keepWork(record, env, sbx, warn)
    await sbx(['rm', '--force', record.name], { timeoutMs: SBX_TIMES.stop })
  }
  dropSandbox(home, record.name)
}

async function keepWork(
  { name, root, project }: KnownSandbox,
  env: Record<string, string>,
  sbx: Sbx,
  warn: (note: string) => void,
): Promise<void> {
  const start = root !== '' && existsSync(root) ? await recordStart(root, env) : null
  if (!start)
    throw new UsageError(
      `the project ${project || 'of the sandbox'} is gone, so what is in ${name} cannot be kept; to remove it all the same: ralph sandbox rm --force ${name}`,
    )
  const runDir = mkdtempSync(join(tmpdir(), 'ralph-rm-'))
  try {
    const taken = await takeAll({ name, root, exchanged: [] }, sbx)
    const exchange = openExchange({ start, name, exchanged: [], runDir, env, isOwn: false, warn })
    await exchange.adopt(taken)
    await exchange.forget()
  } catch (error) {
    throw new Error(
      `${(error as Error).message}; to remove ${name} all the same, with what is in it: ralph sandbox rm --force ${name}`,
    )
  } finally {
    rmSync(runDir, { recursive: true, force: true })
  }
}
