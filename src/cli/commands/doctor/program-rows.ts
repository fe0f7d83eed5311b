import { OWN_LOGIN } from './agents.ts'
import type { AgentFact, FallbackFact, PickedAgent, ProgramFact, ToolFacts } from './facts.ts'
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

export function toolRows({ git, sh, tmux, docker, srt, bwrap }: ToolFacts, platform: string): DoctorRow[] {
  const row = (fact: ProgramFact, ...more: string[]) => programRow(fact, platform, more)
  return [
    row(git),
    ...repositoryRow(git),
    // It runs the guardrails, so nothing can be verified without it.
    { ...row(sh), ...(sh.path === null && { mark: 'no' }) },
    row(tmux),
    dockerRow(docker, row),
    row(srt),
    bwrap.path === null && platform === 'darwin'
      ? { mark: 'none', name: 'bwrap', value: 'not needed on macOS' }
      : row(bwrap),
  ]
}

function repositoryRow({ path, trouble, repository }: ToolFacts['git']): DoctorRow[] {
  const name = 'repository'
  if (path === null || trouble !== null) return []
  if (repository !== null) return [{ mark: 'yes', name, value: repository }]
  const value = 'none around this folder: changes cannot be seen'
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

const SLOW = 'slow: did not tell its version within 5 s'

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
