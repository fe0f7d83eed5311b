import { isObject, jsonIn } from '../../../core/json.ts'
import type { Files } from './propose.ts'

const SCRIPTS = ['test', 'lint', 'typecheck', 'check', 'build']

/** Package managers by their lock files; without one, npm. */
const LOCKS: readonly (readonly [file: string, manager: string])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
]

export const LOCK_FILES = LOCKS.map(([file]) => file)

/** The scripts of a package.json that verify something, as its package manager runs them. */
export function findScripts(text: string, files: Files): string[] {
  const read = jsonIn(text)
  // npm will complain about one that is no object; here it only means that there is nothing to propose.
  const manifest = isObject(read) ? read : {}
  const scripts = isObject(manifest.scripts) ? manifest.scripts : {}
  const manager = managerOf(manifest, files)
  return SCRIPTS.filter(name => Object.hasOwn(scripts, name) && verifies(scripts[name])).map(name =>
    manager === 'npm' && name === 'test' ? 'npm test' : `${manager} run ${name}`,
  )
}

/** Excludes the placeholder that `npm init` writes, and scripts that watch for changes without end. */
const verifies = (script: unknown): boolean =>
  typeof script === 'string' &&
  !script.includes('no test specified') &&
  !/\s--watch(?:All)?(?:\s|$)/.test(script)

function managerOf(manifest: Record<string, unknown>, files: Files): string {
  const named = /^(?:npm|pnpm|yarn|bun)(?=@)/.exec(String(manifest.packageManager))?.[0]
  return named ?? LOCKS.find(([file]) => Object.hasOwn(files, file))?.[1] ?? 'npm'
}
