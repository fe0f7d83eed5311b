import { describe, expect, it } from 'vitest'
import { initial } from '../../../src/core/table.ts'
import { applyEdit } from '../../../src/core/task.ts'
import { projectStories, storyTasks } from '../../../src/workflows/stories/rules/review.ts'
import {
  agentStoryEdits,
  personStoryEdits,
  stageOfStory,
  submittedPart,
} from '../../../src/workflows/stories/rules/story-edits.ts'
import type { StoriesFile, Story } from '../../../src/workflows/stories/rules/story-file.ts'
import { storiesTable } from '../../../src/workflows/stories/table.ts'
import { green, ok, play, trouble } from '../../core/play.ts'
import { newStory } from '../../core/setup.ts'

const story = (id: string, more: Partial<Story> = {}): Story => ({ ...newStory(id), ...more })
const approved = { passes: true, reviewStatus: 'approved' } as const
const file = (...userStories: Story[]): StoriesFile => ({
  project: '',
  branchName: '',
  description: '',
  userStories,
})
const base = file(story('A'), story('B', { dependsOn: ['A'] }), story('C'))
const table = storiesTable({ cap: 3 })
const submit = ok({ signal: true, findings: [green] })

describe('a person’s edit of the story file', () => {
  const started = () => play(table, storyTasks(base))
  type Run = ReturnType<typeof started>
  /** Reads, adopts, reads the same file again, projects and reads that. */
  const adopt = (run: Run, found: StoriesFile) => {
    const edit = personStoryEdits(found, run.tasks, run.state, table, { skip: false })
    run.record({ type: 'edited', at: 0, by: 'person', ...edit })
    expect(personStoryEdits(found, run.tasks, run.state, table, { skip: false })).toEqual({})
    const projected = projectStories(found, run.tasks, run.state, table, { skip: false })
    expect(personStoryEdits(projected, run.tasks, run.state, table, { skip: false })).toEqual({})
    return edit
  }
  const first = (more: Partial<Story>) => file(story('A', more), ...base.userStories.slice(1))

  it('that is none is none', () => {
    expect(adopt(started(), base)).toEqual({})
  })

  it.each<[string, Partial<Story>, object]>([
    ['approves', { ...approved, notes: 'x' }, { stage: 'done', proof: false, why: 'completed by a person' }],
    ['submits', { reviewStatus: 'needs_review' }, { stage: 'review' }],
    [
      'sends back',
      { reviewStatus: 'changes_requested', reviewFeedback: 'use SQL', reviewCount: 2 },
      {
        stage: 'fix',
        rounds: 2,
        lastRed: [{ check: 'review', verdict: 'fail', note: 'use SQL', claim: true }],
      },
    ],
    ['sends back without a word', { reviewStatus: 'changes_requested' }, { stage: 'fix', lastRed: [] }],
    [
      'sends back with a blank word',
      { reviewStatus: 'changes_requested', reviewFeedback: ' ' },
      { stage: 'fix', lastRed: [] },
    ],
    ['approves by halves, and so asks for a review', { reviewStatus: 'approved' }, { stage: 'review' }],
    [
      'counts more reviews than there may be',
      { reviewStatus: 'needs_review', reviewCount: 9 },
      { rounds: 3 },
    ],
  ])('%s', (_, more, state) => {
    const run = started()
    expect(adopt(run, first(more)).state!.A).toMatchObject(state)
  })

  it.each<[string, Partial<Story>]>([
    ['says passes alone', { passes: true, notes: 'x' }],
    ['counts reviews alone', { reviewCount: 2 }],
    ['writes feedback where none is asked for', { reviewFeedback: 'hm' }],
    ['names a dependency that does not exist', { dependsOn: ['nowhere'] }],
  ])('that %s moves nothing', (_, more) => {
    expect(adopt(started(), first(more))).toEqual({})
  })

  it('reopens what was done, with all its reviews to come', () => {
    const run = started()
    run.step(submit)
    run.step(ok({ verdict: 'approve', findings: [green] }))
    const found = file(story('A', { notes: 'x', reviewCount: 1 }), ...base.userStories.slice(1))
    expect(adopt(run, found).state!.A).toMatchObject({ stage: 'implement', rounds: 0, proof: false })
  })

  it('that leaves a blocked story as it is does not reopen it', () => {
    const run = started()
    run.step(submit)
    for (let i = 0; i < 3; i++) run.step(trouble('interrupted'))
    expect(run.at('A').stage).toBe('blocked')
    expect(adopt(run, projectStories(base, run.tasks, run.state, table, { skip: false }))).toEqual({})
  })

  it('answers what was left for a person', () => {
    const run = play(storiesTable({ cap: 1, atCap: 'block' }), storyTasks(base))
    run.step(submit)
    run.step(ok({ verdict: 'reject', note: 'no tests', findings: [green] }))
    const found = first({
      reviewStatus: 'changes_requested',
      reviewCount: 1,
      reviewFeedback: 'Leave the tests to me.',
    })
    expect(adopt(run, found).state!.A).toMatchObject({
      stage: 'fix',
      rounds: 0,
      lastRed: [{ note: 'Leave the tests to me.' }],
    })
  })

  describe('of a story that was sent back', () => {
    const sentBack = (more: Partial<Story>) => {
      const run = started()
      run.step(submit)
      run.step(ok({ verdict: 'reject', note: 'no tests', findings: [green] }))
      const found = { reviewStatus: 'changes_requested', reviewFeedback: 'no tests', reviewCount: 1 } as const
      return adopt(run, first({ ...found, ...more }))
    }

    it('says what else to change', () => {
      expect(sentBack({ reviewFeedback: 'use SQL' }).state!.A).toMatchObject({
        stage: 'fix',
        rounds: 1,
        lastRed: [{ note: 'use SQL' }],
      })
    })

    it.each<[string, Partial<Story>]>([
      ['changes nothing', {}],
      ['empties the feedback', { reviewFeedback: ' ' }],
      ['says passes alone', { passes: true, notes: 'x' }],
    ])('moves nothing if it %s', (_, more) => {
      expect(sentBack(more)).toEqual({})
    })

    it('takes the feedback along nowhere else', () => {
      expect(sentBack({ reviewStatus: 'needs_review' }).state!.A).toMatchObject({
        stage: 'review',
        lastRed: [],
      })
      expect(sentBack({ reviewStatus: null }).state!.A).toMatchObject({ stage: 'implement', lastRed: [] })
    })
  })

  it('may add a story that has a past', () => {
    const found = file(...base.userStories, story('N', { ...approved, notes: 'x' }), story('O'))
    expect(Object.keys(adopt(started(), found).state!)).toEqual(['N'])
  })

  it('may change no more than a title', () => {
    expect(adopt(started(), first({ title: 'Other' }))).toEqual({
      list: { change: { A: { title: 'Other' } } },
    })
  })

  it('changes criteria and description each by itself, and takes away what is no longer there', () => {
    const described = file(story('A', { description: 'd' }), story('B', { dependsOn: ['A'] }))
    const changeOf = (...found: Story[]) =>
      personStoryEdits(file(...found), storyTasks(described), initial, table, { skip: false }).list?.change
    const { description: _, ...bare } = story('A')
    const { dependsOn: __, ...free } = story('B')
    const [a, b] = described.userStories as [Story, Story]
    expect(changeOf({ ...a, acceptanceCriteria: ['more'] }, b)).toEqual({
      A: { spec: { acceptanceCriteria: ['more'], description: 'd' } },
    })
    expect(changeOf(bare, free)).toEqual({
      A: { spec: { acceptanceCriteria: ['A works'], description: '' } },
      B: { blockedBy: [] },
    })
    expect(personStoryEdits(file(bare), storyTasks(file(bare)), initial, table, { skip: false })).toEqual({})
  })

  it('adds, removes, changes and reorders', () => {
    const run = started()
    const found = file(
      story('N', { priority: 3 }),
      story('C', { title: 'Other', acceptanceCriteria: ['more'], description: 'd' }),
      story('B', { priority: 2, dependsOn: ['A', 'C'] }),
    )
    expect(adopt(run, found)).toEqual({
      list: {
        add: [{ task: storyTasks(file(story('N', { priority: 3 })))[0], after: null }],
        remove: ['A'],
        change: {
          C: { title: 'Other', spec: { acceptanceCriteria: ['more'], description: 'd' } },
          B: { priority: 2, blockedBy: ['A', 'C'] },
        },
        order: ['N', 'C', 'B'],
      },
    })
    expect(run.tasks.map(t => [t.id, t.blockedBy])).toEqual([
      ['N', []],
      ['C', []],
      ['B', ['C']],
    ])
  })

  it('is also how a file with a past begins', () => {
    const past = file(
      story('A', { ...approved, reviewCount: 2, notes: 'x' }),
      story('B', { reviewStatus: 'needs_review' }),
    )
    const { state, list } = personStoryEdits(past, storyTasks(past), initial, table, { skip: false })
    expect(list).toBeUndefined()
    expect(state).toMatchObject({ A: { stage: 'done', rounds: 2, proof: false }, B: { stage: 'review' } })
  })

  it('without reviews is about passes alone', () => {
    const found = first({
      passes: true,
      reviewStatus: 'changes_requested',
      reviewFeedback: 'x',
      reviewCount: 2,
      notes: 'x',
    })
    const edit = personStoryEdits(found, storyTasks(base), initial, storiesTable({ skip: true }), {
      skip: true,
    })
    expect(edit).toMatchObject({ state: { A: { stage: 'done', rounds: 0 } } })
    const other = first({ reviewStatus: 'needs_review' })
    expect(
      personStoryEdits(other, storyTasks(base), initial, storiesTable({ skip: true }), { skip: true }),
    ).toEqual({})
  })
})

describe('an agent’s edit of the story file', () => {
  const tasks = storyTasks(base)

  it('may add fresh stories, reorder, set priorities and describe', () => {
    const found = file(
      story('C', { priority: 9, description: 'd' }),
      story('A'),
      story('S', approved),
      story('B'),
    )
    const { list, refused } = agentStoryEdits(found, tasks, 1)
    expect(refused).toEqual([])
    expect(list).toEqual({
      add: [{ task: storyTasks(file(story('S')))[0], after: 'A' }],
      change: { C: { priority: 9, spec: { acceptanceCriteria: ['C works'], description: 'd' } } },
      order: ['C', 'A', 'S', 'B'],
    })
    expect(agentStoryEdits(found, applyEdit(tasks, list!), 0)).toEqual({ refused: [] })
  })

  it('is the same with a blank description and with none', () => {
    const { description: _, ...bare } = story('A')
    const [without, blank] = [file(bare), file(story('A'))]
    for (const found of [without, blank])
      for (const before of [without, blank]) {
        expect(agentStoryEdits(found, storyTasks(before), 0)).toEqual({ refused: [] })
        const urgent = file({ ...found.userStories[0]!, priority: 9 })
        expect(agentStoryEdits(urgent, storyTasks(before), 0).list).toEqual({
          change: { A: { priority: 9 } },
        })
      }
  })

  it('may not remove or redefine', () => {
    const found = file(
      story('A', { title: 'x', acceptanceCriteria: ['none'], dependsOn: ['C'], ...approved }),
    )
    expect(agentStoryEdits(found, tasks, 9)).toEqual({ refused: [] })
  })

  it('adds only as many as there is room for', () => {
    const found = file(...base.userStories, story('X'), story('Y'), story('Z'))
    const { list, refused } = agentStoryEdits(found, tasks, 1)
    expect(list!.add!.map(a => a.task.id)).toEqual(['X'])
    expect(refused).toEqual(['Y', 'Z'])
    const most = agentStoryEdits(found, tasks, 2)
    expect([most.list!.add!.map(a => a.task.id), most.refused]).toEqual([['X', 'Y'], ['Z']])
    expect(agentStoryEdits(found, tasks, -1).refused).toEqual(['X', 'Y', 'Z'])
  })
})

it.each<[Partial<Story>, string, string]>([
  [{}, 'implement', 'implement'],
  [{ passes: true }, 'implement', 'done'],
  [{ reviewStatus: 'needs_review' }, 'review', 'implement'],
  [{ reviewStatus: 'changes_requested' }, 'fix', 'implement'],
  [{ reviewStatus: 'approved' }, 'review', 'implement'],
  [approved, 'done', 'done'],
])('a story with %j is at %s, or without reviews at %s', (more, stage, skipping) => {
  expect(stageOfStory(story('A', more), false)).toBe(stage)
  expect(stageOfStory(story('A', more), true)).toBe(skipping)
})

describe('the part of a split story that an agent submits', () => {
  const submitted = { reviewStatus: 'needs_review' } as const
  const part = (more: Story[], own: Partial<Story> = {}, mode: 'implement' | 'review' = 'implement') =>
    submittedPart(file(story('A', own), ...base.userStories.slice(1), ...more), storyTasks(base), {
      mode,
      story: 'A',
    })?.id ?? null

  it('is the one new story that is submitted', () => {
    expect(part([story('A1', submitted), story('A2')])).toBe('A1')
  })

  it.each<[string, string | null]>([
    ['there is none', part([story('A1')])],
    ['there are two', part([story('A1', submitted), story('A2', submitted)])],
    ['the whole is submitted too', part([story('A1', submitted)], submitted)],
    ['nothing is implemented', part([story('A1', submitted)], {}, 'review')],
    ['it claims a past', part([story('A1', { ...submitted, reviewCount: 1 })])],
  ])('is none if %s', (_, found) => {
    expect(found).toBe(null)
  })

  it('is not a story that was there before, nor kept back by another one', () => {
    const found = file(story('A'), story('B', submitted), story('A1', submitted))
    const options = { mode: 'implement', story: 'A' } as const
    expect(submittedPart(found, storyTasks(base), options)?.id).toBe('A1')
    expect(submittedPart(file(story('A'), story('B', submitted)), storyTasks(base), options)).toBe(null)
  })
})
