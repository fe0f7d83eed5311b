import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../../src/core/events.ts'
import { nameProblem, randomName } from '../../../src/workers/rules/names.ts'
import {
  isAtWork,
  type KnownOfWorker,
  type WorkerPhase,
  workerPhase,
} from '../../../src/workers/rules/phase.ts'
import { evolveState, firstState, readEdit, type WorkerState } from '../../../src/workers/rules/state.ts'
import { LIMITS } from '../../core/play.ts'

describe('state.json', () => {
  const facts = {
    worker_name: 'w',
    prompt_file: '/p/PROMPT.md',
    done_pattern: 'DONE',
    inactivity_timeout: 60,
  }
  const first = firstState(facts, 5, 0)
  const stateAfter = (...events: object[]) =>
    events.reduce<WorkerState>(
      (state, event) => evolveState(state, { at: 1000, ...event } as unknown as RunEvent),
      first,
    )

  it('begins with what is known', () => {
    expect(first).toEqual({
      ...facts,
      max_iterations: 5,
      current_iteration: 0,
      status: 'running',
      started: '1970-01-01T00:00:00.000Z',
      last_iteration_started: null,
      consecutive_failures: 0,
      total_failures: 0,
    })
  })

  const limits = { ...LIMITS, iterations: 9 }
  const failed = { type: 'settled', end: 'error', patch: { failures: 2 } }
  it.each<[string, object[], object]>([
    [
      'the beginning',
      [{ type: 'began', limits }],
      { started: '1970-01-01T00:00:01.000Z', max_iterations: 9 },
    ],
    ['another limit', [{ type: 'limits', limits }], { max_iterations: 9, status: 'running' }],
    [
      'an iteration',
      [{ type: 'started', n: 3 }],
      { current_iteration: 3, last_iteration_started: '1970-01-01T00:00:01.000Z' },
    ],
    ['a failure', [failed, failed], { consecutive_failures: 2, total_failures: 2 }],
    ['a timeout', [{ ...failed, end: 'timeout' }], { consecutive_failures: 2, total_failures: 1 }],
    ['an empty answer', [{ ...failed, end: 'empty' }], { consecutive_failures: 2, total_failures: 1 }],
    [
      'a silence',
      [failed, { type: 'settled', end: 'inactive', patch: {} }],
      { consecutive_failures: 2, total_failures: 1 },
    ],
    [
      'success',
      [failed, { type: 'settled', end: 'ok', patch: { failures: 0 } }],
      { consecutive_failures: 0, total_failures: 1 },
    ],
    ['a pause', [{ type: 'control', hold: 'pause' }], { status: 'paused' }],
    [
      'its end',
      [
        { type: 'control', hold: 'pause' },
        { type: 'control', hold: null },
      ],
      { status: 'running' },
    ],
    ['an interruption', [{ type: 'stopped', why: 'interrupted' }], { status: 'paused' }],
    ['trouble of its own', [{ type: 'stopped', why: 'the disk is full' }], { status: 'failed' }],
    ['completion', [{ type: 'finished', result: 'complete' }], { status: 'stopped' }],
    ['the limit', [{ type: 'finished', result: 'exhausted' }], { status: 'stopped' }],
    ['cancel', [{ type: 'finished', result: 'cancelled' }], { status: 'stopped' }],
    ['failure', [{ type: 'finished', result: 'failed' }], { status: 'failed' }],
    [
      'resume',
      [failed, { type: 'finished', result: 'failed' }, { type: 'resumed', limits }],
      { status: 'running', consecutive_failures: 0, total_failures: 1, max_iterations: 9 },
    ],
    [
      'a new beginning',
      [
        { type: 'stopped', why: 'x' },
        { type: 'began', limits },
      ],
      { started: '1970-01-01T00:00:01.000Z', max_iterations: 9 },
    ],
    ['anything else', [{ type: 'spawned' }], {}],
  ])('after %s says so', (_, events, state) => {
    expect(stateAfter(...events)).toEqual({ ...first, ...state })
  })

  it.each<[string, object]>([
    ['{', { error: 'it is not JSON' }],
    ['null', { error: 'it is not JSON' }],
    ['7', { error: 'it is not JSON' }],
    ['[{"worker_name":"w"}]', { error: 'it is not JSON' }],
    ['{}', { error: 'worker_name is missing' }],
    ['{"worker_name":7}', { error: 'worker_name is missing' }],
    ['{"worker_name":"w"}', { maxIterations: undefined }],
    ['{"worker_name":"w","max_iterations":null}', { maxIterations: null }],
    ['{"worker_name":"w","max_iterations":1}', { maxIterations: 1 }],
    ...['0', '-1', '1.5', '"3"', 'true'].map((value): [string, object] => [
      `{"worker_name":"w","max_iterations":${value}}`,
      { error: 'max_iterations must be a whole number of at least 1' },
    ]),
  ])('that a person edited to %s is read', (text, edit) => {
    expect(readEdit(text)).toEqual(edit)
  })
})

describe('a worker', () => {
  const running: KnownOfWorker = {
    supervisor: 'alive',
    isBeingStarted: false,
    hasBegun: true,
    isOpen: true,
    isWaiting: false,
    status: 'running',
  }

  it.each<[WorkerPhase, Partial<KnownOfWorker>, boolean]>([
    ['running', {}, true],
    ['waiting', { isWaiting: true }, true],
    ['paused', { status: 'paused', isWaiting: true }, true],
    ['starting', { supervisor: 'none', isBeingStarted: true, status: null }, true],
    ['starting', { hasBegun: false, status: 'stopped', isOpen: false }, true],
    ['crashed', { supervisor: 'none', status: null }, false],
    ['crashed', { supervisor: 'none' }, false],
    ['crashed', { supervisor: 'dead', hasBegun: false, status: null }, false],
    ['crashed', { supervisor: 'dead' }, false],
    ['crashed', { supervisor: 'dead', isWaiting: true }, false],
    ['crashed', { supervisor: 'dead', status: 'paused' }, false],
    ['paused', { supervisor: 'dead', isOpen: false, status: 'paused' }, false],
    ['stopped', { supervisor: 'dead', isOpen: false, status: 'stopped' }, false],
    ['failed', { supervisor: 'dead', isOpen: false, status: 'failed' }, false],
    ['stopped', { isOpen: false, status: 'stopped' }, false],
  ])('is %s if %j', (phase, more, atWork) => {
    const known = { ...running, ...more }
    expect(workerPhase(known)).toBe(phase)
    expect(isAtWork(phase, known.supervisor)).toBe(atWork)
  })
})

describe('the name of a worker', () => {
  it.each(['a', 'A-1_b', 'x'.repeat(40), '1a', '20260101-1200'])('may be %s', name => {
    expect(nameProblem(name)).toBe(null)
  })

  it.each([
    ['', 'it is empty'],
    ['x'.repeat(41), 'it is longer than 40 characters'],
    ['-a', 'it must begin with a letter or a digit, and have letters, digits, - and _ only'],
    ['a/b', 'it must begin with a letter or a digit, and have letters, digits, - and _ only'],
    ['12', 'it needs a letter, because tmux takes a number for the place of a window'],
    ['20260101-120000-abc', 'it looks like the id of a run'],
  ])('may not be %j', (name, why) => {
    expect(nameProblem(name)).toBe(why)
  })

  it('is chosen anew until it is not taken', () => {
    const random = [0, 0.5, 0.999]
    const taken = ['worker-000', 'worker-i00']
    const name = randomName(
      () => random.shift()!,
      tried => taken.includes(tried),
    )
    expect([name, nameProblem(name)]).toEqual(['worker-zyp', null])
  })
})
