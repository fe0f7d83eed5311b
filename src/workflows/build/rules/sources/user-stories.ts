import { checkList } from '../check-list.ts'
import type { Planned } from '../planned.ts'
import { placesOfItems } from './item-locations.ts'

/**
 * The stories of a story file as tasks: by priority, then by place; what passes is completed. Only what a build needs
 * is asked for, so files that know nothing of reviews are read, too.
 */
export function readUserStories(
  file: string,
  text: string,
  stories: unknown[],
): Planned | { errors: string[] } {
  const place = placesOfItems(file, text, 'userStories')
  const errors = stories.flatMap((story, index) => statusErrors(story).map(error => place(index) + error))
  if (errors.length > 0) return { errors }
  const order = stories.map((story, index) => ({ story, index, priority: priorityOf(story) }))
  order.sort((a, b) => a.priority - b.priority || a.index - b.index)
  return checkList(
    order.map(({ story }) => taskOf(story)),
    {
      fresh: false,
      place: index => place(order[index]!.index),
      fields: { content: 'title', blockedBy: 'dependsOn' },
    },
  )
}

type Fields = Record<string, unknown>

const fieldsOf = (story: unknown): Fields | null =>
  typeof story === 'object' && story !== null && !Array.isArray(story) ? (story as Fields) : null

/** Stories without a priority come last. */
const priorityOf = (story: unknown): number => {
  const priority = fieldsOf(story)?.priority
  return typeof priority === 'number' ? priority : Number.POSITIVE_INFINITY
}

function statusErrors(story: unknown): string[] {
  const { id, priority, passes } = fieldsOf(story) ?? {}
  const name = typeof id === 'string' ? `story ${id}: ` : 'the story: '
  const errors: string[] = []
  if (passes !== undefined && typeof passes !== 'boolean')
    errors.push(`${name}passes must be true or false, without quotes`)
  if (priority !== undefined && typeof priority !== 'number')
    errors.push(`${name}priority must be a number; 1 comes first`)
  return errors
}

function taskOf(story: unknown): unknown {
  const fields = fieldsOf(story)
  if (fields === null) return story
  const { id, title, description, acceptanceCriteria, passes, dependsOn } = fields
  const status = passes === true ? 'completed' : 'pending'
  return { id, content: title, status, blockedBy: dependsOn, description, acceptanceCriteria }
}
