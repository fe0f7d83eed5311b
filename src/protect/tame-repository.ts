import { join } from 'node:path'
import { type PinnedFolder, pinFolder } from '../store/files/pinned.ts'
import { readArea, repositoryArea } from './area.ts'
import { isHarmlessInNew } from './config-keys.ts'
import { type ConfigTool, readConfigEntries } from './git-config.ts'
import { putBack } from './put-back.ts'
import type { SetAside } from './set-aside.ts'
import { type Kept, readAreas } from './snapshot.ts'
import type { Violations } from './violations.ts'

/** A repository within the work tree that git visits when it looks at the outer one. */
export type InnerRepository = {
  /** The folder of git itself: `sub/.git`, or where the file `sub/.git` leads. */
  gitDir: string
  /** `sub/.git`. */
  pointer: string
  /** Whether that folder lies outside the project and its repository. */
  isOutside: boolean
}

type TameOptions = {
  tool: ConfigTool
  aside: SetAside
  shown(path: string): string
  found: Violations
  /** The project. */
  root: string
}

/** Takes from a repository that is new in the work tree what git would run in it when it looks at the outer one. */
export async function tameRepository(repository: InnerRepository, options: TameOptions): Promise<void> {
  const { gitDir, pointer, isOutside } = repository
  if (isOutside) return remove(pinFolder(options.root), pointer, options)
  const pin = pinFolder(gitDir)
  const { files, closed } = readAreas([readArea(repositoryArea(gitDir))], {})
  if (closed.length > 0) return remove(pinFolder(options.root), pointer, options)
  for (const [file, kept] of Object.entries(files))
    if (file === join(gitDir, 'config')) await tameConfig(pin, file, kept, options)
    else if (!file.endsWith('.sample') && !isOfWorktree(gitDir, file)) remove(pin, file, options)
}

/** The folder of a linked work tree leads to the repository that it belongs to. */
const isOfWorktree = (gitDir: string, file: string): boolean =>
  file === join(gitDir, 'commondir') && /\/worktrees\/[^/]+$/.test(gitDir)

function remove(pin: PinnedFolder, file: string, { aside, shown, found }: TameOptions): void {
  const failure = putBack(pin, file, undefined, aside)
  if (failure === null) found.changed.push(shown(file))
  else found.failed.push(`${shown(file)} (${failure})`)
}

async function tameConfig(pin: PinnedFolder, file: string, kept: Kept, options: TameOptions): Promise<void> {
  const { tool, aside, shown, found } = options
  const text = Buffer.from(kept.data, 'base64').toString()
  const entries = kept.kind === 'file' ? await readConfigEntries(tool, text) : null
  if (!entries) return remove(pin, file, options)
  const keys = new Set(entries.filter(entry => !isHarmlessInNew(entry)).map(({ key }) => key))
  if (keys.size === 0) return
  const failure = putBack(pin, file, kept, aside)
  if (failure !== null) return void found.failed.push(`${shown(file)} (${failure})`)
  for (const key of keys) {
    await tool(['--file', file, '--unset-all', key])
    found.changed.push(`${shown(file)} ${key}`)
  }
}
