import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../../src/core/events.ts'
import { loopLines, partOf } from '../../../src/workers/rules/lines.ts'
import { LIMITS } from '../../core/play.ts'

const loop = { name: 'w', inactivityTimeout: 60, byPattern: false }
const began = { type: 'began', limits: { ...LIMITS, iterations: 5, failures: 3 } }
const started = { type: 'started', id: 1, n: 2 }
const ended = {
  type: 'ended',
  id: 1,
  how: 'exited',
  exit: { code: 0, signal: null },
  ms: 1000,
  result: { ok: true },
}
const settled = { type: 'settled', id: 1, end: 'error', note: 'it\nbroke', patch: { n: 2, failures: 1 } }

/** What the last of these events adds. */
function linesOf(events: object[], more: Partial<typeof loop> = {}) {
  const lines = loopLines({ ...loop, ...more })
  const all = events.map(event => lines({ at: 1000, ...event } as unknown as RunEvent))
  const { said, logged } = all.at(-1)!
  return { said: said.map(line => line.replace('[ralph] w: ', '')), logged }
}
const one = (said: string, logged: string) => ({ said: [said], logged: [logged] })
const nothing = { said: [], logged: [] }

describe('the lines of a worker', () => {
  it('begin with its name', () => {
    const { said } = loopLines(loop)({ at: 0, ...started } as unknown as RunEvent)
    expect(said).toEqual(['[ralph] w: starting iteration 2'])
  })

  it.each<[string, object[], object]>([
    ['a beginning', [began], nothing],
    ['a resumption', [{ ...began, type: 'resumed' }], one('resumed', '[RESUME]')],
    [
      'another limit',
      [began, { ...began, type: 'limits', limits: { ...LIMITS, iterations: 9 } }],
      { said: ['max iterations is now 9'], logged: [] },
    ],
    ['a start', [began, started], one('starting iteration 2/5', '[START] iteration 2/5')],
    ['a start without limit', [started], one('starting iteration 2', '[START] iteration 2')],
    [
      'a start after another limit',
      [began, { ...began, type: 'limits', limits: { ...LIMITS, iterations: 9 } }, started],
      one('starting iteration 2/9', '[START] iteration 2/9'),
    ],
    [
      'an end',
      [started, ended],
      one('iteration 2 completed (exit: 0, duration: 1s)', '[END] iteration 2 exit=0 duration=1s'),
    ],
    [
      'an end in trouble',
      [started, { ...ended, result: { ok: false }, exit: { code: 1, signal: null } }],
      { said: [], logged: ['[END] iteration 2 exit=1 duration=1s'] },
    ],
    [
      'an end by force',
      [started, { ...ended, how: 'timeout', exit: { code: null, signal: 'SIGTERM' } }],
      { said: [], logged: ['[END] iteration 2 exit=SIGTERM duration=1s'] },
    ],
    [
      'an end of what nobody saw begin',
      [ended],
      one('iteration 0 completed (exit: 0, duration: 1s)', '[END] iteration 0 exit=0 duration=1s'),
    ],
    ['a success', [started, { ...settled, end: 'ok' }], nothing],
    [
      'a silence',
      [started, { ...ended, how: 'inactive' }, { ...settled, end: 'inactive' }],
      one('inactivity timeout (60s), restarting', '[FAIL] iteration 2 inactivity timeout'),
    ],
    [
      'a silence on a screen that was judged well',
      [started, { ...ended, how: 'inactive' }, { ...settled, end: 'ok' }],
      one('inactivity timeout (60s), restarting', '[FAIL] iteration 2 inactivity timeout'),
    ],
    [
      'a limit',
      [started, { ...settled, end: 'limited', patch: {} }],
      one('iteration 2 limited: it', '[FAIL] iteration 2 limited: it'),
    ],
    [
      'trouble that is no failure',
      [started, { ...settled, patch: { failures: 0 } }],
      one('iteration 2 error: it', '[FAIL] iteration 2 error: it'),
    ],
    [
      'a failure',
      [
        began,
        started,
        { ...ended, exit: { code: 7, signal: null } },
        { ...settled, patch: { failures: 1, notBefore: 4400 } },
      ],
      one(
        'iteration 2 failed (exit: 7), retrying in 3s (attempt 1/3)',
        '[FAIL] iteration 2 exit=7 attempt 1/3 retry=3s',
      ),
    ],
    [
      'a failure that waits for long',
      [began, started, ended, { ...settled, patch: { failures: 1, notBefore: 3_601_000 } }],
      one(
        'iteration 2 failed (exit: 0), retrying in 3600s (attempt 1/3)',
        '[FAIL] iteration 2 exit=0 attempt 1/3 retry=3600s',
      ),
    ],
    [
      'a failure without a beginning',
      [started, settled],
      one('iteration 2 failed (exit: ?)', '[FAIL] iteration 2 exit=? attempt 1/0'),
    ],
    [
      'a failure that waits for nothing',
      [began, started, ended, { ...settled, patch: { failures: 2, notBefore: 0 } }],
      one(
        'iteration 2 failed (exit: 0), retrying in 0s (attempt 2/3)',
        '[FAIL] iteration 2 exit=0 attempt 2/3 retry=0s',
      ),
    ],
    [
      'a failure of unknown end',
      [began, started, settled],
      one(
        'iteration 2 failed (exit: ?), retrying in 0s (attempt 1/3)',
        '[FAIL] iteration 2 exit=? attempt 1/3 retry=0s',
      ),
    ],
    [
      'a timeout',
      [began, started, ended, { ...settled, end: 'timeout', patch: { failures: 3 } }],
      one('iteration 2 failed (timeout)', '[FAIL] iteration 2 exit=0 attempt 3/3'),
    ],
    [
      'a failure beyond the last',
      [began, started, ended, { ...settled, patch: { failures: 4 } }],
      one('iteration 2 failed (exit: 0)', '[FAIL] iteration 2 exit=0 attempt 4/3'),
    ],
    [
      'a failure of what nobody saw begin',
      [began, { ...settled, patch: {} }],
      one('iteration 0 error: it', '[FAIL] iteration 0 error: it'),
    ],
    ['a pause', [{ type: 'control', hold: 'pause' }], one('paused', '[PAUSE]')],
    ['its end', [{ type: 'control', hold: null }], one('resumed', '[RESUME]')],
    ['a request to stop', [{ type: 'control', hold: 'stop' }], nothing],
    ['a stop', [{ type: 'stopped', why: 'interrupted' }], one('stopped: interrupted', '[STOP] interrupted')],
    [
      'completion',
      [began, started, { ...settled, end: 'ok' }, { type: 'finished', result: 'complete', why: 'x' }],
      one('loop complete after 2 iterations', '[DONE] loop complete after 2 iterations'),
    ],
    [
      'the limit, after a step that did not count',
      [settled, { ...settled, patch: {} }, { type: 'finished', result: 'exhausted', why: 'x' }],
      one('loop complete after 2 iterations', '[DONE] loop complete after 2 iterations'),
    ],
    [
      'cancel',
      [{ type: 'finished', result: 'cancelled', why: 'x' }],
      one('loop ended on request after 0 iterations', '[STOP] loop ended on request after 0 iterations'),
    ],
    [
      'failure',
      [{ type: 'finished', result: 'failed', why: 'no more' }],
      one('no more', '[FAIL] loop stopped after 0 iterations: no more'),
    ],
    ['anything else', [{ type: 'spawned' }], nothing],
  ])('tell of %s', (_, events, lines) => {
    expect(linesOf(events)).toEqual(lines)
  })

  it('tell of the done pattern, where it ended the loop', () => {
    const finished = (result: string) =>
      linesOf([{ type: 'finished', result, why: 'x' }], { byPattern: true }).said
    expect(finished('complete')).toEqual([
      'done pattern matched, stopping loop',
      'loop complete after 0 iterations',
    ])
    expect(finished('exhausted')).toEqual(['loop complete after 0 iterations'])
  })

  it('forget an iteration that is over', () => {
    expect(linesOf([began, started, ended, { ...settled, end: 'ok' }, settled]).logged).toEqual([
      '[FAIL] iteration 0 exit=? attempt 1/3 retry=0s',
    ])
  })

  it.each([
    [0, '0s', '0s'],
    [499, '0s', '0s'],
    [1000, '1s', '1s'],
    [60_000, '1m 0s', '1m0s'],
    [222_000, '3m 42s', '3m42s'],
    [3_599_000, '59m 59s', '59m59s'],
    [3_600_000, '1h 0m 0s', '1h0m0s'],
    [45_296_000, '12h 34m 56s', '12h34m56s'],
  ])('have %d ms as %s', (ms, said, logged) => {
    expect(linesOf([started, { ...ended, ms }])).toEqual(
      one(
        `iteration 2 completed (exit: 0, duration: ${said})`,
        `[END] iteration 2 exit=0 duration=${logged}`,
      ),
    )
  })
})

describe('the part of a log that is about one iteration', () => {
  const start = (n: number) => `12:00 [ralph] w: starting iteration ${n}/9\n`
  const log = `begin\n${start(1)}one\n\n${start(2)}two\n${start(1)}again\n`

  it.each([
    [1, `${start(1)}again\n`],
    [2, `${start(2)}two\n`],
    [3, null],
  ])('%d is the latest of that number, up to the next', (n, part) => {
    expect(partOf(log, 'w', n)).toBe(part)
  })

  it('is the first one, too, and no other worker’s', () => {
    expect(partOf(`${start(1)}one \n\n${start(2)}`, 'w', 1)).toBe(`${start(1)}one\n`)
    expect(partOf(log, 'v', 1)).toBe(null)
  })
})
