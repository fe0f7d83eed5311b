import manifest from '../../../../package.json' with { type: 'json' }
import type { RalphFacts } from './facts.ts'

/** What ralph runs on. `cgroup`: the control groups of this process; null: there are none. */
export type Machine = { node: string; platform: string; arch: string; cgroup: string | null }

export const examineRalph = (
  home: string,
  isHomeWritable: boolean,
  { node, platform, arch }: Machine,
): RalphFacts => {
  const needs = manifest.engines.node.replace(/^\D+/, '')
  return {
    version: manifest.version,
    node: { version: node, needs, enough: isAtLeast(node, needs) },
    home: { path: home, writable: isHomeWritable },
    platform: { name: platform, arch, supported: platform === 'linux' || platform === 'darwin' },
  }
}

function isAtLeast(version: string, needed: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [neededMajor = 0, neededMinor = 0] = needed.split('.').map(Number)
  return major > neededMajor || (major === neededMajor && minor >= neededMinor)
}
