import type { Facts, RalphFacts } from './facts.ts'
import { agentRows, toolRows } from './program-rows.ts'
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
export const describeFacts = ({ agents, pick, fallbacks, tools, project, ralph }: Facts): Group[] => [
  { title: 'agents', rows: agentRows(agents, pick, fallbacks, ralph.platform.name) },
  { title: 'tools', rows: toolRows(tools, ralph.platform.name) },
  { title: `project ${project.path}`, rows: projectRows(project) },
  { title: 'ralph', rows: ralphRows(ralph) },
]

const ralphRows = ({ version, node, home, platform }: RalphFacts): DoctorRow[] => [
  { mark: 'yes', name: 'version', value: version },
  node.enough
    ? { mark: 'yes', name: 'node', value: node.version }
    : {
        mark: 'no',
        name: 'node',
        value: `${node.version} is too old`,
        fix: `install ${node.needs} or newer`,
      },
  home.writable
    ? { mark: 'yes', name: 'home', value: home.path }
    : { mark: 'no', name: 'home', value: `${home.path} cannot be written`, fix: 'RALPH_HOME=<folder>' },
  {
    mark: platform.supported ? 'yes' : 'no',
    name: 'platform',
    value: `${platform.name} ${platform.arch}`,
    ...(!platform.supported && { fix: 'Linux, macOS or WSL' }),
  },
]
