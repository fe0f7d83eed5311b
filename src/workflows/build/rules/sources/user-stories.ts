import { isObject } from '../../../../core/json.ts'
import { checkList } from '../check-list.ts'
import type { CheckedList } from '../planned.ts'
import { itemLocations } from './item-locations.ts'

/**
 * Reads the stories of a story file as tasks, by priority, then by position. Stories that pass are completed. Only the
 * fields that a build needs are required, so files without review fields can be read too.
 */
export function readUserStories(
  file: string,
  text: string,
  stories: unknown[],
): CheckedList | { errors: string[] } {
  const locate = itemLocations(file, text, 'userStories')
  const errors = stories.flatMap((story, index) => statusErrors(story).map(error => locate(index) + error))
  if (errors.length > 0) return { errors }
  const order = stories.map((story, index) => ({ story, index, priority: priorityOf(story) }))
  order.sort((a, b) => a.priority - b.priority || a.index - b.index)
  return checkList(
    order.map(({ story }) => taskOf(story)),
    {
      isNew: false,
      locate: index => locate(order[index]!.index),
      fields: { content: 'title', blockedBy: 'dependsOn' },
    },
  )
}

/** Stories without a priority come last. */
const priorityOf = (story: unknown): number => {
  const priority = isObject(story) ? story.priority : undefined
  return typeof priority === 'number' ? priority : Number.POSITIVE_INFINITY
}

function statusErrors(story: unknown): string[] {
  const { id, priority, passes } = isObject(story) ? story : {}
  const name = typeof id === 'string' ? `story ${id}: ` : 'the story: '
  const errors: string[] = []
  if (passes !== undefined && typeof passes !== 'boolean')
    errors.push(`${name}passes must be true or false, without quotes`)
  if (priority !== undefined && typeof priority !== 'number')
    errors.push(`${name}priority must be a number; 1 comes first`)
  return errors
}

function taskOf(story: unknown): unknown {
  if (!isObject(story)) return story
  const { id, title, description, acceptanceCriteria, passes, dependsOn } = story
  const status = passes === true ? 'completed' : 'pending'
  return { id, content: title, status, blockedBy: dependsOn, description, acceptanceCriteria }
}
