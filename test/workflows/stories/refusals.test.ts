import { describe, expect, it } from 'vitest'
import { type AgentWork, refusals } from '../../../src/workflows/stories/rules/refusals.ts'
import { storyTasks } from '../../../src/workflows/stories/rules/review.ts'
import type { StoriesFile, Story } from '../../../src/workflows/stories/rules/story-file.ts'
import { newStory } from '../../core/setup.ts'

const file = (...userStories: Story[]): StoriesFile => ({
  project: '',
  branchName: '',
  description: '',
  verifyCommands: ['make'],
  userStories,
})
const TRUTH = file(newStory('A'), newStory('B', 1, ['A']), newStory('B-2'))
const rules = { skip: false, cap: 5, verifyCommands: ['make'] }

const told = (change: Record<string, Partial<Story>>, more: Partial<AgentWork> = {}, by = rules) =>
  refusals(
    {
      mode: 'implement',
      story: 'A',
      hasFinished: true,
      before: TRUTH.userStories,
      found: { ...TRUTH, userStories: TRUTH.userStories.map(s => ({ ...s, ...change[s.id] })) },
      truth: TRUTH,
      tasks: storyTasks(TRUTH),
      ...more,
    },
    by,
  )

const approved = { passes: true, reviewStatus: 'approved', notes: 'x' } as const

describe('what an agent may not write is reported', () => {
  it('not at all where there is nothing', () => {
    expect(told({})).toEqual([])
    expect(told({ A: { reviewStatus: 'needs_review', notes: 'x', priority: 9, description: 'y' } })).toEqual(
      [],
    )
  })

  it('once, however many fields it took', () => {
    expect(told({ A: approved })).toEqual([
      expect.stringMatching(/illegal transition: passes false → true, reviewStatus null → approved\.$/),
    ])
  })

  it('of every story that was changed, whatever their names have in common', () => {
    expect(told({ B: { reviewStatus: 'needs_review' }, 'B-2': { title: 'Other' } })).toEqual([
      expect.stringContaining('Story B-2: title was changed.'),
      'This iteration was about story A. What it wrote about story B is put back.',
    ])
  })

  it('once for a story that is named already, whatever its title', () => {
    const odd = file(newStory('A'), newStory('C (1)*'), newStory('C'))
    const change = { 'C (1)*': { title: 'Other', reviewStatus: 'needs_review' } } as const
    const found = { ...odd, userStories: odd.userStories.map(s => ({ ...s, ...change[s.id as 'C (1)*'] })) }
    expect(told({}, { found, truth: odd, tasks: storyTasks(odd), before: odd.userStories })).toEqual([
      expect.stringContaining('Story C (1)*: title was changed.'),
    ])
  })

  it('of what a story asks for, and of what verifies it', () => {
    expect(
      told({ B: { acceptanceCriteria: [], dependsOn: [] } }, { found: { ...TRUTH, verifyCommands: [] } }),
    ).toEqual([expect.stringContaining('verifyCommands was changed.')])
    expect(told({ B: { acceptanceCriteria: ['x'], dependsOn: [] } })).toEqual([
      expect.stringContaining('Story B: acceptanceCriteria and dependsOn were changed.'),
    ])
  })

  it('without reviews, too: removed, stray and weakened ones', () => {
    const skip = { ...rules, skip: true }
    expect(
      told({ A: { passes: true, notes: 'x' } }, { truth: file({ ...newStory('A'), ...approved }) }, skip),
    ).toEqual([])
    expect(told({ B: { passes: true, notes: 'x' } }, {}, skip)).toEqual([
      'This iteration was about story A. What it wrote about story B is put back.',
    ])
    expect(told({}, { found: file(newStory('A')) }, skip)).toEqual([
      expect.stringContaining('Story B was removed.'),
      expect.stringContaining('Story B-2 was removed.'),
    ])
  })

  it('with the whole sentence of why it is put back', () => {
    expect(told({ B: { title: 'Other' } })).toEqual([
      'Story B: title was changed. An agent must not change what a story asks for or what verifies it. It is put back.',
    ])
  })

  it('of removed stories without reviews, even if nobody knows what there was before', () => {
    const skip = { ...rules, skip: true }
    expect(told({}, { found: file(newStory('A'), newStory('B', 1, ['A'])), before: null }, skip)).toEqual([
      expect.stringContaining('Story B-2 was removed.'),
    ])
  })

  it('of notes that a finished story lost', () => {
    const done = file({ ...newStory('A'), ...approved })
    const found = file({ ...newStory('A'), ...approved, notes: ' ' })
    const work = { truth: done, before: done.userStories, found, tasks: storyTasks(done), story: 'Z' }
    expect(told({}, work)).toEqual([
      'Story A has passes=true but notes is empty. Say in notes what was done.',
    ])
  })

  it('not of notes that a story lacks which was never finished', () => {
    const claimed = { A: { passes: true, notes: '' } }
    expect(told(claimed, {}, { ...rules, skip: true })).toEqual([])
    expect(told(claimed)).toEqual([expect.stringMatching(/illegal transition: passes false → true\.$/)])
  })

  it('of another story by where it stands, if nobody knows any more where it stood', () => {
    expect(told({ B: { reviewStatus: 'needs_review' } }, { before: null })).toEqual([
      'This iteration was about story A. What it wrote about story B is put back.',
    ])
  })

  it('of a story that it did not touch and that cannot be so', () => {
    const odd = file({ ...newStory('A'), reviewStatus: 'changes_requested', reviewCount: 1 })
    const work = { truth: odd, before: odd.userStories, found: odd, tasks: storyTasks(odd) }
    expect(told({}, work)).toEqual([expect.stringContaining('its reviewFeedback is empty')])
    const counted = file({ ...odd.userStories[0]!, reviewCount: 2 })
    expect(told({}, { ...work, found: counted })).toEqual([
      expect.stringMatching(/illegal transition: reviewCount 1 → 2\.$/),
    ])
  })

  it('by where the stories stand, if nobody knows any more where they stood', () => {
    expect(told({ A: { ...approved, reviewStatus: null } }, { before: null })).toEqual([
      expect.stringContaining("Story A has passes=true but reviewStatus is 'null'"),
    ])
  })

  it('to a review that gave no verdict, unless it was cut off', () => {
    const waits = file({ ...newStory('A'), reviewStatus: 'needs_review' })
    const review = { mode: 'review', before: waits.userStories, found: waits, truth: waits } as const
    const tasks = storyTasks(waits)
    expect(told({}, { ...review, tasks })).toEqual([expect.stringContaining('give a verdict')])
    expect(told({}, { ...review, tasks, hasFinished: false })).toEqual([])
  })

  it('as a transition or as a state, not as both', () => {
    expect(told({ A: { reviewStatus: 'approved' } })).toEqual([
      expect.stringMatching(/illegal transition: reviewStatus null → approved\.$/),
    ])
  })

  it('of removed stories with reviews, word for word as without', () => {
    const found = file(newStory('A'), newStory('B', 1, ['A']))
    const [removed] = told({}, { found }, { ...rules, skip: true })
    expect(told({}, { found })).toEqual([removed])
  })

  it('not of a fresh story that a review added before it was cut off', () => {
    const waits = file({ ...newStory('A'), reviewStatus: 'needs_review' })
    const found = file(waits.userStories[0]!, newStory('N'))
    const review = {
      mode: 'review',
      before: waits.userStories,
      found,
      truth: waits,
      hasFinished: false,
    } as const
    expect(told({}, { ...review, tasks: storyTasks(waits) })).toEqual([])
  })

  it('not of a story that a person removed meanwhile', () => {
    const tasks = storyTasks(file(newStory('A'), newStory('B-2')))
    expect(told({ B: { reviewStatus: 'needs_review' } }, { tasks })).toEqual([])
  })

  it('of a story whose name only begins another one', () => {
    const truth = file(newStory('A'), newStory('B'))
    const found = file(
      newStory('A'),
      { ...newStory('B'), reviewStatus: 'needs_review' },
      { ...newStory('BX'), ...approved },
    )
    const work = { truth, found, tasks: storyTasks(truth), before: truth.userStories }
    expect(told({}, work)).toEqual([
      expect.stringContaining('BX'),
      'This iteration was about story A. What it wrote about story B is put back.',
    ])
  })
})
