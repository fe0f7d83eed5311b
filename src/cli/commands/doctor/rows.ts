import type { Facts, FolderFact, LogoutFact, RalphFacts } from './facts.ts'
import { agentRows, confinementRows, toolRows } from './program-rows.ts'
import { projectRows } from './project-rows.ts'

/** `none`: missing, but nothing is wrong with that. */
export type Mark = 'yes' | 'no' | 'none'

export type DoctorRow = {
  mark: Mark
  name: string
  value: string
  /** How to get what is missing, or correct what is wrong. */
  fix?: string
}

export type Group = { title: string; rows: DoctorRow[] }

/** The facts as rows of text, in the order in which they are shown. */
export const describeFacts = ({
  agents,
  pick,
  fallbacks,
  tools,
  sandbox,
  logout,
  project,
  ralph,
  folders,
}: Facts): Group[] => [
  { title: 'agents', rows: agentRows(agents, pick, fallbacks, ralph.platform.name) },
  { title: 'tools', rows: [...toolRows(tools, ralph.platform.name), ...logoutRow(logout)] },
  { title: 'sandbox', rows: confinementRows(tools, sandbox, ralph.platform.name) },
  { title: `project ${project.path}`, rows: projectRows(project) },
  { title: 'ralph', rows: ralphRows(ralph) },
  { title: 'folders', rows: folders.map(folderRow) },
]

/** What keeps workers alive, by what would end them. */
const KEEP_WORKERS: Record<LogoutFact['by'], string> = {
  KillUserProcesses:
    'loginctl enable-linger, then start workers with: systemd-run --user --scope ralph spawn …',
  linger: 'loginctl enable-linger',
}

function logoutRow(logout: LogoutFact | null): DoctorRow[] {
  if (logout === null) return []
  const name = 'logout'
  if (!logout.ends) return [{ mark: 'yes', name, value: 'workers keep running' }]
  const why = logout.by === 'linger' ? 'your user does not linger' : 'KillUserProcesses=yes'
  return [{ mark: 'none', name, value: `ends all workers (${why})`, fix: KEEP_WORKERS[logout.by] }]
}

const REMEDIES: Record<FolderFact['name'], string> = {
  home: 'RALPH_HOME=<a folder of yours>',
  project: 'make room there, and let your user write to it',
  temporary: 'make it, or TMPDIR=<a folder with room>',
}

function folderRow({ name, path, trouble, doubt }: FolderFact): DoctorRow {
  const what = trouble ?? doubt
  if (what === null) return { mark: 'yes', name, value: path }
  return { mark: trouble === null ? 'none' : 'no', name, value: `${path} ${what}`, fix: REMEDIES[name] }
}

const ralphRows = ({ version, node, platform }: RalphFacts): DoctorRow[] => [
  { mark: 'yes', name: 'version', value: version },
  node.enough
    ? { mark: 'yes', name: 'node', value: node.version }
    : {
        mark: 'no',
        name: 'node',
        value: `${node.version} is too old`,
        fix: `install ${node.needs} or newer`,
      },
  {
    mark: platform.supported ? 'yes' : 'no',
    name: 'platform',
    value: `${platform.name} ${platform.arch}`,
    ...(!platform.supported && { fix: 'Linux, macOS or WSL' }),
  },
]
