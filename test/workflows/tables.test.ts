import { describe, expect, it } from 'vitest'
import type { StageTable } from '../../src/core/table.ts'
import { buildTable as build } from '../../src/workflows/build/table.ts'
import { maySendBack, mayWrite, pipelineTable, sendsBackTo } from '../../src/workflows/pipeline/table.ts'
import { runTable } from '../../src/workflows/run/spec.ts'
import { isMerging, merging } from '../../src/workflows/shared/merging.ts'
import { green, ok, play, red, task } from '../core/play.ts'

const submit = ok({ signal: true, findings: [green] })

/** Every way on is a stage of the table, or an end. */
function expectWhole({ first, stages, order = [] }: StageTable): void {
  const names = Object.keys(stages)
  expect(names).toContain(first)
  for (const name of order) expect(names).toContain(name)
  for (const { on } of Object.values(stages))
    for (const target of Object.values(on)) expect([...names, 'done', 'blocked', 'bugfix']).toContain(target)
}

describe('the table of a run', () => {
  const work = {
    tries: Number.POSITIVE_INFINITY,
    on: { pass: 'done', more: 'work', fail: 'work', spent: 'blocked' },
  }

  it.each<[string, Parameters<typeof runTable>[0], object]>([
    ['without a condition of its own', undefined, { ...work, ends: 'signal' }],
    ['with a response', { response: 'DONE', pattern: null }, { ...work, ends: 'signal' }],
    ['with a pattern', { response: null, pattern: '^done' }, { ...work, ends: 'signal' }],
    [
      'with no way to say done',
      { response: null, pattern: null },
      { ...work, ends: 'signal', repeats: true },
    ],
    [
      'that is over once green',
      { response: null, pattern: null, untilGreen: true },
      { ...work, ends: 'checks' },
    ],
    ['that may find nothing more', { unchanged: 2 }, { ...work, ends: 'signal', passesUnchanged: 2 }],
  ])('%s has one stage', (_, condition, stage) => {
    const table = runTable(condition)
    expect(table).toEqual({
      name: 'run',
      first: 'work',
      width: 1,
      rounds: 0,
      bugs: 0,
      stages: { work: stage },
    })
    expectWhole(table)
  })
})

describe('the table of a build', () => {
  const table = build()

  it('plans first, then works and mends', () => {
    expectWhole(table)
    expect(table).toMatchObject({
      name: 'build',
      first: 'work',
      width: 1,
      rounds: 0,
      bugs: 3,
      bugStage: 'fix',
    })
    const rows = Object.entries(table.stages)
    expect(rows.map(([name, s]) => [name, s.role, s.title, s.listed, s.ends, s.tries])).toEqual([
      ['refine', 'planner', 'making the goal clear', false, 'signal', 2],
      ['decompose', 'planner', 'making the list', false, 'checks', 2],
      ['work', undefined, undefined, undefined, 'checks', 5],
      ['fix', undefined, 'fixing', undefined, 'checks', 3],
    ])
  })

  it.each<[string, object]>([
    ['refine', { pass: 'decompose', more: 'refine', fail: 'refine', spent: 'decompose' }],
    ['decompose', { pass: 'done', more: 'decompose', fail: 'decompose', spent: 'blocked' }],
    ['work', { pass: 'done', more: 'work', fail: 'bugfix', ask: 'blocked', spent: 'blocked' }],
    ['fix', { pass: 'done', more: 'fix', fail: 'fix', ask: 'blocked', spent: 'blocked' }],
  ])('leads from %s on', (name, on) => {
    expect(table.stages[name]!.on).toEqual(on)
  })

  it('merges at the end if tasks run side by side', () => {
    const side = build({ parallel: 2, bugs: 1 })
    expectWhole(side)
    expect([side.width, side.bugs, side.stages.work!.on.pass]).toEqual([2, 1, 'merge'])
    // A bug fix works on the branch of its task, which is merged later.
    expect(side.stages.fix!.on.pass).toBe('done')
  })

  it('orders its stages only where something is merged: that comes first', () => {
    expect(table).not.toHaveProperty('order')
    const order = ['resolve', 'merge', 'refine', 'decompose', 'fix', 'work']
    expect(build({ parallel: 2 }).order).toEqual(order)
    expect(build({ isOnBranches: true })).toMatchObject({ width: 1, order })
  })
})

describe('the table of a pipeline', () => {
  it('has the four roles of the document, each with its tries and its words', () => {
    const table = pipelineTable()
    expectWhole(table)
    expect(table).toMatchObject({ name: 'pipeline', first: 'coder', width: 1, rounds: 4, bugs: 0 })
    expect(table.order).toEqual(['qa', 'tester', 'reviewer', 'coder'])
    expect(
      Object.entries(table.stages).map(([name, s]) => [name, s.role, s.title, s.tries, s.on.pass]),
    ).toEqual([
      ['coder', 'coder', 'coding', 15, 'reviewer'],
      ['reviewer', 'reviewer', 'reviewing', 5, 'tester'],
      ['tester', 'tester', 'testing', 10, 'qa'],
      ['qa', 'qa', 'validating', 5, 'done'],
    ])
  })

  it('lets all but the first role send work back, and those that do not write by a red check too', () => {
    const rows = Object.values(pipelineTable().stages).map(s => [
      s.ends,
      s.rejects,
      s.failed,
      s.on.reject,
      s.on.capped,
    ])
    expect(rows).toEqual([
      ['signal', undefined, undefined, undefined, undefined],
      ['signal', true, 'reject', 'coder', 'blocked'],
      ['signal', true, undefined, 'coder', 'blocked'],
      ['signal', true, 'reject', 'coder', 'blocked'],
    ])
    for (const [role, { on }] of Object.entries(pipelineTable().stages))
      expect(on).toMatchObject({ more: role, fail: role, ask: 'blocked', spent: 'blocked' })
  })

  it('takes roles of one’s own, which loop ten times unless told otherwise', () => {
    const { first, stages } = pipelineTable({ roles: ['writer', 'editor'], tries: { editor: 2 }, rounds: 0 })
    expect([first, stages.writer!.title, stages.writer!.tries, stages.editor!.tries]).toEqual([
      'writer',
      'writer',
      10,
      2,
    ])
    expect(stages.editor).toMatchObject({ rejects: true, on: { pass: 'done', reject: 'writer' } })
    expect(pipelineTable({ roles: [] }).first).toBe('coder')
  })

  it('lets a red check go back from those who only read, and from nobody else', () => {
    const failing = (more: Parameters<typeof pipelineTable>[0]) =>
      Object.entries(pipelineTable(more).stages).flatMap(([name, { failed }]) =>
        failed ? [`${name} ${failed}`] : [],
      )
    expect(failing({ roles: ['writer', 'editor'] })).toEqual([])
    expect(failing({ roles: ['writer', 'editor'], readers: ['writer', 'editor'] })).toEqual(['editor reject'])
    expect(failing({})).toEqual(['reviewer reject', 'qa reject'])
  })

  it('merges at the end if tasks run side by side', () => {
    const table = pipelineTable({ roles: ['coder'], parallel: 2 })
    expectWhole(table)
    expect([table.width, table.stages.coder!.on.pass]).toEqual([2, 'merge'])
    expect(table.order).toEqual(['resolve', 'merge', 'coder'])
    expect(pipelineTable({ roles: ['coder'], isOnBranches: true })).toEqual({ ...table, width: 1 })
  })

  it('finishes a task before the next one begins, and gives a red check to the one who wrote', () => {
    const run = play(pipelineTable({ roles: ['coder', 'reviewer', 'tester'] }), [task('1'), task('2')])
    const step = (outcome: Parameters<typeof run.step>[0]) => run.step(outcome).state.stage
    expect(step(submit)).toBe('reviewer')
    expect(step(ok({ findings: [red] }))).toBe('coder')
    expect([step(submit), step(submit)]).toEqual(['reviewer', 'tester'])
    expect(step(ok({ findings: [red] }))).toBe('tester')
    expect(step(submit)).toBe('done')
    expect(run.begin().task).toBe('2')
  })
})

describe('merging', () => {
  it('goes to an agent with a conflict, and to a person after three', () => {
    const { stages } = merging(true)
    expect(stages).toEqual({
      merge: {
        by: 'ralph',
        title: 'merging',
        alone: 'merge',
        ends: 'checks',
        tries: 5,
        on: { pass: 'done', more: 'merge', fail: 'resolve', ask: 'blocked', spent: 'blocked' },
      },
      resolve: {
        alone: 'merge',
        role: 'coder',
        title: 'resolving',
        ends: 'checks',
        tries: 2,
        visits: 3,
        on: { pass: 'merge', more: 'resolve', fail: 'resolve', ask: 'blocked', spent: 'blocked' },
      },
    })
    expect(Object.keys(stages).every(isMerging)).toBe(true)
    expect(['coder', 'work', 'done'].some(isMerging)).toBe(false)
  })

  it('has no stages where tasks have no branches', () => {
    expect(merging(false)).toEqual({ after: 'done', order: [], stages: {} })
  })
})

describe('the roles of a pipeline', () => {
  it.each<[string[], string, string[]]>([
    [['coder', 'reviewer', 'qa'], 'coder', ['reviewer', 'qa']],
    [['architect', 'coder', 'reviewer'], 'coder', ['reviewer']],
    [['writer', 'editor'], 'writer', ['editor']],
    [[], 'coder', []],
  ])('%j send work back to %s, and only later ones do: %j', (roles, to, senders) => {
    expect(sendsBackTo(roles)).toBe(to)
    expect(roles.filter(role => maySendBack(roles, role))).toEqual(senders)
  })

  it('write unless they are known as readers, or somebody says otherwise', () => {
    const names = ['coder', 'reviewer', 'tester', 'qa', 'other']
    expect(names.filter(name => mayWrite({ name }))).toEqual(['coder', 'tester', 'other'])
    expect([mayWrite({ name: 'qa', writes: true }), mayWrite({ name: 'coder', writes: false })]).toEqual([
      true,
      false,
    ])
  })
})
