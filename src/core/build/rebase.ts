import type { TodoItem } from '../events.ts'

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
  const listed = new Set(found.map(item => item.id))
  // What they added without an id may have got one meanwhile: their edit was adopted, and their copy is read again.
  const adopted = now.filter(item => !given.has(item.id) && !listed.has(item.id))
  const merged = found
    .map(item => {
      const place = item.id === undefined ? adopted.findIndex(({ content }) => content === item.content) : -1
      return place < 0 ? item : adopted.splice(place, 1)[0]!
    })
    .flatMap(item => {
      const before = given.get(item.id)
      const after = current.get(item.id)
      if (before === undefined) return [item]
      if (after === undefined) return isSame(item, before) ? [] : [item]
      return [mergeItem(before, item, after)]
    })
  for (const [place, item] of now.entries()) {
    if (!adopted.includes(item)) continue
    const leader = now[place - 1]?.id
    const at = leader === undefined ? 0 : merged.findIndex(other => other.id === leader) + 1
    merged.splice(at === 0 && leader !== undefined ? merged.length : at, 0, item)
  }
  return merged
}

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
