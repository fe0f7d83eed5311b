import { accessSync, constants, statSync } from 'node:fs'
import { dirname } from 'node:path'
import manifest from '../../../../package.json' with { type: 'json' }
import type { RalphFacts } from './facts.ts'

/** What ralph runs on. */
export type Machine = { node: string; platform: string; arch: string }

export const examineRalph = (home: string, { node, platform, arch }: Machine): RalphFacts => {
  const needs = manifest.engines.node.replace(/^\D+/, '')
  return {
    version: manifest.version,
    node: { version: node, needs, enough: isAtLeast(node, needs) },
    home: { path: home, writable: isWritable(home) },
    platform: { name: platform, arch, supported: platform === 'linux' || platform === 'darwin' },
  }
}

function isAtLeast(version: string, needed: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [neededMajor = 0, neededMinor = 0] = needed.split('.').map(Number)
  return major > neededMajor || (major === neededMajor && minor >= neededMinor)
}

/** A folder that does not exist yet is writable if it can be created. */
function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return statSync(folder).isDirectory()
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT' && dirname(folder) !== folder
    return missing && isWritable(dirname(folder))
  }
}
