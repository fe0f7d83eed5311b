import type { TaskId } from '../../../core/task.ts'
import type { CheckedList } from './planned.ts'

/** A planner's list with the ids #1, #2, #3 … in its order. Blockers and texts that name an id follow. */
export function renumber(plan: CheckedList): CheckedList {
  const ids = new Map(plan.items.map(({ id }, index) => [id, `#${index + 1}`]))
  if ([...ids].every(([id, number]) => id === number)) return plan
  const numberOf = (id: TaskId) => ids.get(id) ?? id
  const renamed = (text: string) => text.replace(/#\d+\b/g, numberOf)
  return {
    items: plan.items.map(({ blockedBy, ...item }) => ({
      ...item,
      id: numberOf(item.id),
      content: renamed(item.content),
      activeForm: renamed(item.activeForm),
      ...(blockedBy && { blockedBy: blockedBy.map(numberOf) }),
    })),
    details: Object.fromEntries(
      Object.entries(plan.details).map(([id, { description, acceptanceCriteria }]) => [
        numberOf(id),
        {
          ...(description !== undefined && { description: renamed(description) }),
          ...(acceptanceCriteria && { acceptanceCriteria: acceptanceCriteria.map(renamed) }),
        },
      ]),
    ),
  }
}
