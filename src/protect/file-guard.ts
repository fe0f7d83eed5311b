import { relative } from 'node:path'
import { OWN_DEPTH, parseJson } from '../core/json.ts'
import { CannotGoOn } from '../core/ports.ts'
import { kindAt } from '../store/files/inside.ts'
import { isWithin } from '../store/files/paths.ts'
import { isPinned, PathChanged, type PinnedFolder, pinFolder } from '../store/files/pinned.ts'
import { LIMITS, readRegularFile } from '../store/files/read.ts'
import { type Area, type AreaOptions, areaOf, isConfig, readArea, repositoryArea } from './area.ts'
import { applyHarmless, type ConfigTool, configChange } from './git-config.ts'
import { type InnerRepository, tameRepository } from './inner-repositories.ts'
import { openFolderAgain, putBack } from './put-back.ts'
import type { SetAside } from './set-aside.ts'
import { differingPaths, type Kept, readAreas, type Snapshot, takeSnapshot } from './snapshot.ts'
import { addViolations, isViolated, NO_VIOLATIONS, type Violations } from './violations.ts'

/** Files that must not change while an agent or a check is at work, and how they were before. */
export interface FileGuard {
  /** Everything that changed until now was allowed. Throws a CannotGoOn if something cannot be protected. */
  take(): Promise<void>
  /** Puts back what changed, also after a crash. Returns what that was. */
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

/** The protected files of one guard: as they were, and what was found since. */
type GuardState = {
  readonly options: FileGuardOptions
  /** The areas of the options. Their patterns are compiled once. */
  readonly fixed: readonly Area[]
  saved: SavedState | null
  /** What was protected when the state was taken. After a crash it is looked for again. */
  areas: Area[] | null
  violations: Violations
  /** Roots that were gone when the state was taken: nothing may appear there unseen. */
  absent: Area[]
  /** Roots by the folder they were when this process first saw them. */
  readonly roots: Record<string, string>
  /** Configurations whose changes were harmless, by path. */
  readonly harmless: Map<string, string>
}

/** What one restore works with. */
type Restoring = {
  guard: GuardState
  before: Snapshot
  /** The areas whose folder is still the same. */
  pins: ReadonlyMap<Area, PinnedFolder>
  found: Violations
}

export function guardFiles(options: FileGuardOptions): FileGuard {
  const saved = load(options.path)
  const guard: GuardState = {
    options,
    fixed: options.areas.map(readArea),
    saved,
    areas: null,
    violations: saved ? { ...NO_VIOLATIONS, ...saved, changed: saved.violated } : NO_VIOLATIONS,
    absent: [],
    roots: {},
    harmless: new Map(),
  }
  return {
    take: () => takeFiles(guard),
    restore: () => restoreAll(guard),
    violations: () => guard.violations,
  }
}

async function takeFiles(guard: GuardState): Promise<void> {
  if (guard.violations.failed.length > 0) await restoreAll(guard)
  const { violations, saved, roots } = guard
  if (violations.failed.length > 0)
    throw new CannotGoOn(`protected files cannot be put back: ${violations.failed.join(', ')}`)
  guard.areas = pinRoots(guard, await findAreas(guard))
  const files = takeSnapshot(guard.areas, saved?.files ?? {})
  guard.violations = NO_VIOLATIONS
  guard.harmless.clear()
  const pinned = Object.fromEntries(guard.areas.map(({ root }) => [root, roots[root]!]))
  const isSaved = saved && files === saved.files && isSame(pinned, saved.roots)
  guard.saved = { files, roots: pinned, violated: [] }
  if (!isSaved || isViolated(violations)) save(guard)
}

function save({ saved, violations, options }: GuardState): void {
  if (!saved) return
  const { changed, failed, gone, kept } = violations
  options.write(
    options.path,
    JSON.stringify({ ...saved, violated: changed, failed, gone, kept } satisfies SavedState),
  )
}

async function findAreas({ options, fixed }: GuardState): Promise<Area[]> {
  const inner = ((await options.innerRepositories?.()) ?? []).filter(({ isOutside }) => !isOutside)
  const more = [
    ...((await options.moreAreas?.()) ?? []),
    ...inner.map(({ gitDir }) => repositoryArea(gitDir)),
  ]
  return [...fixed, ...more.map(readArea)]
}

/** Notes which folders the roots are. A missing one has nothing to protect. */
function pinRoots(guard: GuardState, found: Area[]): Area[] {
  const { roots } = guard
  guard.absent = []
  return found.filter(area => {
    const { root, mayGo } = area
    const known = roots[root]
    if (known !== undefined && isPinned({ path: root, id: known })) return true
    if (kindAt(root) === null) {
      if (!mayGo) guard.absent.push(area)
      return false
    }
    if (known !== undefined && !mayGo)
      throw new CannotGoOn(`${root} is no longer the folder that it was; put it back, then: ralph resume`)
    roots[root] = pin(root).id
    return true
  })
}

async function restoreAll(guard: GuardState): Promise<Violations> {
  const { saved, options } = guard
  if (!saved) return NO_VIOLATIONS
  const { tool, aside, project } = options
  const shown = (path: string) => shownIn(guard, path)
  aside.begin()
  const found: Violations = { changed: [], failed: [], gone: [], kept: [] }
  const pins = new Map<Area, PinnedFolder>()
  for (const area of guard.areas ?? (await savedAreas(guard, saved))) {
    const pin = pinOf(area.root, saved)
    if (pin && isPinned(pin)) pins.set(area, pin)
    else if (!area.mayGo && kindAt(area.root) === null) found.gone.push(shown(area.root))
    else if (!area.mayGo) found.failed.push(`${shown(area.root)} (it is no longer the same folder)`)
  }
  for (const { root } of guard.absent)
    if (kindAt(root) !== null) found.failed.push(`${shown(root)} (it is no longer the same folder)`)
  await restoreFiles({ guard, before: saved.files, pins, found })
  for (const repository of (await options.innerRepositories?.()) ?? [])
    if (!Object.hasOwn(saved.roots, repository.gitDir))
      await tameRepository(repository, { tool, aside, shown, found, root: project })
  const folder = aside.folder()
  if (folder !== null) found.kept.push(folder)
  const failedBefore = guard.violations.failed.length
  guard.violations = addViolations({ ...guard.violations, failed: [] }, found)
  if (isViolated(found) || failedBefore > 0) save(guard)
  return found
}

const shownIn = ({ options }: GuardState, path: string): string => relative(options.project, path) || path

/** After a crash: what was protected then. */
const savedAreas = async (guard: GuardState, { roots }: SavedState): Promise<Area[]> =>
  (await findAreas(guard)).filter(({ root }) => !roots || Object.hasOwn(roots, root))

function pinOf(root: string, { roots }: SavedState): PinnedFolder | null {
  const id = roots[root]
  if (id !== undefined) return { path: root, id }
  return kindAt(root) === null ? null : pin(root)
}

async function restoreFiles(restoring: Restoring): Promise<void> {
  const { guard, before, pins, found } = restoring
  const reachable = [...pins.keys()]
  let now = readAreas(reachable, before)
  for (const folder of now.closed) {
    found.changed.push(`${shownIn(guard, folder)}/`)
    for (const pin of pins.values()) if (isWithin(pin.path, folder)) openFolderAgain(pin, folder)
  }
  if (now.closed.length > 0) now = readAreas(reachable, before)
  found.failed.push(...now.closed.map(folder => `${shownIn(guard, folder)} (it cannot be read)`))
  const isHidden = (file: string) => now.closed.some(folder => file.startsWith(`${folder}/`))
  const changed: string[] = []
  // What was added is removed first: it may be in the way of what was there.
  const order = (file: string) => (before[file] ? 1 : 0)
  for (const file of differingPaths(before, now.files).sort((a, b) => order(a) - order(b))) {
    const area = areaOf(reachable, file)
    if (!area || isHidden(file)) continue
    const names = await (isConfig(area, file)
      ? restoreConfig(restoring, area, file, now.files[file])
      : restoreFile(restoring, area, file))
    changed.push(...names)
  }
  found.changed.push(...changed.sort())
}

function restoreFile({ guard, before, pins, found }: Restoring, area: Area, file: string): string[] {
  const failure = putBack(pins.get(area)!, file, before[file], guard.options.aside)
  if (failure === null) return [shownIn(guard, file)]
  found.failed.push(`${shownIn(guard, file)} (${failure})`)
  return []
}

/** Puts back git's configuration. Harmless keys stay as they are now. */
async function restoreConfig(
  restoring: Restoring,
  area: Area,
  file: string,
  after: Kept | undefined,
): Promise<string[]> {
  const { guard, before } = restoring
  const { harmless, options } = guard
  if (after && harmless.get(file) === after.stat) return []
  const change =
    after?.kind === 'file' ? await configChange(options.tool, textOf(before[file]), textOf(after)) : null
  if (change?.refused.length === 0) {
    harmless.set(file, after!.stat)
    return []
  }
  const names = restoreFile(restoring, area, file)
  if (names.length === 0 || !change) return names
  await applyHarmless(options.tool, file, change)
  return change.refused.map(key => `${shownIn(guard, file)} ${key}`)
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
