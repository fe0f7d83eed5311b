import { QUIET } from '../../../git/git.ts'
import { findProgram } from '../../../runners/find-program.ts'
import { environmentOf } from './environment.ts'
import { type DoctorRow, found, row, type Setup } from './finding.ts'
import { examineProgram, isUsable, type ProgramFact, printedBy, programRow } from './programs.ts'

/** `server`: the daemon that answered the client, if any did. */
export type ToolFacts = Record<'sh' | 'tmux' | 'sbx' | 'srt' | 'bwrap' | 'socat' | 'rg', ProgramFact> & {
  git: ProgramFact & { repository: string | null }
  docker: ProgramFact & { server: string | null }
}

/** The programs that ralph itself uses, all examined at once. */
export async function findTools({ run, cwd, env, rules, machine: { platform } }: Setup) {
  const options = { run, cwd, env: environmentOf(null, env, rules) }
  const ask = (name: string, ...question: string[]) =>
    examineProgram(name, options, question.length > 0 ? question : undefined)
  const [git, repository, tmux, docker, server, sbx, srt, bwrap, socat, rg] = await Promise.all([
    ask('git'),
    printedBy(options, 'git', ...QUIET, 'rev-parse', '--show-toplevel'),
    ask('tmux', '-V'),
    ask('docker'),
    // A client on PATH does not mean that there is a daemon.
    printedBy(options, 'docker', 'version', '--format', '{{.Server.Version}}'),
    ask('sbx', 'version', '--json'),
    ask('srt'),
    ask('bwrap'),
    ask('socat', '-V'),
    ask('rg'),
  ])
  const sh: ProgramFact = { name: 'sh', path: findProgram('/bin/sh', ''), version: null, trouble: null }
  const fact: ToolFacts = {
    git: { ...git, repository },
    sh,
    tmux,
    docker: { ...docker, server },
    sbx,
    srt,
    bwrap,
    socat,
    rg,
  }
  return found(fact, ...toolRows(fact, platform))
}

export const toolRows = ({ git, sh, tmux, docker }: ToolFacts, platform: string): DoctorRow[] => [
  programRow(git, platform),
  ...(isUsable(git) ? [repositoryRow(git.repository)] : []),
  // It runs the guardrails, so nothing can be verified without it.
  { ...programRow(sh, platform), ...(sh.path === null && { mark: 'no' }) },
  programRow(tmux, platform),
  dockerRow(docker, platform),
]

const repositoryRow = (repository: string | null): DoctorRow =>
  repository === null
    ? row('none', 'repository', 'none around this folder: ralph cannot see changes', 'git init')
    : row('yes', 'repository', repository)

function dockerRow(docker: ToolFacts['docker'], platform: string): DoctorRow {
  if (!isUsable(docker)) return programRow(docker, platform)
  if (docker.server !== null) return programRow(docker, platform, `the daemon answers (${docker.server})`)
  const client = programRow(docker, platform, 'only a client: no daemon answers')
  return { ...client, mark: 'none', fix: 'start the daemon' }
}
