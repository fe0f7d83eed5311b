import { describe, expect, it } from 'vitest'
import type { Outcome } from '../../src/core/events.ts'
import { moveOf } from '../../src/core/settle.ts'
import { buildTable } from '../../src/workflows/build/table.ts'
import { pipelineTable } from '../../src/workflows/pipeline/table.ts'
import { runTable } from '../../src/workflows/run/spec.ts'
import { doneByPerson } from '../../src/workflows/shared/list-edit.ts'
import { storiesTable } from '../../src/workflows/stories/table.ts'
import { green, LIMITS, ok, play, red, task, trouble, unsure } from './play.ts'

const submit = ok({ signal: true, findings: [green] })
const reject = ok({ verdict: 'reject', note: 'no tests', findings: [green] })
const approve = ok({ verdict: 'approve', findings: [green] })

describe('a check that could not decide', () => {
  const undecided = ok({ signal: true, findings: [green, { ...unsure, undecided: true }] })

  const statesAfter = (outcomes: Outcome[]) => {
    const run = play(runTable(), [task('a')])
    return outcomes.map(outcome => run.land(run.begin().id, outcome).state)
  }

  it('spends no try, and leaves the task for a person after three times in a row', () => {
    const states = statesAfter([undecided, undecided, undecided])
    expect(states.map(({ stage, tries }) => [stage, tries])).toEqual([
      ['work', 0],
      ['work', 0],
      ['blocked', 0],
    ])
    expect(states[2]!.why).toContain('no check could decide 3 times in a row')
  })

  it('counts anew after one that could, and never hides a red one', () => {
    const red2 = ok({ findings: [red, { ...unsure, undecided: true }] })
    const states = statesAfter([undecided, undecided, red2, undecided])
    expect(states.map(({ stage, tries }) => [stage, tries])).toEqual([
      ['work', 0],
      ['work', 0],
      ['work', 1],
      ['work', 1],
    ])
  })
})

it('a stage begins again with all its tries if a person wants another answer', () => {
  const run = play(buildTable(), [task('plan', { first: 'decompose' })])
  expect(run.step(ok({ findings: [{ ...red, note: 'no list' }] })).state.tries).toBe(1)
  for (let i = 0; i < 4; i++)
    expect(run.step(ok({ findings: [{ ...unsure, anew: true }] }))).toMatchObject({
      move: 'more',
      state: { stage: 'decompose', tries: 0 },
    })
})

describe('an iteration that ended well', () => {
  const { work } = runTable().stages
  const { work: untilGreen } = runTable({ untilGreen: true }).stages
  const { review } = storiesTable().stages
  const { qa } = pipelineTable().stages
  const build = buildTable().stages.work!
  it.each([
    ['no signal', work!, ok(), 'more'],
    ['a signal', work!, ok({ signal: true }), 'pass'],
    ['a signal with a red check', work!, ok({ signal: true, findings: [red] }), 'fail'],
    ['a signal with an unsure check', work!, ok({ signal: true, findings: [green, unsure] }), 'more'],
    ['a verdict where none is asked for', work!, ok({ verdict: 'reject' }), 'more'],
    ['green checks where they are the condition', untilGreen!, ok({ findings: [green] }), 'pass'],
    ['a red check where green ones are the condition', untilGreen!, ok({ findings: [red] }), 'fail'],
    ['green checks where they are all', build, ok({ findings: [green] }), 'pass'],
    ['a question', build, ok({ findings: [red], asks: 'which?' }), 'ask'],
    ['a question where nobody is asked', work!, ok({ signal: true, asks: 'which?' }), 'pass'],
    ['no verdict', review!, ok({ signal: true }), 'more'],
    ['an approval', review!, approve, 'pass'],
    ['an approval with a red check', review!, ok({ verdict: 'approve', findings: [red] }), 'reject'],
    ['an approval with an unsure check', review!, ok({ verdict: 'approve', findings: [unsure] }), 'more'],
    ['a rejection with an unsure check', review!, ok({ verdict: 'reject', findings: [unsure] }), 'reject'],
    ['a rejection by a later role', qa!, reject, 'reject'],
    [
      'a rejection by a later role because of a red check',
      qa!,
      ok({ verdict: 'reject', findings: [red] }),
      'reject',
    ],
    ['a red check at a later role', qa!, ok({ signal: true, findings: [red] }), 'reject'],
    ['an opinion at a later role', qa!, ok({ signal: true, findings: [{ ...red, opinion: true }] }), 'fail'],
    [
      'an opinion beside a red check',
      qa!,
      ok({ signal: true, findings: [{ ...red, opinion: true }, red] }),
      'reject',
    ],
    [
      'an opinion where no try can be spent on it',
      review!,
      ok({ verdict: 'approve', findings: [{ ...red, opinion: true }] }),
      'reject',
    ],
  ])('with %s', (_, stage, outcome, move) => {
    expect(moveOf(stage, outcome)).toBe(move)
  })
})

describe('an agent that finds nothing more to do', () => {
  const idle = ok({ findings: [green], changed: false })
  const decisionAfter = (...outcomes: Outcome[]) => {
    const run = play(runTable({ unchanged: 2 }), [task('prompt')])
    for (const outcome of outcomes) run.step(outcome)
    return run.decide()
  }

  it('is done after two iterations in a row, verified, and the run says why', () => {
    expect(decisionAfter(idle)).toMatchObject({ type: 'work' })
    expect(decisionAfter(idle, idle)).toMatchObject({
      result: 'complete',
      proof: 'verified',
      why: 'the agent found nothing more to do',
    })
  })

  it.each<[string, Outcome]>([
    ['that changes something', ok({ findings: [green] })],
    ['with a red check', ok({ findings: [red], changed: false })],
    ['with a check that is unsure', ok({ findings: [green, unsure], changed: false })],
    ['without a check', ok({ changed: false })],
    ['with nothing but a claim', ok({ findings: [{ ...green, claim: true }], changed: false })],
    ['whose tools were refused', ok({ findings: [green], changed: false, denials: 1 })],
  ])('begins to count anew after one %s', (_, other) => {
    expect(decisionAfter(idle, other)).toMatchObject({ type: 'work' })
    expect(decisionAfter(idle, other, idle)).toMatchObject({ type: 'work' })
    expect(decisionAfter(idle, other, idle, idle)).toMatchObject({ result: 'complete' })
  })

  it('goes on through trouble of the agent, which is no iteration that ended well', () => {
    expect(decisionAfter(idle, trouble('error'), idle)).toMatchObject({ result: 'complete' })
  })

  it('is done as claimed if something casts doubt on the checks', () => {
    const doubt = { check: 'tests', verdict: 'pass', note: '', doubts: ['a test was skipped'] } as const
    const doubtful = ok({ findings: [green, { ...doubt, doubts: ['a test was skipped'] }], changed: false })
    expect(decisionAfter(doubtful, doubtful)).toMatchObject({
      result: 'complete',
      proof: 'claimed',
      why: 'tests: a test was skipped',
    })
  })

  it('works on where its signal is the only condition', () => {
    const run = play(runTable(), [task('prompt')])
    for (let i = 0; i < 5; i++) run.step(idle)
    expect(run.decide()).toMatchObject({ type: 'work' })
  })
})

describe('a build', () => {
  it('puts a bug fix right behind a task that failed, and the task waits for it', () => {
    const run = play(buildTable(), [task('#2'), task('#3'), task('#4', { blockedBy: ['#3'] })])
    run.step(ok({ findings: [green] }))
    run.step(ok({ findings: [{ check: 'test', verdict: 'fail', note: 'rate limiter crashes\nstack' }] }))
    expect(run.tasks.map(t => [t.id, t.title, t.blockedBy])).toEqual([
      ['#2', 'Do #2', []],
      ['#3', 'Do #3', ['#3-bug-1']],
      ['#3-bug-1', 'Fix: rate limiter crashes', []],
      ['#4', 'Do #4', ['#3']],
    ])
    expect(run.tasks[2]).toMatchObject({ active: 'Fixing rate limiter crashes', parent: '#3', first: 'fix' })
    expect(run.step(ok({ findings: [green] })).task).toBe('#3-bug-1')
    expect(run.step(ok({ findings: [green] })).task).toBe('#3')
    expect(run.step(ok({ findings: [green] })).task).toBe('#4')
    expect(run.decide()).toMatchObject({ result: 'complete', proof: 'verified' })
  })

  it('that stays red ends, though every exit is 0 and the tree changes all the time', () => {
    const run = play(buildTable(), [task('#1')])
    let steps = 0
    while (run.decide().type !== 'finish') {
      // Fixes look green, the task never is.
      const fix = run.begin()
      run.land(fix.id, ok({ findings: [fix.stage === 'fix' ? green : red], changed: true }))
      expect(++steps).toBeLessThan(10)
    }
    expect(steps).toBe(7)
    expect(run.decide()).toMatchObject({
      result: 'blocked',
      why: expect.stringContaining('still red after 3 bug fixes: npm test'),
    })
  })

  it('gives a fix three tries and no bug fix of its own', () => {
    const run = play(buildTable(), [task('#1')])
    for (let i = 0; i < 4; i++) run.step(ok({ findings: [red] }))
    expect(run.tasks.map(t => t.id)).toEqual(['#1', '#1-bug-1'])
    expect(run.at('#1-bug-1')).toMatchObject({
      stage: 'blocked',
      why: 'all tries at fixing are used: 2 tests failed',
    })
    expect(run.decide()).toMatchObject({
      why: '#1 waits for #1-bug-1; #1-bug-1: all tries at fixing are used: 2 tests failed',
    })
  })

  it('makes no bug fix of trouble that is the agent’s own', () => {
    const run = play(buildTable(), [task('#1')])
    for (const end of ['error', 'timeout', 'empty', 'inactive', 'interrupted'] as const)
      run.step(trouble(end))
    run.step({ end: 'limited', note: '' })
    expect(run.tasks).toHaveLength(1)
    expect(run.at('#1')).toMatchObject({ stage: 'work', bugs: 0, tries: 1 })
  })

  it('leaves a task that asks to a person and goes on with others', () => {
    const run = play(buildTable(), [task('#1'), task('#2')])
    expect(run.step(ok({ asks: 'Which database?' })).move).toBe('ask')
    expect(run.at('#1')).toMatchObject({ stage: 'blocked', why: 'Which database?' })
    expect(run.step(ok()).task).toBe('#2')
    expect(run.decide()).toMatchObject({ result: 'blocked', why: '#1: Which database?' })
  })

  it('keeps the question of a task that is stuck as well', () => {
    const run = play(buildTable(), [task('#1', { first: 'fix' })])
    const still = ok({ findings: [red], changed: false })
    run.step(still)
    run.step(still)
    run.step({ ...still, asks: 'Which key?' })
    expect(run.at('#1').why).toBe('Which key?')
  })

  it('is decomposed into tasks by a plan that passed, not by one that failed', () => {
    const run = play(buildTable(), [task('plan', { first: 'decompose' })])
    run.step(ok({ findings: [red], yields: [task('#9')] }))
    expect(run.tasks).toHaveLength(1)
    run.step(ok({ findings: [green], yields: [task('#1'), task('#2')] }))
    expect(run.tasks.map(t => t.id)).toEqual(['plan', '#1', '#2'])
  })

  it('numbers the bug fixes of a reopened task on', () => {
    const run = play(buildTable(), [task('#1')])
    run.step(ok({ findings: [red] }))
    run.step(ok({ findings: [green] }))
    run.record({ type: 'edited', at: 0, by: 'person', state: { '#1': { ...run.at('#1'), bugs: 0 } } })
    run.step(ok({ findings: [red] }))
    expect(run.tasks.map(t => t.id)).toEqual(['#1', '#1-bug-2', '#1-bug-1'])
  })

  it('brings side branches in by a merge, and gives a conflict to an agent so many times', () => {
    const run = play(buildTable({ parallel: 2 }), [task('#1')])
    run.step(ok({ findings: [green] }))
    const conflict = ok({
      findings: [{ check: 'merge', verdict: 'fail', note: 'conflict in a.ts' }],
      changed: false,
    })
    for (let i = 0; i < 3; i++) {
      expect(run.step(conflict)).toMatchObject({ stage: 'merge', state: { stage: 'resolve' } })
      expect(run.step(ok({ findings: [green] }))).toMatchObject({
        stage: 'resolve',
        state: { stage: 'merge' },
      })
    }
    expect(run.step(conflict).state).toMatchObject({
      stage: 'blocked',
      why: 'came to resolve more than 3 times: conflict in a.ts',
    })
    expect(run.state.n).toBe(4)
  })
})

describe('a story', () => {
  it('goes from work to review to fix to review to done, every review counted', () => {
    const run = play(storiesTable(), [task('A')])
    run.step(submit)
    run.step(reject)
    expect(run.at('A')).toMatchObject({
      stage: 'fix',
      rounds: 1,
      lastRed: [{ check: 'review', note: 'no tests' }],
    })
    run.step(submit)
    run.step(approve)
    expect(run.at('A')).toMatchObject({ stage: 'done', rounds: 2, proof: true, lastRed: [] })
  })

  it('keeps what the reviewer said until it is submitted again', () => {
    const run = play(storiesTable(), [task('A')])
    run.step(submit)
    run.step(reject)
    run.step(ok({ findings: [red] }))
    run.step(ok({ findings: [green] }))
    expect(run.at('A').lastRed.map(f => f.note)).toEqual(['no tests'])
    run.step(submit)
    expect(run.at('A').lastRed).toEqual([])
  })

  it('is approved at the cap, which proves nothing', () => {
    const run = play(storiesTable({ cap: 1 }), [task('A')])
    run.step(submit)
    expect(run.step(reject)).toMatchObject({
      move: 'capped',
      state: { stage: 'done', proof: false, why: 'approved at the cap', lastRed: [{ note: 'no tests' }] },
    })
    expect(run.decide()).toMatchObject({ result: 'complete', proof: 'claimed' })
  })

  it('is left for a person at the cap if it was so decided', () => {
    const run = play(storiesTable({ cap: 1, atCap: 'block' }), [task('A')])
    run.step(submit)
    expect(run.step(reject).state).toMatchObject({ stage: 'blocked', why: 'sent back 1 time: no tests' })
  })

  it('is never let through at the cap with a red check', () => {
    const run = play(storiesTable({ cap: 1 }), [task('A')])
    run.step(submit)
    expect(run.step(ok({ verdict: 'reject', note: 'no', findings: [red] })).state.stage).toBe('blocked')
    const other = play(storiesTable({ cap: 1 }), [task('A')])
    other.step(submit)
    expect(other.step(ok({ verdict: 'approve', findings: [red] })).state.stage).toBe('blocked')
  })

  it('without reviews is done when it is submitted with green checks', () => {
    const run = play(storiesTable({ skip: true }), [task('A')])
    expect(run.step(ok({ signal: true, findings: [red] })).state.stage).toBe('implement')
    expect(run.step(submit).state.stage).toBe('done')
  })
})

describe('a pipeline', () => {
  it('sends work back so many times and then leaves it to a person', () => {
    const run = play(pipelineTable({ roles: ['coder', 'reviewer'], rounds: 2 }), [task('1')])
    for (let i = 0; i < 2; i++) {
      run.step(submit)
      expect(run.step(reject).state.stage).toBe('coder')
    }
    run.step(submit)
    expect(run.step(reject).state).toMatchObject({ stage: 'blocked', why: 'sent back 3 times: no tests' })
  })

  it('gives a task its own number of tries', () => {
    const run = play(pipelineTable(), [task('1', { tries: { coder: 2 } }), task('2')])
    run.step(ok())
    expect(run.step(ok()).state).toMatchObject({ stage: 'blocked', why: 'all tries at coding are used' })
    for (let i = 0; i < 15; i++) run.step(ok())
    expect(run.at('2').stage).toBe('blocked')
  })
})

describe('trouble', () => {
  it('is waited out 1, 2, 4 … s, and a silence that changed something is none', () => {
    const run = play(runTable(), [task('p')])
    const pauses = [1, 2, 3, 4].map(() => run.step(trouble('error')).patch.notBefore! - run.now)
    expect(pauses).toEqual([1000, 2000, 4000, 8000])
    // Silence is no failure, and no reason to wait.
    expect(run.step(trouble('inactive', true)).patch).toEqual({ n: 5, silent: 0, limitedSince: null })
    expect(run.step(trouble('inactive')).patch).toEqual({ n: 6, silent: 1, limitedSince: null })
    expect(run.state.streaks).toEqual({ p: { a: { failures: 4, empties: 0, silent: 1 } } })
  })

  it('of empty answers costs nothing twice, then an iteration and a failure', () => {
    const run = play(runTable(), [task('p')])
    const patches = [1, 2, 3, 4].map(() => run.step(trouble('empty')).patch)
    expect(patches.map(({ n, failures }) => [n, failures])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
      [1, 1],
      [2, 2],
    ])
    expect(run.state).toMatchObject({ n: 2, streaks: { p: { a: { failures: 2 } } } })
  })

  it('of silence spends a try, and five in a row without a change end the run', () => {
    const run = play(runTable(), [task('p')])
    for (let i = 0; i < 5; i++) expect(run.step(trouble('inactive')).move).toBe('more')
    expect(run.decide()).toMatchObject({
      result: 'inactive',
      why: '5 iterations in a row fell silent and changed nothing',
    })
    const build = play(buildTable(), [task('#1')])
    for (let i = 0; i < 5; i++) build.step(trouble('inactive', true))
    expect(build.at('#1')).toMatchObject({ stage: 'blocked', why: 'all tries at work are used' })
  })

  it('of interruptions costs nothing; three in a row block the task', () => {
    const run = play(buildTable(), [task('#1'), task('#2')])
    run.step(trouble('interrupted'))
    run.step(trouble('interrupted'))
    run.step({ end: 'interrupted', note: '', changed: false, byUser: true })
    expect(run.at('#1')).toMatchObject({ stage: 'work', crashes: 2, interrupted: true })
    run.step(trouble('error'))
    expect(run.at('#1')).toMatchObject({ crashes: 0, interrupted: false })
    for (let i = 0; i < 3; i++) run.step(trouble('interrupted'))
    expect(run.at('#1')).toMatchObject({ stage: 'blocked', why: 'interrupted 3 times in a row' })
    expect(run.state.n).toBe(1)
    expect(run.decide()).toMatchObject({ task: { id: '#2' } })
  })

  it('does not undo what a person decided meanwhile', () => {
    const run = play(buildTable(), [task('#1'), task('#2')], { ...LIMITS, crashes: 1 })
    const step = run.begin()
    run.record({ type: 'edited', at: 0, by: 'person', state: { '#1': doneByPerson(run.at('#1')) } })
    run.land(step.id, trouble('interrupted'))
    expect(run.at('#1')).toMatchObject({ stage: 'done', why: 'completed by a person' })
    const other = run.begin()
    run.record({ type: 'edited', at: 0, by: 'person', state: { '#2': doneByPerson(run.at('#2')) } })
    expect(run.land(other.id, ok({ findings: [red] }))).toMatchObject({
      move: null,
      add: [],
      state: { stage: 'done' },
    })
  })
})

describe('a task is stuck', () => {
  const still = ok({ findings: [red], changed: false })
  it('after three iterations that change nothing with the same red checks', () => {
    const run = play(runTable(), [task('p')])
    run.step({ ...still, changed: true })
    run.step(still)
    run.step(still)
    run.step({ ...still, findings: [{ ...red, check: 'lint' }] })
    run.step(still)
    run.step(still)
    expect(run.at('p').stage).toBe('work')
    expect(run.step(still)).toMatchObject({ move: 'stuck', state: { stage: 'blocked' } })
  })

  it('not while nothing is red', () => {
    const run = play(runTable(), [task('p')])
    for (let i = 0; i < 9; i++) run.step(ok({ findings: [green], changed: false }))
    expect(run.at('p')).toMatchObject({ stage: 'work', stuck: 0 })
  })

  it('also while a reviewer’s note is carried along', () => {
    const run = play(storiesTable(), [task('A')])
    run.step(submit)
    run.step(reject)
    run.step(still)
    run.step(still)
    expect(run.step(still).move).toBe('stuck')
  })
})

describe('a task is idle', () => {
  const same = ok({ changed: false, said: '20 nothinglefttodo' })

  it('after three iterations that change nothing and say the same, with or without checks', () => {
    for (const findings of [[], [green]]) {
      const run = play(runTable(), [task('p')])
      run.step({ ...same, findings })
      run.step({ ...same, findings })
      expect(run.step({ ...same, findings })).toMatchObject({
        move: 'stuck',
        state: {
          stage: 'blocked',
          why: 'idle: 3 iterations in a row changed nothing and said nothing new',
        },
      })
    }
  })

  it.each([
    ['changes something', { ...same, changed: true }],
    ['says something else', { ...same, said: '21 onetestismissing' }],
    ['says too little to tell', ok({ changed: false })],
    ['has a red check', { ...same, findings: [red] }],
  ])('not if one of them %s', (_, other) => {
    const run = play(runTable(), [task('p')])
    for (const outcome of [same, same, other, same, same]) run.step(outcome)
    expect(run.at('p').stage).toBe('work')
    expect(run.step(same).move).toBe('stuck')
  })

  it('not where every iteration was asked for, whatever the agent says', () => {
    const run = play(runTable({ response: null, pattern: null }), [task('p')])
    for (let i = 0; i < 9; i++) run.step(same)
    expect(run.at('p').stage).toBe('work')
  })

  it('not where finding nothing more to do is enough', () => {
    const run = play(runTable({ unchanged: 2 }), [task('p')])
    run.step({ ...same, findings: [green] })
    expect(run.step({ ...same, findings: [green] }).move).toBe('pass')
  })
})

describe('proof', () => {
  const roles = pipelineTable({ roles: ['coder', 'reviewer'] })
  const proven = () => {
    const run = play(roles, [task('1')])
    run.step(submit)
    expect(run.at('1').proof).toBe(true)
    return run
  }
  it.each([
    ['an unchanged tree', ok({ changed: false }), true],
    ['a change without checks', ok(), false],
    ['a change with green checks', ok({ findings: [green] }), true],
    ['a check on the agent’s word', ok({ findings: [{ ...green, claim: true }] }), false],
    ['an unsure check', ok({ findings: [green, unsure], changed: false }), false],
    ['silence after a change', trouble('inactive', true), false],
    ['silence without a change', trouble('inactive'), true],
    ['an error after a change', trouble('error', true), false],
    ['an interruption after a change', trouble('interrupted', true), false],
    ['a limit, before which anything may have happened', { end: 'limited', note: '' } as const, false],
  ])('after %s', (_, outcome, proof) => {
    const run = proven()
    run.step(outcome)
    expect(run.at('1').proof).toBe(proof)
  })
})

describe('a finding that casts doubt on green checks', () => {
  const doubt = { ...green, check: 'tests', doubts: ['a.test.js was deleted', 'b.test.js was deleted'] }
  const doubted = ok({ signal: true, findings: [green, doubt] })

  it('lets the stage pass, and the run ends as claimed, with the reason', () => {
    const run = play(runTable(), [task('1')])
    expect(run.step(doubted).move).toBe('pass')
    const why = 'tests: a.test.js was deleted; b.test.js was deleted'
    expect(run.decide()).toEqual({ type: 'finish', result: 'complete', proof: 'claimed', why })
  })

  it('no longer counts once later checks were green without it, also those of another task', () => {
    const run = play(buildTable(), [task('1'), task('2')])
    run.step(doubted)
    run.step(ok({ findings: [green] }))
    expect(run.decide()).toMatchObject({ result: 'complete', proof: 'verified', why: 'complete' })
  })

  it.each([
    ['without checks', ok({ changed: false })],
    ['with a check on the agent’s word', ok({ findings: [{ ...green, claim: true }] })],
    ['in trouble', trouble('error')],
  ])('still counts after an iteration %s', (_, outcome) => {
    const run = play(pipelineTable({ roles: ['coder', 'reviewer'] }), [task('1')])
    run.step(doubted)
    run.step(outcome)
    expect(run.state.doubts).toEqual({ '': [doubt] })
  })

  it('is no evidence itself', () => {
    const run = play(runTable(), [task('1')])
    run.step(ok({ signal: true, findings: [doubt] }))
    expect(run.at('1').proof).toBe(false)
  })

  it.each([
    ['is replaced by another', [green, { ...green, check: 'tests', doubts: ['c.test.js was deleted'] }]],
    ['is gone', [green]],
  ])('leaves alone that a commit failed, when it %s', (_, findings) => {
    const run = play(buildTable(), [task('1'), task('2')])
    const { id } = run.step(doubted)
    run.record({ type: 'doubted', at: 0, id, check: 'commit', why: 'git commit failed' })
    run.step(ok({ findings }))
    const found = findings.filter(finding => 'doubts' in finding)
    expect(run.state.doubts['']).toEqual([...found, expect.objectContaining({ check: 'commit' })])
    expect(run.decide()).toMatchObject({ result: 'complete', proof: 'claimed' })
  })

  it('counts in the folder it was found in, whatever checks of another folder say', () => {
    const run = play(buildTable(), [task('1'), task('2')])
    run.step(doubted, 'a')
    run.step(ok({ findings: [green] }), 'b')
    expect(run.decide()).toMatchObject({ result: 'complete', proof: 'claimed' })
  })
})
