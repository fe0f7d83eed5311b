import { createHash, randomUUID } from 'node:crypto'
import { readdirSync, realpathSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import type { Env } from '../core/ports.ts'
import { pathSeenFrom } from '../store/files/paths.ts'
import { bytesAt } from '../store/files/read.ts'
import { git } from './git.ts'
import { contentOf, HASHED_BYTES } from './status.ts'

/** No folder of hooks has more files than this. */
const MAX_FILES = 2000

/** In the top folder: where the common managers of hooks read what to run. */
const MANAGERS =
  /^\.?lefthook(-local)?\.|^\.pre-commit-config\.|^\.huskyrc|^\.lintstagedrc|^lint-staged\.config\.|^\.?simple-git-hooks\.|^\.overcommit\.|^captainhook\./

/**
 * A hash of the hooks that would run, by place, name and content, and of the files beside them that hooks are made of.
 * It stays the same if the whole repository is moved.
 */
export async function hooksOf(root: string, env: Env): Promise<string> {
  const path = (await git(root, env, ['rev-parse', '--git-path', 'hooks']))?.trimEnd()
  if (!path) return ''
  const dir = resolve(root, path)
  const hash = createHash('sha1').update(pathSeenFrom(root, dir))
  const names = namesIn(dir).filter(n => !n.endsWith('.sample'))
  for (const name of names) hash.update(`\0${name}\0`).update(hookContent(dir, name))
  const more = names.length === 0 ? [] : filesOfHooks(root, dir)
  // Too many to compare: never the same, so that they are not run.
  if (more.length > MAX_FILES) return randomUUID()
  for (const file of more) hash.update(`\0${file}\0`).update(hookContent(root, file))
  return hash.digest('hex')
}

/**
 * What the hooks themselves are likely to run, relative to the root: what is in folders of theirs; if they lie in the work
 * tree, what is around them (husky keeps the hooks one folder above what git calls); and what a manager is configured to
 * run.
 */
function filesOfHooks(root: string, dir: string): string[] {
  const real = relative(root, realPathOf(dir))
  const isInTree = !/^(\.\.|\.git)(\/|$)/.test(real)
  const around = isInTree && dirname(real) !== '.' ? dirname(real) : real
  const nested = filesBelow(root, around).filter(file => isInTree || dirname(file) !== real)
  return [...nested, ...namesIn(root).filter(name => MANAGERS.test(name))]
}

function filesBelow(root: string, folder: string): string[] {
  const found: string[] = []
  const pending = [folder]
  for (let path = pending.pop(); path !== undefined && found.length <= MAX_FILES; path = pending.pop())
    for (const entry of entriesIn(join(root, path)))
      if (!entry.isDirectory()) found.push(join(path, entry.name))
      else if (entry.name !== 'node_modules') pending.push(join(path, entry.name))
  return found.sort()
}

const namesIn = (dir: string): string[] =>
  entriesIn(dir)
    .map(({ name }) => name)
    .sort()

function entriesIn(dir: string) {
  try {
    return readdirSync(dir, { withFileTypes: true })
  } catch {
    return []
  }
}

function realPathOf(dir: string): string {
  try {
    return realpathSync(dir)
  } catch {
    return dir
  }
}

/** What a hook is made of. Anything that is not a regular file is identified by its kind. */
const hookContent = (dir: string, name: string): Buffer | string =>
  bytesAt(join(dir, name), { limit: HASHED_BYTES }) ?? contentOf(dir, name)
