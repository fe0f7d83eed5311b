import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AT_CAP, initial, type TaskState, taskStateOf } from '../../../src/core/table.ts'
import {
  meantBy,
  type ProjectStoriesOptions,
  projectStories,
  projectStory,
  reviewFields,
  storyClaims,
  storyTasks,
} from '../../../src/workflows/stories/rules/review.ts'
import {
  type ReviewStatus,
  readStories,
  type StoriesFile,
  type Story,
} from '../../../src/workflows/stories/rules/story-file.ts'
import { storiesTable } from '../../../src/workflows/stories/table.ts'
import { green, ok, play, red, trouble } from '../../core/play.ts'
import { newStory } from '../../core/setup.ts'

const story = (id: string, more: Partial<Story> = {}): Story => ({ ...newStory(id), ...more })
const approved = { passes: true, reviewStatus: 'approved' } as const
const file: StoriesFile = {
  project: 'p',
  branchName: 'ralph/p',
  description: 'd',
  verifyCommands: ['npm test'],
  userStories: [story('A'), story('B', { dependsOn: ['A'] }), story('C')],
}
const submit = ok({ signal: true, findings: [green] })
const reject = ok({ verdict: 'reject', note: 'no tests', findings: [green] })
const approve = ok({ verdict: 'approve', findings: [green] })

it('stories become tasks: dependencies block, the definition is pinned', () => {
  expect(storyTasks(file)[1]).toEqual({
    id: 'B',
    title: 'Do B',
    blockedBy: ['A'],
    priority: 1,
    spec: { acceptanceCriteria: ['B works'], description: '' },
  })
})

describe('what an agent writes into its story', () => {
  it.each<[string, Partial<Story>, Partial<Story>, object]>([
    ['implement', {}, {}, { signal: false }],
    ['implement', {}, { reviewStatus: 'needs_review' }, { signal: true }],
    ['implement', {}, approved, { signal: true }],
    ['implement', {}, { reviewStatus: 'approved' }, { signal: true }],
    ['implement', { reviewStatus: 'needs_review' }, { reviewStatus: 'needs_review' }, { signal: false }],
    ['fix', { reviewStatus: 'changes_requested' }, { reviewStatus: 'changes_requested' }, { signal: false }],
    ['fix', { reviewStatus: 'changes_requested' }, { reviewStatus: 'needs_review' }, { signal: true }],
    ['review', { reviewStatus: 'needs_review' }, { reviewStatus: 'needs_review' }, {}],
    ['review', { reviewStatus: 'needs_review' }, approved, { verdict: 'approve' }],
    ['review', { reviewStatus: 'needs_review' }, { reviewStatus: 'approved' }, {}],
    ['review', { reviewStatus: 'needs_review' }, { passes: true, reviewStatus: 'needs_review' }, {}],
    [
      'review',
      { reviewStatus: 'needs_review' },
      { reviewStatus: 'changes_requested', reviewFeedback: ' no tests ' },
      { verdict: 'reject', note: 'no tests' },
    ],
    ['review', { reviewStatus: 'needs_review' }, { reviewStatus: 'changes_requested' }, {}],
    [
      'review',
      { reviewStatus: 'needs_review' },
      { reviewStatus: 'needs_review', reviewFeedback: 'no tests' },
      {},
    ],
    [
      'review',
      { reviewStatus: 'needs_review' },
      { passes: true, reviewStatus: 'changes_requested', reviewFeedback: 'no tests' },
      {},
    ],
    [
      'review',
      { reviewStatus: 'needs_review' },
      { ...approved, reviewFeedback: '[AUTO-APPROVED AT CAP] no tests' },
      { verdict: 'reject', note: 'no tests' },
    ],
  ])('at %s, %j → %j, is the claim', (stage, before, after, claim) => {
    expect(meantBy(storyClaims(stage, story('A', before), story('A', after)))).toEqual(claim)
  })

  it('without reviews counts only if it passes', () => {
    const skip = { skip: true }
    expect(storyClaims('implement', story('A'), story('A', { passes: true }), skip)).toEqual({ signal: true })
    expect(storyClaims('implement', story('A'), story('A', { reviewStatus: 'needs_review' }), skip)).toEqual({
      signal: false,
    })
  })

  it('is no claim if the story is gone', () => {
    expect(storyClaims('review', story('A'), undefined)).toEqual({})
  })
})

describe('the story file follows the truth', () => {
  const run = (more = {}) => play(storiesTable(more), storyTasks(file))
  const project = (
    r: ReturnType<typeof run>,
    found = file,
    view: Partial<ProjectStoriesOptions> = {},
    more = {},
  ) => {
    const all = { skip: false, ...view }
    const once = projectStories(found, r.tasks, r.state, storiesTable(more), all)
    // If it is equal, nothing has to be written.
    const parsed: StoriesFile = JSON.parse(JSON.stringify(once))
    expect(projectStories(parsed, r.tasks, r.state, storiesTable(more), all)).toStrictEqual(parsed)
    expect(readStories(once)).toEqual({ file: once })
    return once
  }
  const fields = ({ passes, reviewStatus, reviewCount, reviewFeedback }: Story) => [
    passes,
    reviewStatus,
    reviewCount,
    reviewFeedback,
  ]
  const first = (f: StoriesFile) => fields(f.userStories[0]!)

  it('through implementation, review and fix to the approval', () => {
    const r = run()
    expect(project(r)).toEqual(file)
    r.step(submit)
    expect(first(project(r))).toEqual([false, 'needs_review', 0, ''])
    r.step(reject)
    expect(first(project(r))).toEqual([false, 'changes_requested', 1, 'no tests'])
    r.step(submit)
    expect(first(project(r))).toEqual([false, 'needs_review', 1, ''])
    r.step(ok({ verdict: 'approve', findings: [red] }))
    expect(first(project(r))).toEqual([false, 'changes_requested', 2, red.note])
    r.step(ok({ findings: [green] }))
    expect(first(project(r))[3]).toBe('Finish the requested changes, then submit the story for review.')
    r.step(submit)
    r.step(approve)
    const found = {
      ...file,
      userStories: [story('A', { ...approved, notes: 'mine', reviewFeedback: 'nice' })],
    }
    expect(first(project(r, found))).toEqual([true, 'approved', 3, 'nice'])
    expect(project(r, found).userStories[0]!.notes).toBe('mine')
  })

  it('says loudly what passed only by the cap', () => {
    const r = run({ cap: 1 })
    r.step(submit)
    r.step(reject)
    expect(first(project(r, file, {}, { cap: 1 }))).toEqual([
      true,
      'approved',
      1,
      '[AUTO-APPROVED AT CAP] no tests',
    ])
  })

  it('does not let an agent say so', () => {
    const r = run()
    r.step(submit)
    r.step(approve)
    const found = {
      ...file,
      userStories: [story('A', { ...approved, reviewFeedback: '[AUTO-APPROVED AT CAP] x' })],
    }
    expect(first(project(r, found))[3]).toBe('')
  })

  it('without reviews by passes alone', () => {
    const r = run({ skip: true })
    r.step(submit)
    const found = {
      ...file,
      userStories: file.userStories.map(s => ({ ...s, ...approved, reviewCount: 4, notes: 'x' })),
    }
    const shown = project(r, found, { skip: true }, { skip: true })
    expect(shown.userStories.map(fields)).toEqual([
      [true, null, 0, ''],
      [false, null, 0, ''],
      [false, null, 0, ''],
    ])
  })

  it('with the reason where a person is needed', () => {
    const r = run()
    for (let i = 0; i < 3; i++) r.step(trouble('interrupted'))
    expect(first(project(r))).toEqual([false, null, 0, 'interrupted 3 times in a row'])
    const capped = run({ cap: 1, atCap: 'block' })
    capped.step(submit)
    capped.step(reject)
    expect(first(project(capped, file, {}, { cap: 1 }))).toEqual([
      false,
      'changes_requested',
      1,
      'sent back 1 time: no tests',
    ])
  })

  it('with the reason without reviews too', () => {
    const r = run({ skip: true })
    for (let i = 0; i < 3; i++) r.step(trouble('interrupted'))
    const shown = project(r, file, { skip: true }, { skip: true })
    expect(first(shown)).toEqual([false, null, 0, 'interrupted 3 times in a row'])
  })

  it('and adds no dependencies where there are none', () => {
    const { dependsOn: _, ...bare } = story('A')
    const found = { ...file, userStories: [bare, ...file.userStories.slice(1)] }
    const r = play(storiesTable(), storyTasks(found))
    expect(project(r, found)).toEqual(found)
    const { dependsOn: __, ...lost } = story('B')
    const emptied = { ...file, userStories: [bare, lost, story('C')] }
    expect(project(r, emptied).userStories.map(s => s.dependsOn)).toEqual([undefined, ['A'], []])
  })

  it('whatever an agent wrote into it', () => {
    const r = run()
    r.step(submit)
    const found: StoriesFile = {
      ...file,
      description: 'kept',
      verifyCommands: ['true'],
      userStories: [
        story('X', { ...approved, reviewCount: 3, notes: 'cheated' }),
        story('C', {
          ...approved,
          notes: 'learned',
          title: 'Nothing',
          acceptanceCriteria: ['none'],
          description: 'told',
        }),
        story('A', { ...approved, notes: 'x', dependsOn: ['C'] }),
      ],
    }
    const shown = project(r, found, { verifyCommands: ['npm test'] })
    expect(shown).toEqual({
      ...file,
      description: 'kept',
      userStories: [
        story('X', { notes: 'cheated' }),
        story('C', { notes: 'learned', description: 'told' }),
        story('A', { reviewStatus: 'needs_review', notes: 'x' }),
        story('B', { dependsOn: ['A'] }),
      ],
    })
    expect(project(r, found, { refused: ['X'] }).userStories.map(s => s.id)).toEqual(['C', 'A', 'B'])
  })

  it('and puts back what was emptied', () => {
    const r = run()
    expect(project(r, { ...file, userStories: [] })).toEqual(file)
    const emptied = { ...file, userStories: [story('A'), story('B', { dependsOn: [] }), story('C')] }
    expect(project(r, emptied)).toEqual(file)
  })

  it.each<[Partial<Story>]>([
    [{ title: 'Other' }],
    [{ acceptanceCriteria: [] }],
    [{ dependsOn: ['C'] }],
    [{ passes: false }],
    [{ reviewStatus: null }],
    [{ reviewCount: 7 }],
    [{ notes: ' ' }],
  ])('also if nothing but %j is wrong', wrong => {
    const r = run()
    r.step(submit)
    r.step(approve)
    const right = project(r)
    expect(right.userStories[0]!.notes).toBe('No notes were left.')
    const found = {
      ...right,
      userStories: right.userStories.map((s, n) => (n === 0 ? { ...s, ...wrong } : s)),
    }
    expect(project(r, found)).toEqual(right)
  })
})

describe('the fields of a story', () => {
  const fresh = taskStateOf(storiesTable(), initial, storyTasks(file)[0]!)
  const note = (text: string) => ({ ...red, note: text })
  const fieldsIn = (more: Partial<TaskState>) => reviewFields({ ...fresh, ...more }, story('A'), false)

  it.each<[string, Partial<TaskState>, ReviewStatus]>([
    ['never reviewed', { rounds: 0 }, null],
    ['reviewed once', { rounds: 1 }, 'changes_requested'],
    ['reviewed twice', { rounds: 2 }, 'changes_requested'],
    ['that knows better', { rounds: 2, blockedAt: 'review' }, 'needs_review'],
  ])('blocked by an older run, %s, say where it goes on', (_, more, reviewStatus) => {
    expect(fieldsIn({ stage: 'blocked', ...more }).reviewStatus).toBe(reviewStatus)
  })

  it.each<[string, Partial<TaskState>, string]>([
    ['blocked for a reason', { stage: 'blocked', why: 'why', lastRed: [note('n')] }, 'why'],
    ['blocked after a note', { stage: 'blocked', lastRed: [note('n')] }, 'n'],
    ['blocked, nobody knows why', { stage: 'blocked' }, 'Left for a person.'],
    ['sent back with several notes', { stage: 'fix', lastRed: [note('a'), note(' '), note('b')] }, 'a\n\nb'],
    [
      'approved at the cap without a note',
      { stage: 'done', why: AT_CAP },
      '[AUTO-APPROVED AT CAP] The last review left no note.',
    ],
  ])('%s say so', (_, more, feedback) => {
    expect(fieldsIn(more).reviewFeedback).toBe(feedback)
  })

  it('are all there if an agent removed the story, whatever was known of it', () => {
    const task = { id: 'A', title: 'Do A', blockedBy: [], spec: { acceptanceCriteria: ['A works'] } }
    expect(
      projectStory(undefined, task, taskStateOf(storiesTable(), initial, task), { skip: false }),
    ).toEqual(story('A', { priority: 0 }))
  })
})

describe('a file that is projected again', () => {
  const IDS = ['A', 'B', 'C', 'D', 'N']
  const [reopenedState, done] = (['fix', 'done'] as const).map(
    stage =>
      ({
        ...taskStateOf(storiesTable(), initial, storyTasks(file)[0]!),
        stage,
        why: 'because',
      }) satisfies TaskState,
  ) as [TaskState, TaskState]
  const STORIES = IDS.flatMap(id => [
    story(id),
    story(id, { passes: true, notes: '' }),
    story(id, { title: 'Other' }),
  ])
  const TASKS = IDS.slice(0, 4).flatMap(id => [
    ...storyTasks({ ...file, userStories: [story(id)] }),
    ...storyTasks({ ...file, userStories: [story(id, { acceptanceCriteria: ['It is fast'] })] }),
  ])
  const byId = { selector: ({ id }: { id: string }) => id }
  const round = {
    userStories: fc.uniqueArray(fc.constantFrom(...STORIES), byId),
    tasks: fc.uniqueArray(fc.constantFrom(...TASKS), { ...byId, minLength: 2 }),
    taskStates: fc.dictionary(fc.constantFrom(...IDS), fc.constantFrom(reopenedState, done)),
    refused: fc.subarray(['N', 'D']),
  }

  it('stays as it is, whatever was in it', () => {
    fc.assert(
      fc.property(fc.record(round), fc.boolean(), ({ userStories, tasks, taskStates, refused }, skip) => {
        const state = { ...initial, taskStates }
        const project = (found: StoriesFile) =>
          projectStories(found, tasks, state, storiesTable(), { skip, refused })
        const truth = project({ ...file, userStories })
        expect(project(truth)).toStrictEqual(truth)
      }),
      { numRuns: 1000 },
    )
  })
})
