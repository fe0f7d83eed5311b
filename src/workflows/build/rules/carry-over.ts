import type { TodoItem } from '../../../core/events.ts'
import type { TaskId } from '../../../core/task.ts'
import { PLAN } from './check-list.ts'
import { parentOf } from './planned.ts'
import { todoNumber } from './todo-edits.ts'

/**
 * Applies somebody's edit of an older list to the list as it is now. Only the differences between `written`, the list
 * they started from, and `found` are theirs. What ralph changed in between stays, although their copy lacks it.
 */
export function carryOver(
  written: readonly TodoItem[],
  found: readonly TodoItem[],
  now: readonly TodoItem[],
): TodoItem[] {
  const given = byId(written)
  const current = byId(now)
  const keepsId = ({ id, content }: TodoItem) =>
    id !== undefined &&
    (given.has(id) || (current.has(id) ? current.get(id)!.content === content : !isReserved(id)))
  const listed = new Set(found.filter(keepsId).map(item => item.id))
  // If their edit was already adopted and the same copy is read again, an added task may have another id now.
  const adopted = now.filter(item => !given.has(item.id) && !listed.has(item.id))
  const lastNumber = [...written, ...found, ...now].reduce(
    (most, { id = '' }) => Math.max(most, todoNumber(id)),
    0,
  )
  const renamed = new Map<TaskId, TaskId>()
  const merged = found
    .map(item => {
      if (keepsId(item)) return item
      const index = adopted.findIndex(({ content }) => content === item.content)
      const same = index < 0 ? undefined : adopted.splice(index, 1)[0]
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
  for (const [index, item] of now.entries()) {
    if (!adopted.includes(item)) continue
    const previous = now[index - 1]?.id
    const position = previous === undefined ? 0 : merged.findIndex(other => other.id === previous) + 1
    merged.splice(position === 0 && previous !== undefined ? merged.length : position, 0, item)
  }
  return merged
}

/** Ids that only ralph may assign. */
const isReserved = (id: TaskId): boolean => id === PLAN || parentOf(id) !== null

/** In their copy, an id means the task that they gave it to. */
const renameBlockers = (item: TodoItem, renamed: ReadonlyMap<TaskId, TaskId>): TodoItem =>
  item.blockedBy === undefined || renamed.size === 0
    ? item
    : { ...item, blockedBy: item.blockedBy.map(id => renamed.get(id) ?? id) }

const byId = (items: readonly TodoItem[]) =>
  new Map(items.flatMap(item => (item.id === undefined ? [] : [[item.id as string | undefined, item]])))

function mergeItem(before: TodoItem, theirs: TodoItem, now: TodoItem): TodoItem {
  const { blockedBy: _, ...rest } = theirs
  const isUnchanged = (field: keyof TodoItem) => isSame(theirs[field], before[field])
  const blockedBy = isUnchanged('blockedBy') ? now.blockedBy : theirs.blockedBy
  return {
    ...rest,
    content: isUnchanged('content') ? now.content : theirs.content,
    status: isUnchanged('status') ? now.status : theirs.status,
    activeForm: isUnchanged('activeForm') ? now.activeForm : theirs.activeForm,
    ...(blockedBy !== undefined && { blockedBy }),
  }
}

/** An empty list of blockers equals a missing one. */
const isSame = (one: unknown, other: unknown): boolean => canonical(one) === canonical(other)

const canonical = (value: unknown): string =>
  JSON.stringify(value, (key, inner) => (key === 'blockedBy' && isEmpty(inner) ? undefined : inner)) ?? '[]'

const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0
