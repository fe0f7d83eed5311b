import type { Missing } from '../../../runners/sandbox/programs.ts'
import type { Settings } from '../../../settings/schema.ts'

/** What a program says about itself. */
export type ProgramFact = {
  name: string
  /** null: not on PATH. */
  path: string | null
  version: string | null
  /** Why it gave no version although it is installed: it crashed or could not be started. */
  trouble: string | null
  /** It is installed, but did not report its version in time. */
  slow?: true
}

export type AgentFact = ProgramFact & {
  /** How a run would be paid for, judged by which variables are set. */
  paidBy: string
}

/** The agent that `ralph run` would start here without an option for it. */
export type PickedAgent =
  | { type: 'agent'; name: string; command: string; from: 'settings' | 'PATH' }
  | { type: 'none'; why: string }

/** An agent that would work while another is limited. */
export type FallbackFact = { name: string; command: string; installed: boolean }

export type ToolFacts = {
  git: ProgramFact & { repository: string | null }
  sh: ProgramFact
  tmux: ProgramFact
  /** The client; `server` is the daemon that answered it, if any did. */
  docker: ProgramFact & { server: string | null }
  sbx: ProgramFact
  srt: ProgramFact
  bwrap: ProgramFact
  socat: ProgramFact
  rg: ProgramFact
}

/**
 * Whether runs here can work in a sandbox. `wanted`: what the settings say. `missing`: what keeps srt from working. `checked`:
 * the version of sbx with which docker's was tried and worked.
 */
export type SandboxFact = {
  wanted: Settings['sandbox']['mode']
  missing: Missing[]
  isRoot: boolean
  checked: string | null
}

/** Whether workers end when their user logs out, and which setting of systemd's login manager decides that. */
export type LogoutFact = { ends: boolean; by: 'KillUserProcesses' | 'linger' }

export type ProjectFacts = {
  path: string
  settings: { valid: true; files: string[] } | { valid: false; error: string }
  trust:
    | { state: 'not needed' | 'given' | 'by RALPH_TRUST' }
    | { state: 'missing'; where: string[] }
    | { state: 'unknown'; why: string }
  /** The commands; null while the settings cannot be read. */
  guardrails: string[] | null
  /** The patterns of files to protect, notes about them, and why a run could not start with them. */
  protect: { patterns: string[]; notes: string[]; trouble: string | null }
  /** The run at work here. */
  lock: { run: string; pid: number; host: string } | null
  /** `goOn`: the command that continues it. */
  unfinished: { run: string; iterations: number; goOn: string | null } | null
  /** Why the runs of this project could not be read. */
  runsTrouble: string | null
}

/** A folder that ralph writes to. */
export type FolderFact = {
  name: 'home' | 'project' | 'temporary'
  path: string
  /** Why ralph cannot write there, for the end of a sentence. */
  trouble: string | null
  /** What may go wrong there later. */
  doubt: string | null
}

export type RalphFacts = {
  version: string
  node: { version: string; needs: string; enough: boolean }
  home: { path: string; writable: boolean }
  platform: { name: string; arch: string; supported: boolean }
}

/**
 * The variables that a child process would get, and those that it would not. Names only, never values. `replaced`: with
 * another value, from the sandbox; absent: it would be in none.
 */
export type EnvironmentFact = { of: string; gets: string[]; replaced?: string[]; leftOut: string[] }

export type Facts = {
  agents: AgentFact[]
  pick: PickedAgent
  fallbacks: FallbackFact[]
  tools: ToolFacts
  sandbox: SandboxFact
  /** null: not known, or there is no such thing here. */
  logout: LogoutFact | null
  project: ProjectFacts
  ralph: RalphFacts
  folders: FolderFact[]
  /** Only with `--env`. */
  environment?: EnvironmentFact[]
}

/** What keeps ralph from running here, a sentence each; empty if nothing does. */
export function findObstacles({ agents, pick, tools, sandbox, project, ralph, folders }: Facts): string[] {
  const picked = pick.type === 'agent' ? agents.find(agent => agent.name === pick.command) : undefined
  return [
    !project.settings.valid && project.settings.error,
    project.settings.valid && pick.type === 'none' && pick.why,
    picked?.trouble,
    project.settings.valid && project.trust.state === 'unknown' && project.trust.why,
    project.protect.trouble,
    sandbox.wanted === 'docker' && tools.sbx.path === null && 'sandbox docker: sbx is not on PATH',
    sandbox.wanted === 'srt' && sandbox.missing[0] !== undefined && `sandbox srt: ${sandbox.missing[0].what}`,
    ...folders.map(({ path, trouble }) => trouble !== null && `${path} ${trouble}`),
    !ralph.node.enough && `Node ${ralph.node.version} is too old; ${ralph.node.needs} or newer is needed`,
  ].filter((obstacle): obstacle is string => typeof obstacle === 'string')
}

/** Whether `ralph run` would work in srt. */
export const isInSrt = ({ wanted, missing, isRoot }: SandboxFact): boolean =>
  wanted !== 'none' && missing.length === 0 && (wanted === 'srt' || !isRoot)

/** Whether it would work in docker's sandbox. */
export const isDockerUsed = ({ wanted, checked }: SandboxFact, sbx: ProgramFact): boolean =>
  wanted === 'docker' || (wanted === 'auto' && sbx.version !== null && sbx.version === checked)

/** The sandbox that `ralph run` would work in. */
export const tierOf = (sandbox: SandboxFact, sbx: ProgramFact): 'none' | 'srt' | 'docker' =>
  isDockerUsed(sandbox, sbx) ? 'docker' : isInSrt(sandbox) ? 'srt' : 'none'
