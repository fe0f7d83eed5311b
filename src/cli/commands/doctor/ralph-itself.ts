import manifest from '../../../../package.json' with { type: 'json' }
import { found, row, type Setup } from './finding.ts'

export const findVersion = () => found(manifest.version, row('yes', 'version', manifest.version))

export function findNode({ machine: { node } }: Setup) {
  const needs = manifest.engines.node.replace(/^\D+/, '')
  const fact = { version: node, needs, enough: isAtLeast(node, needs) }
  if (fact.enough) return found(fact, row('yes', 'node', node))
  return {
    ...found(fact, row('no', 'node', `${node} is too old`, `install ${needs} or newer`)),
    obstacle: `Node ${node} is too old; ${needs} or newer is needed`,
  }
}

export function findPlatform({ machine: { platform, arch } }: Setup) {
  const supported = platform === 'linux' || platform === 'darwin'
  return found(
    { name: platform, arch, supported },
    row(
      supported ? 'yes' : 'no',
      'platform',
      `${platform} ${arch}`,
      supported ? null : 'Linux, macOS or WSL',
    ),
  )
}

function isAtLeast(version: string, needed: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [neededMajor = 0, neededMinor = 0] = needed.split('.').map(Number)
  return major > neededMajor || (major === neededMajor && minor >= neededMinor)
}
