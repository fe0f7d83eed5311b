import { OWN_LOGIN } from './agents.ts'
import {
  type AgentFact,
  type FallbackFact,
  isDockerUsed,
  isInSrt,
  type PickedAgent,
  type ProgramFact,
  type SandboxFact,
  type ToolFacts,
} from './facts.ts'
import { howToInstall } from './how-to-install.ts'
import type { DoctorRow } from './rows.ts'

export function agentRows(
  agents: AgentFact[],
  pick: PickedAgent,
  fallbacks: FallbackFact[],
  platform: string,
): DoctorRow[] {
  const rows = agents.map(agent => {
    const isPicked = pick.type === 'agent' && pick.command === agent.name
    const isFallback = fallbacks.some(fallback => fallback.command === agent.name)
    const more = [
      agent.path !== null && agent.trouble === null ? paymentOf(agent) : null,
      isPicked ? USED[pick.from] : null,
      isFallback ? FALLBACK : null,
    ]
    return programRow(agent, platform, more)
  })
  const isAbove = (command: string) => agents.some(agent => agent.name === command)
  if (pick.type === 'none') rows.push({ mark: 'no', name: 'ralph run', value: 'can use none of these' })
  else if (!isAbove(pick.command)) rows.push({ mark: 'yes', name: pick.command, value: USED[pick.from] })
  for (const { command, installed } of fallbacks)
    if (!isAbove(command))
      rows.push({
        mark: installed ? 'yes' : 'none',
        name: command,
        value: installed ? FALLBACK : `not found; ${FALLBACK}`,
      })
  return rows
}

/** A login is not opened to look at it. */
const paymentOf = ({ paidBy }: AgentFact): string =>
  paidBy === OWN_LOGIN ? `${OWN_LOGIN}: login not checked` : paidBy

const FALLBACK = 'fallback while another is limited (fallbackAgents)'

const USED = {
  settings: '`ralph run` uses this one: the settings say so',
  PATH: '`ralph run` uses this one',
} as const

export function toolRows({ git, sh, tmux, docker }: ToolFacts, platform: string): DoctorRow[] {
  const row = (fact: ProgramFact, ...more: string[]) => programRow(fact, platform, more)
  return [
    row(git),
    ...repositoryRow(git),
    // It runs the guardrails, so nothing can be verified without it.
    { ...row(sh), ...(sh.path === null && { mark: 'no' }) },
    row(tmux),
    dockerRow(docker, row),
  ]
}

/** Docker's sbx, srt with the programs that it needs on Linux, and what a run would work in. */
export function confinementRows(
  { docker, sbx, srt, bwrap, socat, rg }: ToolFacts,
  sandbox: SandboxFact,
  platform: string,
): DoctorRow[] {
  const programs = platform === 'darwin' ? [srt] : [srt, bwrap, socat, rg]
  const rows = programs.map(fact => programRow(fact, platform, []))
  const used = isDockerUsed(sandbox, sbx) ? [dockerSandboxRow(sbx)] : sandboxRows(sandbox, programs)
  return [sbxRow(sbx, docker, sandbox, platform), ...rows, ...used]
}

const CHECK = 'ralph sandbox check docker'

function sbxRow(
  sbx: ProgramFact,
  docker: ProgramFact,
  { checked }: SandboxFact,
  platform: string,
): DoctorRow {
  const old = sbx.path === null && docker.path !== null
  const row = programRow(sbx, platform, [
    old ? 'docker is, but sbx replaced its command `docker sandbox`' : null,
  ])
  if (sbx.path === null || sbx.trouble !== null) return row
  return checked !== null && checked === sbx.version
    ? { ...row, value: `${row.value} · it was tried and works` }
    : { ...row, mark: 'none', value: `${row.value} · not tried with this version`, fix: CHECK }
}

const dockerSandboxRow = (sbx: ProgramFact): DoctorRow =>
  sbx.path === null
    ? {
        mark: 'no',
        name: 'sandbox',
        value: 'docker (sandbox.mode), but sbx is not there',
        fix: 'install sbx',
      }
    : { mark: 'yes', name: 'sandbox', value: 'docker: `ralph run` uses it (experimental)' }

const UNPROTECTED = 'none: agents may read, change and run whatever you can'

function sandboxRows(sandbox: SandboxFact, programs: readonly ProgramFact[]): DoctorRow[] {
  const { wanted, missing, isRoot } = sandbox
  const name = 'sandbox'
  if (wanted === 'none') return [{ mark: 'none', name, value: `${UNPROTECTED} (sandbox.mode)` }]
  if (missing.length === 0 && isRoot)
    return [
      {
        mark: isInSrt(sandbox) ? 'yes' : 'none',
        name,
        value: 'srt works, but it does not contain root, who can write to /proc/sys inside',
        fix: 'run ralph as another user',
      },
    ]
  if (missing.length === 0)
    return [{ mark: 'yes', name, value: 'srt: `true` was run inside, and `ralph run` uses it' }]
  const mark = wanted === 'srt' ? 'no' : 'none'
  // A program that is not found has a row of its own.
  const others = programs.every(({ path }) => path !== null) ? missing : []
  const fix = `install what srt needs${isRoot ? ', and run ralph as another user' : ''}`
  if (others.length === 0) return [{ mark, name, value: UNPROTECTED, fix }]
  return others.map(({ what, remedy }) => ({ mark, name, value: what, fix: remedy }))
}

function repositoryRow({ path, trouble, repository }: ToolFacts['git']): DoctorRow[] {
  const name = 'repository'
  if (path === null || trouble !== null) return []
  if (repository !== null) return [{ mark: 'yes', name, value: repository }]
  const value = 'none around this folder: ralph cannot see changes'
  return [{ mark: 'none', name, value, fix: 'git init' }]
}

function dockerRow(
  docker: ToolFacts['docker'],
  row: (fact: ProgramFact, ...more: string[]) => DoctorRow,
): DoctorRow {
  if (docker.path === null || docker.trouble !== null) return row(docker)
  if (docker.server !== null) return row(docker, `the daemon answers (${docker.server})`)
  return { ...row(docker, 'only a client: no daemon answers'), mark: 'none', fix: 'start the daemon' }
}

const SLOW = 'slow: did not report its version within 5 s'

function programRow(
  { name, path, version, trouble, slow }: ProgramFact,
  platform: string,
  more: readonly (string | null)[],
): DoctorRow {
  if (path === null) {
    const value = ['not found', ...more].filter(Boolean).join(' · ')
    return { mark: 'none', name, value, fix: howToInstall(name, platform) }
  }
  const answer = trouble === null ? [slow ? SLOW : version, path] : [path, trouble]
  return {
    mark: trouble === null ? 'yes' : 'no',
    name,
    value: [...answer, ...more].filter(Boolean).join(' · '),
  }
}
