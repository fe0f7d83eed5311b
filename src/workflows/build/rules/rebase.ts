import type { TodoItem } from '../../../core/events.ts'
import type { TaskId } from '../../../core/task.ts'
import { PLAN } from './check-list.ts'
import { parentOf } from './planned.ts'
import { numberOf } from './todo-edits.ts'

/**
 * What somebody made of a list, carried over to the list as it is by now. Only what they changed of `written`, the one
 * they were given, is theirs: what has become different since is not undone because it was not in their copy.
 */
export function rebase(
  written: readonly TodoItem[],
  found: readonly TodoItem[],
  now: readonly TodoItem[],
): TodoItem[] {
  const given = byId(written)
  const current = byId(now)
  const isFree = ({ id, content }: TodoItem) =>
    id !== undefined &&
    (given.has(id) || (current.has(id) ? current.get(id)!.content === content : !isKept(id)))
  const listed = new Set(found.filter(isFree).map(item => item.id))
  // What they added may have got another id meanwhile: their edit was adopted, and their copy is read again.
  const adopted = now.filter(item => !given.has(item.id) && !listed.has(item.id))
  const lastNumber = [...written, ...found, ...now].reduce(
    (most, { id = '' }) => Math.max(most, numberOf(id)),
    0,
  )
  const renamed = new Map<TaskId, TaskId>()
  const merged = found
    .map(item => {
      if (isFree(item)) return item
      const place = adopted.findIndex(({ content }) => content === item.content)
      const same = place < 0 ? undefined : adopted.splice(place, 1)[0]
      if (item.id === undefined) return same ?? item
      const id = same?.id ?? `#${lastNumber + renamed.size + 1}`
      renamed.set(item.id, id)
      return same ?? { ...item, id }
    })
    .flatMap(item => {
      const before = given.get(item.id)
      const after = current.get(item.id)
      if (before === undefined) return [item === after ? item : renameBlockers(item, renamed)]
      if (after === undefined) return isSame(item, before) ? [] : [item]
      return [mergeItem(before, renameBlockers(item, renamed), after)]
    })
  for (const [place, item] of now.entries()) {
    if (!adopted.includes(item)) continue
    const leader = now[place - 1]?.id
    const at = leader === undefined ? 0 : merged.findIndex(other => other.id === leader) + 1
    merged.splice(at === 0 && leader !== undefined ? merged.length : at, 0, item)
  }
  return merged
}

/** Ids that ralph alone gives out. */
const isKept = (id: TaskId): boolean => id === PLAN || parentOf(id) !== null

/** In their copy an id means the task that they gave it to. */
const renameBlockers = (item: TodoItem, renamed: ReadonlyMap<TaskId, TaskId>): TodoItem =>
  item.blockedBy === undefined || renamed.size === 0
    ? item
    : { ...item, blockedBy: item.blockedBy.map(id => renamed.get(id) ?? id) }

const byId = (items: readonly TodoItem[]) =>
  new Map(items.flatMap(item => (item.id === undefined ? [] : [[item.id as string | undefined, item]])))

function mergeItem(before: TodoItem, theirs: TodoItem, now: TodoItem): TodoItem {
  const { blockedBy: _, ...rest } = theirs
  const isMine = (field: keyof TodoItem) => isSame(theirs[field], before[field])
  const blockedBy = isMine('blockedBy') ? now.blockedBy : theirs.blockedBy
  return {
    ...rest,
    content: isMine('content') ? now.content : theirs.content,
    status: isMine('status') ? now.status : theirs.status,
    activeForm: isMine('activeForm') ? now.activeForm : theirs.activeForm,
    ...(blockedBy !== undefined && { blockedBy }),
  }
}

/** No blockers and an empty list of them are the same. */
const isSame = (one: unknown, other: unknown): boolean => spelled(one) === spelled(other)

const spelled = (value: unknown): string =>
  JSON.stringify(value, (key, inner) => (key === 'blockedBy' && isEmpty(inner) ? undefined : inner)) ?? '[]'

const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0
