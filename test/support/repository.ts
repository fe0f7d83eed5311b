import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** Files, each with its text, and what a shell then does beside them. */
export type Recipe = { files?: Record<string, string>; script: string }

/** What a recipe made: how to make each thing again. */
type Made = ((folder: string) => void)[]

const made = new Map<string, Made>()

/** A repository with an identity of its own, on the branch `main`, that git does not look after at each commit. */
export const BEGIN =
  'git init -q -b main; git config user.name T; git config user.email t@localhost; git config maintenance.auto false'

/**
 * Makes a repository as a recipe would. The recipe is followed once; from then on what came of it is written out, because
 * half a dozen calls of git take longer than most tests.
 */
export function makeRepository(folder: string, recipe: Recipe): void {
  const key = JSON.stringify(recipe)
  const steps = made.get(key) ?? follow(recipe)
  made.set(key, steps)
  mkdirSync(folder, { recursive: true })
  for (const step of steps) step(folder)
}

function follow({ files = {}, script }: Recipe): Made {
  const dir = mkdtempSync(join(tmpdir(), 'ralph-recipe-'))
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(dir, name)), { recursive: true })
      writeFileSync(join(dir, name), text)
    }
    const env = { PATH: process.env.PATH, HOME: dir, LANG: 'C.UTF-8' }
    execFileSync('sh', ['-ec', script], { cwd: dir, env, stdio: 'pipe' })
    return stepsOf(dir)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** The examples of hooks that git puts into every repository are left out. */
function stepsOf(root: string, folder = ''): Made {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !name.endsWith('.sample'))
    .flatMap(entry => {
      const path = join(folder, entry.name)
      const from = join(root, path)
      if (entry.isDirectory())
        return [to => mkdirSync(join(to, path), { recursive: true }), ...stepsOf(root, path)]
      if (entry.isSymbolicLink()) {
        const target = readlinkSync(from)
        return [to => symlinkSync(target, join(to, path))]
      }
      const bytes = readFileSync(from)
      const mode = statSync(from).mode & 0o777
      return [to => writeFileSync(join(to, path), bytes, { mode })]
    })
}
