import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { StoriesFile, Story } from '../../src/workflows/stories/rules/story-file.ts'
import { story } from '../cli/stories-stage.ts'
import { hostStories, type Reach } from './hosted-stories.ts'

type Stage = ReturnType<typeof hostStories>

/** What a person does to the file while A is approved, and B is not, or submitted and unchecked. */
type Edit = {
  name: string
  edit(file: StoriesFile): StoriesFile
  /** What agents are called for later: if nothing of B is done, and if B is submitted. */
  fresh: string
  submitted: string
  /** The stories at the end, in their order. */
  ids?: string
  expect?(stage: Stage, calls: ReturnType<Stage['seen']>): void
}

const change =
  (id: string, change: Partial<Story>) =>
  (file: StoriesFile): StoriesFile => ({
    ...file,
    userStories: file.userStories.map(one => (one.id === id ? { ...one, ...change } : one)),
  })

const BY_HAND = { passes: true, reviewStatus: 'approved', notes: 'by hand' } as const
const FEEDBACK = 'The total is wrong.'

const EDITS: Edit[] = [
  {
    name: 'removes a story',
    edit: file => ({ ...file, userStories: file.userStories.filter(({ id }) => id !== 'C') }),
    fresh: 'implement B, review B',
    submitted: 'review B',
    ids: 'AB',
  },
  {
    name: 'adds a story',
    edit: file => ({ ...file, userStories: [...file.userStories, story('D')] }),
    fresh: 'implement B, review B, implement C, review C, implement D, review D',
    submitted: 'review B, implement C, review C, implement D, review D',
    ids: 'ABCD',
  },
  {
    name: 'changes what a story asks for',
    edit: change('B', { acceptanceCriteria: ['It is fast'], title: 'Fast', dependsOn: ['A'] }),
    fresh: 'implement B, review B, implement C, review C',
    submitted: 'review B, implement C, review C',
    expect(stage, calls) {
      const wanted = { acceptanceCriteria: ['It is fast'], title: 'Fast', dependsOn: ['A'] }
      for (const { file } of calls) expect(file.userStories[1]).toMatchObject(wanted)
      expect(stage.story('B')).toMatchObject(wanted)
      expect(stage.folded().tasks[1]).toMatchObject({ title: 'Fast', blockedBy: ['A'] })
    },
  },
  {
    name: 'approves a story',
    edit: change('B', BY_HAND),
    fresh: 'implement C, review C',
    submitted: 'implement C, review C',
    expect(stage) {
      expect(stage.story('B')).toMatchObject(BY_HAND)
      expect(stage.folded().state.taskStates.B).toMatchObject({ stage: 'done', proof: false })
    },
  },
  {
    name: 'approves all that is left',
    edit: file => change('C', BY_HAND)(change('B', BY_HAND)(file)),
    fresh: '',
    submitted: '',
  },
  {
    name: 'takes an approval back',
    edit: change('A', { passes: false, reviewStatus: null, reviewCount: 0 }),
    fresh: 'implement A, review A, implement B, review B, implement C, review C',
    submitted: 'review B, implement A, review A, implement C, review C',
  },
  {
    name: 'sends an approved story back',
    edit: change('A', { passes: false, reviewStatus: 'changes_requested', reviewFeedback: FEEDBACK }),
    fresh: 'review-fix A, review A, implement B, review B, implement C, review C',
    submitted: 'review-fix A, review A, review B, implement C, review C',
    expect(_, [first]) {
      expect(first!.prompt).toContain(FEEDBACK)
      expect(first!.file.userStories[0]).toMatchObject({ passes: false, reviewFeedback: FEEDBACK })
    },
  },
  {
    name: 'reorders the stories',
    edit: file => ({ ...file, userStories: [2, 1, 0].map(at => file.userStories[at]!) }),
    fresh: 'implement C, review C, implement B, review B',
    submitted: 'review B, implement C, review C',
    ids: 'CBA',
  },
  {
    name: 'gives a story another priority',
    edit: change('C', { priority: 0 }),
    fresh: 'implement C, review C, implement B, review B',
    submitted: 'review B, implement C, review C',
  },
  {
    name: 'does nothing',
    edit: file => file,
    fresh: 'implement B, review B, implement C, review C',
    submitted: 'review B, implement C, review C',
  },
]

/** The ways in which a run stands still after A was approved. Each edits the file then, and lets the run go on. */
type Way = {
  name: string
  b: 'fresh' | 'submitted'
  /** What the agent of the third call does, in a shell. */
  third?: string
  /** How that call ends. */
  trouble?: string
  go(stage: Stage, edit: () => void): Promise<number>
}

const afterStop = async (stage: Stage, edit: () => void, stop: (type: string, reach: Reach) => void) => {
  expect(
    await stage.host(20, ({ type, ...event }, reach) => {
      if ('id' in event && event.id === 3) stop(type, reach)
    }),
  ).toBe(130)
  edit()
  return stage.host(20)
}

const WAYS: Way[] = [
  {
    name: 'at its limit',
    b: 'fresh',
    async go(stage, edit) {
      expect(await stage.host(2)).toBe(1)
      edit()
      return stage.host(20)
    },
  },
  {
    name: 'paused',
    b: 'fresh',
    go: (stage, edit) =>
      stage.host(20, (event, { send }) => {
        if (event.type === 'applied' && event.id === 2) send({ type: 'pause' })
        if (event.type === 'control' && event.hold === 'pause')
          setTimeout(() => {
            edit()
            send({ type: 'resume' })
          }, 20)
      }),
  },
  {
    name: 'waiting',
    b: 'fresh',
    third: 'exit 1',
    trouble: 'error',
    go: (stage, edit) =>
      stage.host(20, ({ type }, { send }) => {
        if (type !== 'waiting') return
        edit()
        send({ type: 'retry' })
      }),
  },
  {
    name: 'stopped while it works on B',
    b: 'fresh',
    third: 'touch ../there; sleep 60',
    trouble: 'interrupted',
    go: (stage, edit) =>
      afterStop(stage, edit, (type, { atOnce }) => {
        if (type !== 'spawned') return
        const looking = setInterval(() => {
          if (!existsSync(join(stage.root, 'there'))) return
          clearInterval(looking)
          atOnce()
        }, 10)
      }),
  },
  {
    name: 'stopped while B is checked',
    b: 'submitted',
    go: (stage, edit) =>
      afterStop(stage, edit, (type, { atOnce }) => {
        if (type === 'checking') atOnce()
      }),
  },
]

/** Every second one is in a repository: each way and each edit is there with git and without, in half of the time. */
const isInGit = (way: Way, edit: Edit) => (WAYS.indexOf(way) + EDITS.indexOf(edit)) % 2 === 0

describe.each(WAYS)('while a story loop is $name', way => {
  it.each(EDITS)('a person $name: file, journal, agents and archive agree', async edit => {
    const stage = hostStories({
      git: isInGit(way, edit),
      stories: [story('A'), story('B'), story('C')],
      verify: ['true'],
      calls: [null, null, way.third ?? null],
      always: null,
    })
    let seen = 0
    const byHand = () => {
      seen = stage.seen().length
      stage.put(edit.edit(stage.file()))
    }
    expect(await way.go(stage, byHand)).toBe(0)
    expect(stage.journal().filter(e => e.type === 'settled' && e.end !== 'ok')).toMatchObject(
      way.trouble ? [{ id: 3, end: way.trouble }] : [],
    )
    const calls = stage.seen().slice(seen)
    expect(calls.map(({ mode, id }) => `${mode} ${id}`).join(', ')).toBe(edit[way.b])
    const ids = [...(edit.ids ?? 'ABC')]
    for (const { file } of [...calls, { file: stage.file() }])
      expect(file.userStories.map(({ id }) => id)).toEqual(ids)
    const { tasks, state } = stage.folded()
    expect(tasks.map(({ id }) => id)).toEqual(ids)
    for (const id of ids)
      expect([id, state.taskStates[id]?.stage, stage.story(id).passes]).toEqual([id, 'done', true])
    expect(stage.warned()).toEqual([])
    expect(stage.journal().filter(e => e.type === 'edited' && e.by === 'person')).toHaveLength(
      edit.name === 'does nothing' ? 0 : 1,
    )
    edit.expect?.(stage, calls)
    expect((await stage.ralph('archive')).code).toBe(0)
  })
})

describe('before the first iteration', () => {
  const beginWith = async (edit: (file: StoriesFile) => StoriesFile) => {
    const stage = hostStories({
      stories: [story('A', { passes: true, reviewStatus: 'approved' }), story('B')],
    })
    const code = await stage.host(2, ({ type }) => {
      if (type === 'began') stage.put(edit(stage.file()))
    })
    return { stage, code }
  }

  it('a person’s edit counts, however short ago ralph read the file', async () => {
    const { stage, code } = await beginWith(change('B', BY_HAND))
    expect([code, stage.seen()]).toEqual([0, []])
    expect(stage.folded().state.taskStates.B).toMatchObject({ why: 'completed by a person' })
  })

  it('the file is made as it should be, though nobody edited it', async () => {
    const { stage, code } = await beginWith(file => file)
    expect(code).toBe(0)
    expect(stage.seen().map(({ mode, id }) => `${mode} ${id}`)).toEqual(['implement B', 'review B'])
    expect(stage.seen()[0]!.file.userStories[0]!.notes).toBe('No notes were left.')
    expect(stage.journal().filter(e => e.type === 'edited')).toHaveLength(1)
  })

  it('the journal keeps the stories once, and not their text', async () => {
    const { stage } = await beginWith(file => file)
    const began = stage.journal().find(e => e.type === 'began')
    expect(began?.pins).toMatchObject({ file: { userStories: [{ id: 'A' }, { id: 'B' }] } })
    expect(began?.pins).not.toHaveProperty('source')
  })
})
