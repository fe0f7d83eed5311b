import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ownProgram, replaceableProgram } from '../../store/files/own-program.ts'

/** Something that keeps the sandbox from working, and what to do. */
export type Missing = { what: string; remedy: string }

/** What srt is made of. `runtime`: the module of its package. The others are programs that it needs on Linux. */
export type SrtPrograms = { srt: string; runtime: string; bwrap?: string; socat?: string; rg?: string }

/** The programs that the runtime needs on Linux, and Debian's names of their packages. */
const PACKAGES = { bwrap: 'bubblewrap', socat: 'socat', rg: 'ripgrep' } as const

const INSTALL_SRT = 'npm install -g @anthropic-ai/sandbox-runtime'

/** The sandbox's programs, outside the agent's reach; otherwise what is missing. */
export function findSrt(
  path: string,
  project: string,
  platform: NodeJS.Platform = process.platform,
): { programs: SrtPrograms } | { missing: Missing[] } {
  if (platform !== 'linux' && platform !== 'darwin')
    return { missing: [{ what: `srt does not run on ${platform}`, remedy: 'use Linux, macOS or WSL' }] }
  const missing: Missing[] = []
  const find = (name: string, remedy: string): string | null => {
    const found = ownProgram(name, path, project)
    if (found === null) missing.push({ what: whyNot(name, path, project), remedy })
    return found
  }
  const srt = find('srt', INSTALL_SRT)
  const runtime = srt && moduleOf(srt)
  if (srt !== null && runtime === null)
    missing.push({ what: `${srt} is not the program of its package`, remedy: INSTALL_SRT })
  const needed = platform === 'linux' ? Object.entries(PACKAGES) : []
  const others = needed.map(([name, of]) => [name, find(name, `install the package ${of}`)])
  if (!srt || !runtime || missing.length > 0) return { missing }
  return { programs: { srt, runtime, ...Object.fromEntries(others) } }
}

function whyNot(name: string, path: string, project: string): string {
  const other = replaceableProgram(name, path, project)
  return other === null
    ? `${name} is not on PATH`
    : `${other} is not used, because an agent could replace it: it belongs to a project`
}

/** The runtime's module, by the program that its package installs. */
function moduleOf(program: string): string | null {
  const module = join(dirname(realpathSync(program)), 'index.js')
  return existsSync(module) ? module : null
}
