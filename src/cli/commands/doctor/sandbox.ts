import { checkedVersion } from '../../../host/docker/record.ts'
import type { Missing } from '../../../runners/sandbox/programs.ts'
import type { Settings } from '../../../settings/schema.ts'
import { type DoctorRow, row, type Setup } from './finding.ts'
import { isUsable, type ProgramFact, programRow } from './programs.ts'
import type { ToolFacts } from './tools.ts'

type SandboxFact = {
  /** What the settings say. */
  wanted: Settings['sandbox']['mode']
  /** What keeps srt from working. */
  missing: Missing[]
  isRoot: boolean
  /** The version of sbx with which docker's was tried and worked. */
  checked: string | null
}

/** Whether runs here can work in a sandbox. `tier`: the one that `ralph run` would work in. */
export function findSandbox(place: Setup, tools: ToolFacts, missing: Missing[]) {
  const { settings, isRoot, home, machine } = place
  const { sbx, srt, bwrap, socat, rg } = tools
  const wanted = settings?.sandbox.mode ?? 'auto'
  const fact = { wanted, missing, isRoot, checked: checkedVersion(home) }
  const tier = tierOf(fact, sbx)
  const programs = machine.platform === 'darwin' ? [srt] : [srt, bwrap, socat, rg]
  const rows = [
    sbxRow(tools, fact, machine.platform),
    ...programs.map(program => programRow(program, machine.platform)),
    ...(tier === 'docker' ? [dockerRow(sbx)] : srtRows(fact, programs)),
  ]
  return { fact, tier, rows, obstacle: obstacleOf(fact, sbx) }
}

function tierOf(
  { wanted, missing, isRoot, checked }: SandboxFact,
  sbx: ProgramFact,
): 'none' | 'srt' | 'docker' {
  if (wanted === 'docker' || (wanted === 'auto' && sbx.version !== null && sbx.version === checked))
    return 'docker'
  return wanted !== 'none' && missing.length === 0 && (wanted === 'srt' || !isRoot) ? 'srt' : 'none'
}

function obstacleOf({ wanted, missing: [first] }: SandboxFact, sbx: ProgramFact): string | null {
  if (wanted === 'docker' && sbx.path === null) return 'sandbox docker: sbx is not on PATH'
  return wanted === 'srt' && first ? `sandbox srt: ${first.what}` : null
}

function sbxRow({ sbx, docker }: ToolFacts, { checked }: SandboxFact, platform: string): DoctorRow {
  const isOld = sbx.path === null && docker.path !== null
  if (!isUsable(sbx))
    return programRow(sbx, platform, isOld && 'docker is, but sbx replaced its command `docker sandbox`')
  if (checked !== null && checked === sbx.version) return programRow(sbx, platform, 'it was tried and works')
  const untried = programRow(sbx, platform, 'not tried with this version')
  return { ...untried, mark: 'none', fix: 'ralph sandbox check docker' }
}

const dockerRow = (sbx: ProgramFact): DoctorRow =>
  sbx.path === null
    ? row('no', 'sandbox', 'docker (sandbox.mode), but sbx is not there', 'install sbx')
    : row('yes', 'sandbox', 'docker: `ralph run` uses it (experimental)')

const UNPROTECTED = 'none: agents may read, change and run whatever you can'
const ROOT = 'srt works, but it does not contain root, who can write to /proc/sys inside'
const OTHER_USER = 'run ralph as another user'

function srtRows({ wanted, missing, isRoot }: SandboxFact, programs: readonly ProgramFact[]): DoctorRow[] {
  if (wanted === 'none') return [row('none', 'sandbox', `${UNPROTECTED} (sandbox.mode)`)]
  if (missing.length === 0)
    return [
      isRoot
        ? row(wanted === 'srt' ? 'yes' : 'none', 'sandbox', ROOT, OTHER_USER)
        : row('yes', 'sandbox', 'srt: `true` was run inside, and `ralph run` uses it'),
    ]
  const mark = wanted === 'srt' ? 'no' : 'none'
  // A program that is not found has a row of its own.
  if (programs.every(({ path }) => path !== null))
    return missing.map(({ what, remedy }) => row(mark, 'sandbox', what, remedy))
  return [row(mark, 'sandbox', UNPROTECTED, `install what srt needs${isRoot ? `, and ${OTHER_USER}` : ''}`)]
}
