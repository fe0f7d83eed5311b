import { relative } from 'node:path'
import { OWN_DEPTH, parseJson } from '../core/json.ts'
import { CannotGoOn } from '../core/ports.ts'
import { kindAt } from '../store/files/inside.ts'
import { isPinned, PathChanged, type PinnedFolder, pinFolder } from '../store/files/pinned.ts'
import { LIMITS, readRegularFile } from '../store/files/read.ts'
import { type Area, type AreaOptions, areaOf, isConfig, readArea, repositoryArea } from './area.ts'
import { applyHarmless, type ConfigTool, configChange } from './git-config.ts'
import { openFolderAgain, putBack } from './put-back.ts'
import type { SetAside } from './set-aside.ts'
import { differingPaths, type Kept, look, type Snapshot, takeSnapshot } from './snapshot.ts'
import { type InnerRepository, tameRepository } from './tame-repository.ts'
import { addViolations, isViolated, NO_VIOLATIONS, type Violations } from './violations.ts'

/** Files that must not change while an agent or a check is at work, and how they were before. */
export interface FileGuard {
  /** Everything that changed until now was allowed. Throws a CannotGoOn if something cannot be protected. */
  take(): Promise<void>
  /** Puts back what changed, also after a crash; returns what that was. */
  restore(): Promise<Violations>
  /** All that was found since the last call of `take`, also by an earlier process. */
  violations(): Violations
}

export type FileGuardOptions = {
  project: string
  areas: readonly AreaOptions[]
  /** Areas that are looked for each time. */
  moreAreas?(): Promise<AreaOptions[]>
  innerRepositories?(): Promise<InnerRepository[]>
  tool: ConfigTool
  aside: SetAside
  /** Where the state is saved in case of a crash, and how to write it. */
  path: string
  write(path: string, text: string): void
}

/** `violated` is saved too: a signal between the agent's end and its checks must not lose the failed check. */
type SavedState = {
  files: Snapshot
  /** Device and inode of each root. */
  roots: Record<string, string>
  violated: string[]
  failed?: string[]
  gone?: string[]
  kept?: string[]
}

export function guardFiles(options: FileGuardOptions): FileGuard {
  const { project, tool, aside, path, write } = options
  const fixed = options.areas.map(readArea)
  const saved = load(path)
  let state = saved
  let areas: Area[] | null = null
  let violations: Violations = saved ? { ...NO_VIOLATIONS, ...saved, changed: saved.violated } : NO_VIOLATIONS
  /** Roots that were gone when the state was taken: nothing may appear there unseen. */
  let absent: Area[] = []
  /** Roots by the folder they were when this process first saw them. */
  const roots: Record<string, string> = {}
  /** Configurations whose changes were harmless, by path. */
  const harmless = new Map<string, string>()
  const shown = (file: string) => relative(project, file) || file

  const save = () => {
    if (!state) return
    const { changed, failed, gone, kept } = violations
    write(path, JSON.stringify({ ...state, violated: changed, failed, gone, kept } satisfies SavedState))
  }

  const inner = async () => (await options.innerRepositories?.()) ?? []

  const findAreas = async (): Promise<Area[]> => [
    ...fixed,
    ...((await options.moreAreas?.()) ?? []).map(readArea),
    ...(await inner())
      .filter(({ isOutside }) => !isOutside)
      .map(({ gitDir }) => readArea(repositoryArea(gitDir))),
  ]

  /** Notes which folders the roots are. A missing one has nothing to protect. */
  function pinRoots(found: Area[]): Area[] {
    absent = []
    return found.filter(area => {
      const { root, mayGo } = area
      const known = roots[root]
      if (known !== undefined && isPinned({ path: root, id: known })) return true
      if (kindAt(root) === null) {
        if (!mayGo) absent.push(area)
        return false
      }
      if (known !== undefined && !mayGo)
        throw new CannotGoOn(`${root} is no longer the folder that it was; put it back, then: ralph resume`)
      roots[root] = pin(root).id
      return true
    })
  }

  async function take(): Promise<void> {
    if (violations.failed.length > 0) await restore()
    if (violations.failed.length > 0)
      throw new CannotGoOn(`protected files cannot be put back: ${violations.failed.join(', ')}`)
    areas = pinRoots(await findAreas())
    const before = state
    const files = takeSnapshot(areas, before?.files ?? {})
    const wasViolated = isViolated(violations)
    violations = NO_VIOLATIONS
    harmless.clear()
    const pinned = Object.fromEntries(areas.map(({ root }) => [root, roots[root]!]))
    const isSaved = before && files === before.files && isSame(pinned, before.roots)
    state = { files, roots: pinned, violated: [] }
    if (!isSaved || wasViolated) save()
  }

  async function restore(): Promise<Violations> {
    if (!state) return NO_VIOLATIONS
    const known = state
    aside.begin()
    const found: Violations = { changed: [], failed: [], gone: [], kept: [] }
    const pins = new Map<Area, PinnedFolder>()
    for (const area of areas ?? (await savedAreas(known))) {
      const pin = pinOf(area.root, known)
      if (pin && isPinned(pin)) pins.set(area, pin)
      else if (!area.mayGo && kindAt(area.root) === null) found.gone.push(shown(area.root))
      else if (!area.mayGo) found.failed.push(`${shown(area.root)} (it is no longer the same folder)`)
    }
    for (const { root } of absent)
      if (kindAt(root) !== null) found.failed.push(`${shown(root)} (it is no longer the same folder)`)
    for (const file of await restoreFiles(known.files, pins, found)) found.changed.push(file)
    for (const repository of await inner())
      if (!Object.hasOwn(known.roots, repository.gitDir))
        await tameRepository(repository, { tool, aside, shown, found, root: project })
    const folder = aside.folder()
    if (folder !== null) found.kept.push(folder)
    const failedBefore = violations.failed.length
    violations = addViolations({ ...violations, failed: [] }, found)
    if (isViolated(found) || failedBefore > 0) save()
    return found
  }

  /** After a crash: what was protected then. */
  const savedAreas = async ({ roots: known }: SavedState): Promise<Area[]> =>
    (await findAreas()).filter(({ root }) => !known || Object.hasOwn(known, root))

  function pinOf(root: string, known: SavedState): PinnedFolder | null {
    const id = known.roots[root]
    if (id !== undefined) return { path: root, id }
    return kindAt(root) === null ? null : pin(root)
  }

  async function restoreFiles(
    before: Snapshot,
    pins: ReadonlyMap<Area, PinnedFolder>,
    found: Violations,
  ): Promise<string[]> {
    const reachable = [...pins.keys()]
    let now = look(reachable, before)
    for (const folder of now.closed) {
      found.changed.push(`${shown(folder)}/`)
      for (const pin of pins.values())
        if (!relative(pin.path, folder).startsWith('..')) openFolderAgain(pin, folder)
    }
    if (now.closed.length > 0) now = look(reachable, before)
    found.failed.push(...now.closed.map(folder => `${shown(folder)} (it cannot be read)`))
    const isHidden = (file: string) => now.closed.some(folder => file.startsWith(`${folder}/`))
    const changed: string[] = []
    // What was added is removed first: it may be in the way of what was there.
    const order = (file: string) => (before[file] ? 1 : 0)
    for (const file of differingPaths(before, now.files).sort((a, b) => order(a) - order(b))) {
      const area = areaOf(reachable, file)
      if (!area || isHidden(file)) continue
      const names = await (isConfig(area, file)
        ? restoreConfig(pins.get(area)!, file, before[file], now.files[file], found)
        : restoreFile(pins.get(area)!, file, before[file], found))
      changed.push(...names)
    }
    return changed.sort()
  }

  function restoreFile(
    pin: PinnedFolder,
    file: string,
    before: Kept | undefined,
    found: Violations,
  ): string[] {
    const failure = putBack(pin, file, before, aside)
    if (failure === null) return [shown(file)]
    found.failed.push(`${shown(file)} (${failure})`)
    return []
  }

  /** Of git's configuration, harmless keys stay as they are now. */
  async function restoreConfig(
    pin: PinnedFolder,
    file: string,
    before: Kept | undefined,
    after: Kept | undefined,
    found: Violations,
  ): Promise<string[]> {
    if (after && harmless.get(file) === after.stat) return []
    const change = after?.kind === 'file' ? await configChange(tool, textOf(before), textOf(after)) : null
    if (change?.refused.length === 0) {
      harmless.set(file, after!.stat)
      return []
    }
    const names = restoreFile(pin, file, before, found)
    if (names.length === 0 || !change) return names
    await applyHarmless(tool, file, change)
    return change.refused.map(key => `${shown(file)} ${key}`)
  }

  return { take, restore, violations: () => violations }
}

function pin(root: string): PinnedFolder {
  try {
    return pinFolder(root)
  } catch (error) {
    if (error instanceof PathChanged)
      throw new CannotGoOn(`${error.message}, so nothing in it can be protected`)
    throw error
  }
}

const textOf = (kept: Kept | undefined): string =>
  kept?.kind === 'file' ? Buffer.from(kept.data, 'base64').toString() : ''

const isSame = (a: Record<string, string>, b: Record<string, string> | undefined): boolean =>
  JSON.stringify(a) === JSON.stringify(b)

function load(path: string): SavedState | null {
  try {
    return parseJson(readRegularFile(path, { limit: LIMITS.own }).toString(), OWN_DEPTH) as SavedState
  } catch {
    return null
  }
}
