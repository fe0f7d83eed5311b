import { describe, expect, it } from 'vitest'
import { errorIn, isTemplate, readStories } from '../../../src/workflows/stories/rules/story-file.ts'
import { newStory } from '../../core/setup.ts'

const file = {
  project: 'p',
  branchName: 'ralph/p',
  description: '',
  verifyCommands: [],
  userStories: [newStory('US-001')],
}
const story = (more: object) => ({ ...file, userStories: [{ ...newStory('US-001'), ...more }] })
const without = (field: string) => {
  const { [field]: _, ...rest } = newStory('US-001') as Record<string, unknown>
  return { ...file, userStories: [rest] }
}
const errors = (json: unknown) => {
  const read = readStories(json)
  return 'errors' in read ? read.errors : []
}

describe('a story file', () => {
  it('as the template has it is read, with whatever else is in it', () => {
    const own = { ...story({ estimate: 3 }), owner: 'me' }
    expect(readStories(own)).toEqual({ file: own })
    expect(readStories({ ...file, userStories: [] })).toMatchObject({ file: { userStories: [] } })
  })

  it.each(['US-001', 'x'.repeat(100), 'two words', 'straße-1', '__proto__', '../../x', '-rf'])(
    'may have a story with the id %s',
    id => {
      expect(errors(story({ id }))).toEqual([])
    },
  )

  it.each([5, '', ' ', 'x'.repeat(101), 'a\nb', 'a\tb', 'US-001\u200b', 'a\u0000b', '\ud800', 'a\u202eb'])(
    'may not have a story with the id %j',
    id => {
      expect(errors(story({ id }))).toEqual([
        'userStories[0]: id must be a string of 1 to 100 characters in one line, all of them visible.',
      ])
    },
  )

  it('needs no description, notes, dependencies or commands', () => {
    for (const field of ['description', 'notes', 'dependsOn']) expect(errors(without(field))).toEqual([])
    const { verifyCommands: _, ...rest } = file
    expect(errors(rest)).toEqual([])
  })

  it.each([
    [null, 'tasks.json must be an object.'],
    [[], 'tasks.json must be an object.'],
    [{ ...file, project: 1 }, 'project must be a string.'],
    [{ ...file, branchName: undefined }, 'branchName must be a string.'],
    [{ ...file, description: 1 }, 'description must be a string.'],
    [{ ...file, userStories: {} }, 'userStories must be an array.'],
    [{ ...file, verifyCommands: 'npm test' }, 'verifyCommands must be an array of strings.'],
    [{ ...file, userStories: [7] }, 'userStories[0] must be an object.'],
    [story({ title: 'x'.repeat(1001) }), 'Story US-001: title must be a string of at most 1000 characters.'],
    [story({ title: null }), 'Story US-001: title must be a string of at most 1000 characters.'],
    [story({ description: 1 }), 'Story US-001: description must be a string.'],
    [story({ reviewFeedback: null }), 'Story US-001: reviewFeedback must be a string.'],
    [story({ notes: 1 }), 'Story US-001: notes must be a string.'],
    [
      { ...file, userStories: [{ ...without('notes').userStories[0], passes: true }] },
      'Story US-001 has passes=true but notes is empty. Say in notes what was done.',
    ],
    [story({ passes: 'yes' }), 'Story US-001: passes must be true or false.'],
    [story({ priority: '1' }), 'Story US-001: priority must be a number.'],
    [
      story({ acceptanceCriteria: [] }),
      'Story US-001: acceptanceCriteria must be a non-empty array of strings.',
    ],
    [
      story({ reviewStatus: 'done' }),
      'Story US-001: reviewStatus must be null, "needs_review", "changes_requested" or "approved".',
    ],
    [story({ reviewCount: -1 }), 'Story US-001: reviewCount must be a whole number, 0 or more.'],
    [story({ reviewCount: 1.5 }), 'Story US-001: reviewCount must be a whole number, 0 or more.'],
    [story({ dependsOn: [1] }), 'Story US-001: dependsOn must be an array of strings.'],
    [without('reviewFeedback'), 'Story US-001: reviewFeedback is missing.'],
    [
      { ...file, userStories: [newStory('US-001'), newStory('US-001')] },
      'Story US-001: id is used more than once.',
    ],
    [
      story({ passes: true, notes: ' ' }),
      'Story US-001 has passes=true but notes is empty. Say in notes what was done.',
    ],
  ])('%# is refused with a sentence that names field and story', (json, message) => {
    expect(errors(json)).toEqual([message])
  })

  it('may have a title of 1000 characters', () => {
    expect(errors(story({ title: 'x'.repeat(1000) }))).toEqual([])
  })

  it('is named in every message, once', () => {
    expect(errorIn('ralph', 'tasks.json must be an object.')).toBe('ralph/tasks.json must be an object.')
    expect(errorIn('ralph', 'Story A: id is missing.')).toBe('ralph/tasks.json: Story A: id is missing.')
  })

  it('names every mistake at once', () => {
    expect(errors({ userStories: [{ id: 'US-001' }] })).toHaveLength(10)
  })
})

it.each<[unknown, boolean]>([
  [story({ title: '', acceptanceCriteria: [] }), true],
  [story({ title: '', acceptanceCriteria: ['x'] }), false],
  [story({ title: 'x', acceptanceCriteria: [] }), false],
  [{ ...file, userStories: [] }, false],
  [{ ...file, userStories: [7] }, false],
  [{ ...file, userStories: Array(2).fill({ title: '', acceptanceCriteria: [] }) }, false],
  [{ ...file, userStories: 'x' }, false],
  [null, false],
])('%j is the template as it came: %s', (json, isSo) => {
  expect(isTemplate(json)).toBe(isSo)
})
