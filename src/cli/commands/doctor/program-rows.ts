import type { AgentFact, FallbackFact, Picked, ProgramFact, ToolFacts } from './facts.ts'
import type { Row } from './rows.ts'
import { wayToGet } from './ways.ts'

export function agentRows(
  agents: AgentFact[],
  pick: Picked,
  fallbacks: FallbackFact[],
  platform: string,
): Row[] {
  const rows = agents.map(agent => {
    const isPicked = pick.type === 'agent' && pick.command === agent.name
    const standsIn = fallbacks.some(fallback => fallback.command === agent.name)
    const more = [
      agent.path !== null && agent.trouble === null ? agent.paidBy : null,
      isPicked ? TAKEN[pick.from] : null,
      standsIn ? STANDS_IN : null,
    ]
    return programRow(agent, platform, more)
  })
  const isAbove = (command: string) => agents.some(agent => agent.name === command)
  if (pick.type === 'none') rows.push({ mark: 'no', name: 'ralph run', value: 'takes none of these' })
  else if (!isAbove(pick.command)) rows.push({ mark: 'yes', name: pick.command, value: TAKEN[pick.from] })
  for (const { command, installed } of fallbacks)
    if (!isAbove(command))
      rows.push({
        mark: installed ? 'yes' : 'none',
        name: command,
        value: installed ? STANDS_IN : `not found; ${STANDS_IN}`,
      })
  return rows
}

const STANDS_IN = 'stands in while another is limited (fallbackAgents)'

const TAKEN = {
  settings: '`ralph run` takes this one: the settings say so',
  PATH: '`ralph run` takes this one',
} as const

export function toolRows({ git, sh, tmux, docker, srt, bwrap }: ToolFacts, platform: string): Row[] {
  const row = (fact: ProgramFact, ...more: string[]) => programRow(fact, platform, more)
  return [
    row(git),
    ...repositoryRow(git),
    // Guardrails are its commands: without it there is nothing to verify with.
    { ...row(sh), ...(sh.path === null && { mark: 'no' }) },
    row(tmux),
    dockerRow(docker, row),
    row(srt),
    bwrap.path === null && platform === 'darwin'
      ? { mark: 'none', name: 'bwrap', value: 'not needed on macOS' }
      : row(bwrap),
  ]
}

function repositoryRow({ path, trouble, repository }: ToolFacts['git']): Row[] {
  const name = 'repository'
  if (path === null || trouble !== null) return []
  if (repository !== null) return [{ mark: 'yes', name, value: repository }]
  const value = 'none around this folder: nothing would tell what changed'
  return [{ mark: 'none', name, value, way: 'git init' }]
}

function dockerRow(docker: ToolFacts['docker'], row: (fact: ProgramFact, ...more: string[]) => Row): Row {
  if (docker.path === null || docker.trouble !== null) return row(docker)
  if (docker.server !== null) return row(docker, `the daemon answers (${docker.server})`)
  return { ...row(docker, 'a client alone: no daemon answers'), mark: 'none', way: 'start the daemon' }
}

function programRow(
  { name, path, version, trouble }: ProgramFact,
  platform: string,
  more: readonly (string | null)[],
): Row {
  if (path === null) {
    const value = ['not found', ...more].filter(Boolean).join(' · ')
    return { mark: 'none', name, value, way: wayToGet(name, platform) }
  }
  const answer = trouble === null ? [version, path] : [path, trouble]
  return {
    mark: trouble === null ? 'yes' : 'no',
    name,
    value: [...answer, ...more].filter(Boolean).join(' · '),
  }
}
