import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Story } from '../../src/workflows/stories/rules/story-file.ts'
import { scratch } from '../support/scratch.ts'
import { makeHooks } from './play.ts'

const FRESH: Story = {
  id: 'US-001',
  title: 'Filter',
  acceptanceCriteria: ['It filters'],
  priority: 1,
  passes: false,
  reviewStatus: null,
  reviewCount: 0,
  reviewFeedback: '',
  notes: 'Done by hand.',
}
const story = (more: Partial<Story> = {}): Story => ({ ...FRESH, ...more })
const other = (more: Partial<Story> = {}) => story({ id: 'US-002', ...more })
const waiting = story({ reviewStatus: 'needs_review', reviewCount: 1 })
const sentBack = story({ reviewStatus: 'changes_requested', reviewCount: 1, reviewFeedback: 'Mind the gap.' })
const approved = story({ passes: true, reviewStatus: 'approved', reviewCount: 1 })

const listOf = (stories: unknown[]) =>
  JSON.stringify({ project: 'p', branchName: 'b', description: 'd', userStories: stories })

const snapshotOf = (stories: Story[]) =>
  Object.fromEntries(
    stories.map(({ id, passes, reviewStatus, reviewCount }) => [id, { passes, reviewStatus, reviewCount }]),
  )

type Scene = {
  mode?: 'implement' | 'review' | 'review-fix'
  before?: Story[] | null
  after: unknown[] | string
  active?: object
}

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd })

/** A project with a list, all committed, and ralph's word about the iteration: as a marker file or as marks. */
function makeProject({ mode = 'implement', before, after, active = {} }: Scene) {
  const root = scratch()
  const project = join(root, 'project')
  mkdirSync(join(project, 'ralph'), { recursive: true })
  const tasks = join(project, 'ralph', 'tasks.json')
  writeFileSync(tasks, typeof after === 'string' ? after : listOf(after))
  writeFileSync(join(project, '.gitignore'), '.ralph-active\n')
  git(project, 'init', '-q')
  git(project, 'add', '-A')
  git(project, 'commit', '-qm', 'start')
  const rules = {
    skipReview: false,
    reviewCap: 5,
    iterationMode: mode,
    ...(before !== null && {
      preIterationSnapshot: snapshotOf(before ?? (Array.isArray(after) ? (after as Story[]) : [])),
    }),
    ...active,
  }
  const snapshot = join(root, 'snapshot.json')
  const marker = join(project, '.ralph-active')
  for (const path of [snapshot, marker]) writeFileSync(path, JSON.stringify(rules))
  const marks = {
    RALPH_RUN: 'r1',
    RALPH_WORKFLOW: 'stories',
    RALPH_STAGE: mode === 'review-fix' ? 'fix' : mode,
    RALPH_DIR: join(project, 'ralph'),
    RALPH_SNAPSHOT: snapshot,
  }
  const hooks = makeHooks()
  const input = { session_id: 's', cwd: project, hook_event_name: 'Stop', stop_hook_active: false }
  const stop = (env: Record<string, string> = {}, more: object = {}) =>
    hooks.call('stop', { ...input, ...more }, env)
  const spawn = (env: Record<string, string> = {}) => hooks.spawn('stop', input, env)
  return { project, tasks, snapshot, marker, marks, stop, spawn, tmp: hooks.tmp }
}

const PASS = { code: 0, answer: null, stderr: '' }
const blocked = (words: string | RegExp) => ({
  code: 0,
  answer: {
    decision: 'block',
    reason: typeof words === 'string' ? expect.stringContaining(words) : expect.stringMatching(words),
  },
  stderr: '',
})

type Row = [what: string, scene: Scene, expected: string | RegExp | null]

/** Judged by a marker file outside of a run, and by the marks within one: the same. */
function judges(rows: Row[]) {
  it.each(rows)('%s', (_, scene, expected) => {
    const { stop, marks, marker } = makeProject(scene)
    const verdict = expected === null ? PASS : blocked(expected)
    expect(stop()).toEqual(verdict)
    rmSync(marker)
    expect(stop(marks, { session_id: 'in-a-run' })).toEqual(verdict)
  })
}

it('a review says its verdict in its last message, in a run of ralph', () => {
  const { stop, marks } = makeProject({
    mode: 'review',
    before: [{ ...waiting, reviewCount: 0 }],
    after: [approved],
  })
  const says = (last_assistant_message: string) => ({ last_assistant_message })
  expect(stop(marks, says('All is well.\n<verdict>approved</verdict>'))).toEqual(PASS)
  for (const text of ['All is well.', 'Not so.\n<verdict>changes_requested</verdict>'])
    expect(stop(marks, says(text))).toEqual(blocked('is your verdict'))
  // Older versions of claude give no message, and outside of a run nobody reads it.
  expect(stop(marks)).toEqual(PASS)
  expect(stop({}, says('All is well.'))).toEqual(PASS)
})

it('the hook as a process of its own lets pass, blocks and fails in the same way', () => {
  const { spawn, marks, marker, tasks } = makeProject({ after: [story()] })
  expect(spawn()).toEqual(PASS)
  writeFileSync(tasks, '[]')
  expect(spawn(marks)).toEqual(blocked('ralph/tasks.json must be an object.'))
  rmSync(tasks)
  mkdirSync(tasks)
  expect(spawn()).toEqual({ code: 1, answer: null, stderr: expect.stringContaining('the Stop hook failed') })
  rmSync(marker)
  expect(spawn()).toEqual(PASS)
})

const without = (field: keyof Story) => {
  const { [field]: _, ...rest } = story()
  return rest
}

describe('the task list is checked:', () => {
  judges([
    ['a valid one passes', { after: [story(), other()] }, null],
    ['one with a byte order mark passes', { before: [story()], after: `\ufeff${listOf([story()])}` }, null],
    ['no JSON', { after: '{"project":' }, /^ralph\/tasks\.json is not valid JSON: /],
    ['no object', { after: '[]' }, 'ralph/tasks.json must be an object.'],
    ['no project', { after: '{"branchName":"b","description":"d","userStories":[]}' }, 'project is missing.'],
    [
      'no list of stories',
      { after: '{"project":"p","branchName":"b","description":"d"}' },
      'userStories is missing.',
    ],
    ...(
      [
        'id',
        'title',
        'passes',
        'priority',
        'acceptanceCriteria',
        'reviewStatus',
        'reviewCount',
        'reviewFeedback',
      ] as const
    ).map(
      (field): Row => [
        `a story without ${field}`,
        { after: [without(field)], before: [] },
        `${field} is missing.`,
      ],
    ),
    [
      'no criteria',
      { after: [story({ acceptanceCriteria: [] })] },
      'Story US-001: acceptanceCriteria must be a non-empty array',
    ],
    ['the same id twice', { after: [story(), story()] }, 'Story US-001: id is used more than once.'],
    [
      'passes without notes',
      { after: [{ ...approved, notes: ' ' }] },
      'Story US-001 has passes=true but notes is empty.',
    ],
  ])

  it('a list that is not there', () => {
    const { stop, tasks } = makeProject({ after: [story()] })
    rmSync(tasks)
    expect(stop()).toEqual(blocked('ralph/tasks.json does not exist.'))
  })

  it('a list in another folder, by its name there', () => {
    const { project, stop, marks } = makeProject({ after: [story()] })
    mkdirSync(join(project, 'plans/one'), { recursive: true })
    expect(stop({ ...marks, RALPH_DIR: join(project, 'plans/one') })).toEqual(
      blocked('plans/one/tasks.json does not exist.'),
    )
  })
})

describe('review integrity:', () => {
  const notApproved = (status: string | null) =>
    `Story US-001 has passes=true but reviewStatus is '${status}', not 'approved'. Only review iterations may approve stories. Set passes back to false or complete the review cycle.`
  judges([
    ...([null, 'needs_review', 'changes_requested'] as const).map(
      (reviewStatus): Row => [
        `passes: true with reviewStatus ${reviewStatus} is not approved`,
        { after: [story({ passes: true, reviewStatus, reviewFeedback: 'x' })] },
        notApproved(reviewStatus),
      ],
    ),
    ['passes: true with reviewStatus approved passes', { after: [approved] }, null],
    [
      'changes_requested with empty reviewFeedback: feedback required',
      { mode: 'review-fix', after: [{ ...sentBack, reviewFeedback: ' ' }] },
      'Feedback is required',
    ],
    [
      'approved with passes: false is out of sync',
      { after: [{ ...approved, passes: false }] },
      'out of sync',
    ],
    [
      'reviewCount -1 is invalid',
      { after: [story({ reviewCount: -1 })] },
      'reviewCount must be a whole number, 0 or more',
    ],
    [
      'reviewCount above the cap and one',
      { after: [{ ...approved, reviewCount: 7 }] },
      'more than the review cap of 5 allows',
    ],
    [
      'skipReview skips it all: passes: true with reviewStatus null passes',
      { before: [story()], after: [story({ passes: true })], active: { skipReview: true } },
      null,
    ],
    [
      'skipReview skips no schema',
      { after: [without('title')], active: { skipReview: true } },
      'title is missing.',
    ],
  ])
})

const implement = (field: string) =>
  `Implement iterations cannot set passes=true or approve stories. Only review iterations may approve. Story US-001 had illegal transition: ${field}.`
const fix = (id: string, what: string) =>
  `Review-fix iterations cannot approve stories. Story ${id} must go back to needs_review for re-review. Illegal transition: ${what}.`
const review = (id: string, details: string) =>
  `Review iteration made illegal transition on story ${id}: ${details}`

type Move = [what: string, before: Story[], after: Story[], expected: string | null]

/** What an iteration of this mode may make of the list. */
const moves = (mode: Scene['mode'], rows: Move[]) =>
  judges(rows.map(([what, before, after, expected]) => [what, { mode, before, after }, expected]))

describe('transitions of an implement iteration:', () => {
  moves('implement', [
    ['passes false → true', [story()], [approved], implement('passes false → true')],
    ['reviewStatus null → approved', [story()], [approved], implement('reviewStatus null → approved')],
    ['reviewCount 0 → 1', [story()], [story({ reviewCount: 1 })], implement('reviewCount 0 → 1')],
    ['null → needs_review is legal', [story()], [story({ reviewStatus: 'needs_review' })], null],
    ['a new story that starts fresh is legal', [story()], [story(), other()], null],
    [
      'a new story with passes: true',
      [story()],
      [story(), { ...approved, id: 'US-002' }],
      'New stories must start incomplete',
    ],
    [
      'a removed story',
      [story(), other()],
      [story()],
      'Story US-002 was removed. Stories may be added and reordered, never removed: put it back.',
    ],
  ])
})

describe('transitions of a review iteration:', () => {
  const counted = { ...approved, reviewCount: 2 }
  moves('review', [
    ['an approval that counts is legal', [waiting], [counted], null],
    ['a rejection that counts and says why is legal', [waiting], [{ ...sentBack, reviewCount: 2 }], null],
    [
      'reviewCount unchanged',
      [waiting],
      [approved],
      review('US-001', 'reviewCount must be incremented by 1, not 1 → 1.'),
    ],
    [
      'no verdict',
      [waiting],
      [waiting],
      review('US-001', 'a review must increment reviewCount and give a verdict.'),
    ],
    [
      'two stories changed',
      [waiting, { ...waiting, id: 'US-002' }],
      [counted, { ...counted, id: 'US-002' }],
      review('US-002', 'a review may only modify one story'),
    ],
  ])
})

describe('transitions of a review-fix iteration:', () => {
  moves('review-fix', [
    ['passes false → true', [sentBack], [approved], fix('US-001', 'passes false → true')],
    ['changes_requested → needs_review is legal', [sentBack], [waiting], null],
    ['reviewCount changed', [sentBack], [{ ...waiting, reviewCount: 2 }], fix('US-001', 'reviewCount 1 → 2')],
    [
      'feedback left in place',
      [sentBack],
      [{ ...waiting, reviewFeedback: 'Mind the gap.' }],
      fix('US-001', 'reviewFeedback was not cleared'),
    ],
  ])
})

describe('without a snapshot', () => {
  const warning = {
    systemMessage: expect.stringMatching(/^ralph: there is no snapshot from before the iteration/),
  }

  it('transitions are not checked, with a warning', () => {
    const { stop, marks, marker } = makeProject({ before: null, after: [approved] })
    expect(stop()).toEqual({ ...PASS, answer: warning })
    rmSync(marker)
    expect(stop(marks)).toEqual({ ...PASS, answer: warning })
  })

  it('the state still is', () => {
    const { stop } = makeProject({ before: null, after: [story({ passes: true })] })
    expect(stop()).toEqual({
      ...PASS,
      answer: { decision: 'block', reason: expect.stringContaining("not 'approved'"), ...warning },
    })
  })

  it.each([
    ['broken', '{"preIterationSnap'],
    ['of the wrong shape', '{"preIterationSnapshot":{"US-001":{}},"reviewCap":"x","dirtyBefore":7}'],
    ['no object', '7'],
  ])('because it is %s, the same holds', (_, text) => {
    const { stop, marks, marker, snapshot } = makeProject({ after: [approved] })
    for (const path of [marker, snapshot]) writeFileSync(path, text)
    expect(stop()).toEqual({ ...PASS, answer: warning })
    expect(stop(marks)).toEqual({ ...PASS, answer: warning })
  })

  it('because the file is gone, the same holds', () => {
    const { stop, marks, snapshot } = makeProject({ after: [approved] })
    rmSync(snapshot)
    expect(stop(marks)).toEqual({ ...PASS, answer: warning })
  })
})

describe('uncommitted changes', () => {
  it('block, with what to do', () => {
    const { project, stop } = makeProject({ after: [story()] })
    writeFileSync(join(project, 'new file.ts'), '')
    expect(stop().answer?.reason).toBe(
      `There are uncommitted changes: new file.ts.
1. Update ralph/progress.txt with what was accomplished + learnings
2. Consider if any lasting patterns belong in CLAUDE.md or .claude/rules/
3. Commit ALL changes including progress.txt and tasks.json updates`,
    )
  })

  it('are reported together with what else is wrong', () => {
    const { project, stop } = makeProject({ after: [story({ passes: true })] })
    writeFileSync(join(project, 'a'), '')
    expect(stop()).toEqual(blocked(/not 'approved'[\s\S]*\n\nThere are uncommitted changes: a\./))
  })

  it('from before the iteration do not count, and are to be left alone', () => {
    const { project, stop } = makeProject({
      after: [story()],
      active: { dirtyBefore: ['mine/deep.ts', 'ralph/tasks.json', 'gone'] },
    })
    mkdirSync(join(project, 'mine'))
    writeFileSync(join(project, 'mine', 'deep.ts'), '')
    writeFileSync(join(project, 'ralph', 'tasks.json'), listOf([story({ notes: 'more' })]))
    expect(stop()).toEqual(PASS)
    writeFileSync(join(project, 'ralph', 'progress.txt'), '')
    expect(stop()).toEqual(
      blocked(
        /^There are uncommitted changes: ralph\/progress\.txt\.[\s\S]*\nLeave alone what was uncommitted before this iteration: ralph\/tasks\.json, mine\/deep\.ts\.$/,
      ),
    )
  })

  it('of ralph’s own files do not count', () => {
    const { project, stop } = makeProject({ after: [story()] })
    rmSync(join(project, '.gitignore'))
    git(project, 'commit', '-qam', 'nothing is ignored')
    for (const folder of ['.ralph/sessions/x', 'sub/.ralph'])
      mkdirSync(join(project, folder), { recursive: true })
    for (const file of ['.ralph/.gitignore', '.ralph/sessions/x/session.json', 'sub/.ralph/y'])
      writeFileSync(join(project, file), '')
    expect(stop()).toEqual(PASS)
  })

  it('by a rename are named by both names; of many only the first are named', () => {
    const { project, stop } = makeProject({ after: [story()] })
    git(project, 'mv', '.gitignore', 'ignored')
    expect(stop()).toEqual(blocked('There are uncommitted changes: ignored, .gitignore.'))
    for (let i = 10; i < 30; i++) writeFileSync(join(project, `f${i}`), '')
    expect(stop()).toEqual(blocked('f17 and 12 more.'))
  })

  it('are unknown outside a repository', () => {
    const { project, stop } = makeProject({ after: [story()] })
    rmSync(join(project, '.git'), { recursive: true })
    expect(stop()).toEqual(PASS)
  })
})

describe('the gate acts only in story iterations:', () => {
  const bad: Scene = { before: [story()], after: [approved] }

  it('not without a run and a marker', () => {
    const { stop, marker } = makeProject(bad)
    rmSync(marker)
    expect(stop()).toEqual(PASS)
  })

  it('in a run although the marker was deleted', () => {
    const { stop, marker, marks } = makeProject(bad)
    rmSync(marker)
    expect(stop(marks)).toEqual(blocked('illegal transition'))
  })

  it.each([
    ['of another workflow', { RALPH_WORKFLOW: 'run' }],
    ['that names none', { RALPH_WORKFLOW: '' }],
    ['at no stage of the loop', { RALPH_STAGE: '' }],
    ['at a stage it does not know', { RALPH_STAGE: 'merge' }],
  ])('not in a run %s, although there is a marker', (_, env) => {
    const { stop, marks } = makeProject(bad)
    expect(stop({ ...marks, ...env })).toEqual(PASS)
  })

  it('by the stage that the run names, whatever a file says', () => {
    const { stop, marks } = makeProject({
      ...bad,
      mode: 'review',
      before: [waiting],
      after: [{ ...approved, reviewCount: 2 }],
    })
    expect(stop(marks)).toEqual(PASS)
    expect(stop({ ...marks, RALPH_STAGE: 'implement' })).toEqual(blocked('Implement iterations cannot'))
  })

  it('in the project, wherever the agent is', () => {
    const { project, stop } = makeProject(bad)
    expect(stop({}, { cwd: join(project, 'ralph') })).toEqual(PASS)
    expect(stop({ CLAUDE_PROJECT_DIR: project }, { cwd: join(project, 'ralph') })).toEqual(blocked('illegal'))
  })
})

describe('nothing is blocked for ever:', () => {
  const bad: Scene = { before: [story()], after: [approved] }
  const givesWay = (blocks: number) => ({
    ...PASS,
    answer: {
      systemMessage: expect.stringMatching(
        new RegExp(`lets this iteration end after ${blocks} blocks?, although: Impl`),
      ),
    },
  })

  it('a run gives way before claude does', () => {
    const { stop, marks } = makeProject(bad)
    for (let i = 0; i < 7; i++) expect(stop(marks, { stop_hook_active: i > 0 })).toEqual(blocked('illegal'))
    expect(stop(marks, { stop_hook_active: true })).toEqual(givesWay(7))
    expect(stop(marks)).toEqual(givesWay(7))
  })

  it('a person who asks again is answered anew', () => {
    const { stop } = makeProject(bad)
    for (let i = 0; i < 7; i++) stop({}, { stop_hook_active: i > 0 })
    expect(stop({}, { stop_hook_active: true })).toEqual(givesWay(7))
    expect(stop()).toEqual(blocked('illegal'))
  })

  it.each([
    ['3', 2],
    ['1', 1],
    ['0', 7],
    ['x', 7],
  ])('with claude’s cap at %s it is %d', (cap, blocks) => {
    const { stop, marks } = makeProject(bad)
    const env = { ...marks, CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: cap }
    for (let i = 0; i < blocks; i++) expect(stop(env)).toEqual(blocked('illegal'))
    expect(stop(env)).toEqual(givesWay(blocks))
  })

  it('where it cannot count it blocks once', () => {
    const { stop, tmp } = makeProject(bad)
    for (const name of readdirSync(tmp)) rmSync(join(tmp, name), { recursive: true })
    writeFileSync(join(tmp, `ralph-hooks-${process.getuid?.() ?? 0}`), '')
    expect(stop()).toEqual(blocked('illegal'))
    expect(stop({}, { stop_hook_active: true })).toEqual(givesWay(1))
  })
})

describe('a list that cannot be read', () => {
  const ways: [string, (tasks: string) => void][] = [
    ['a folder', tasks => mkdirSync(tasks)],
    ['a pipe', tasks => execFileSync('mkfifo', [tasks])],
    ['a link to itself', tasks => symlinkSync('tasks.json', tasks)],
  ]

  it.each(ways)('because it is %s blocks in a run, by its name, until claude’s cap is near', (_, put) => {
    const { stop, tasks, marks } = makeProject({ after: [story()] })
    rmSync(tasks)
    put(tasks)
    for (let i = 0; i < 7; i++) expect(stop(marks)).toEqual(blocked(/^ralph\/tasks\.json cannot be read: /))
    expect(stop(marks)).toEqual({
      ...PASS,
      answer: { systemMessage: expect.stringContaining('lets this iteration end after 7 blocks') },
    })
  })

  it.each(ways)('because it is %s is said elsewhere, and holds nobody up', (_, put) => {
    const { stop, tasks } = makeProject({ after: [story()] })
    rmSync(tasks)
    put(tasks)
    expect(stop()).toEqual({
      code: 1,
      answer: null,
      stderr: expect.stringMatching(/^ralph: the Stop hook failed: .*tasks\.json cannot be read: .*\n$/),
    })
  })
})
