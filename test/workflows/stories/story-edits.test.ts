import { describe, expect, it } from 'vitest'
import { initial } from '../../../src/core/table.ts'
import { applyEdit } from '../../../src/core/task.ts'
import { projectStories, storyTasks } from '../../../src/workflows/stories/rules/review.ts'
import { agentStoryEdits, personStoryEdits } from '../../../src/workflows/stories/rules/story-edits.ts'
import type { StoriesFile, Story } from '../../../src/workflows/stories/rules/story-file.ts'
import { stories } from '../../../src/workflows/stories/table.ts'
import { green, ok, play } from '../../core/play.ts'
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
const table = stories({ cap: 3 })
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
        carry: [{ check: 'review', verdict: 'fail', note: 'use SQL', claim: true }],
      },
    ],
    ['sends back without a word', { reviewStatus: 'changes_requested' }, { stage: 'fix', carry: [] }],
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

  it('that approves by halves asks for a review', () => {
    expect(adopt(started(), first({ reviewStatus: 'approved' })).state!.A!.stage).toBe('review')
  })

  it('reopens what was done, with all its reviews to come', () => {
    const run = started()
    run.step(submit)
    run.step(ok({ verdict: 'approve', findings: [green] }))
    const found = file(story('A', { notes: 'x', reviewCount: 1 }), ...base.userStories.slice(1))
    expect(adopt(run, found).state!.A).toMatchObject({ stage: 'implement', rounds: 0, proof: false })
  })

  it('answers what was left for a person', () => {
    const run = play(stories({ cap: 1, atCap: 'block' }), storyTasks(base))
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
      carry: [{ note: 'Leave the tests to me.' }],
    })
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
    const found = first({ passes: true, reviewStatus: 'changes_requested', reviewFeedback: 'x', notes: 'x' })
    const edit = personStoryEdits(found, storyTasks(base), initial, stories({ skip: true }), { skip: true })
    expect(edit).toMatchObject({ state: { A: { stage: 'done' } } })
    const other = first({ reviewStatus: 'needs_review' })
    expect(
      personStoryEdits(other, storyTasks(base), initial, stories({ skip: true }), { skip: true }),
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
    expect(agentStoryEdits(found, tasks, -1).refused).toEqual(['X', 'Y', 'Z'])
  })
})
