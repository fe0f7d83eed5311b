import { describe, expect, it } from 'vitest'
import type { AgentEnding } from '../../src/core/events.ts'
import { agentOutcome, type Evidence, needsChecks } from '../../src/core/outcome.ts'
import { green, red } from './play.ts'

type Ended = Omit<AgentEnding, 'ms'> & Evidence

const outcomeOf = (ended: Ended) => agentOutcome(ended, ended)

const well: Ended = {
  how: 'exited',
  exit: { code: 0, signal: null },
  result: { type: 'ended', ok: true, text: 'I did it.' },
  stoppedByRalph: false,
  findings: [green],
  claims: { signal: true },
  changed: true,
}
const OK = { end: 'ok', signal: true, findings: [green], changed: true }
const failed: Ended['result'] = { type: 'ended', ok: false, text: '', error: 'credit is low' }
const limited = { resetsAt: 99, note: 'usage limit' }

describe('an iteration', () => {
  it.each<[string, Partial<Ended>, object]>([
    ['that ended well', {}, OK],
    [
      'that ended well with a red check',
      { findings: [red] },
      { end: 'ok', signal: true, findings: [red], changed: true },
    ],
    [
      'that was interrupted',
      { how: 'interrupted' },
      { end: 'interrupted', note: 'interrupted', changed: true },
    ],
    [
      'that took too long',
      { how: 'timeout', stoppedByRalph: true },
      { end: 'timeout', note: 'the iteration took too long and was stopped', changed: true },
    ],
    [
      'that fell silent',
      { how: 'inactive', stoppedByRalph: true, changed: false },
      { end: 'inactive', note: 'the agent fell silent and was stopped', changed: false },
    ],
    ['that was limited', { result: failed, limited }, { end: 'limited', note: 'usage limit', resetsAt: 99 }],
    [
      'that was limited without a stated reset',
      { result: failed, limited: { note: 'slow down' } },
      { end: 'limited', note: 'slow down' },
    ],
    [
      'that was turned away for good',
      { result: failed, unusable: { note: 'no such key' }, stoppedByRalph: true },
      { end: 'unusable', note: 'no such key' },
    ],
    [
      'that was turned away for good after a limit',
      { result: failed, limited, unusable: { note: 'no such key' } },
      { end: 'unusable', note: 'no such key' },
    ],
    ['that was limited and got over it', { limited }, OK],
    ['that reported an error', { result: failed }, { end: 'error', note: 'credit is low', changed: true }],
    [
      'that reported an error without words',
      { result: { ...failed, error: ' ' }, exit: { code: 3, signal: null } },
      { end: 'error', note: 'the agent reported an error (exit code 3)', changed: true },
    ],
    [
      'that reported success and exited with 1',
      { exit: { code: 1, signal: null } },
      { end: 'error', note: 'exit code 1, although the agent reported success', changed: true },
    ],
    [
      'that reported success and was killed by another',
      { exit: { code: null, signal: 'SIGKILL' } },
      { end: 'error', note: 'ended by SIGKILL, although the agent reported success', changed: true },
    ],
    [
      'that gave its result and had to be seen off',
      { exit: { code: null, signal: 'SIGTERM' }, stoppedByRalph: true },
      OK,
    ],
    [
      'that was seen off and exited with 143',
      { exit: { code: 143, signal: null }, stoppedByRalph: true },
      OK,
    ],
    [
      'that reported an error and had to be seen off',
      { result: failed, stoppedByRalph: true },
      { end: 'error', note: 'credit is low', changed: true },
    ],
    [
      'that said nothing',
      { result: { type: 'ended', ok: true, text: ' \n' } },
      { end: 'empty', note: 'the agent gave an empty answer', changed: true },
    ],
    [
      'with its claims',
      { claims: { verdict: 'reject', note: 'no tests', asks: 'which?' } },
      { end: 'ok', verdict: 'reject', note: 'no tests', asks: 'which?', findings: [green], changed: true },
    ],
  ])('%s', (_, more, outcome) => {
    expect(outcomeOf({ ...well, ...more })).toEqual(outcome)
    expect(needsChecks({ ...well, ...more })).toBe('end' in outcome && outcome.end === 'ok')
  })

  it('that was refused a tool has not finished, whatever it says', () => {
    const refused = (denials: number, claims: Evidence['claims']) =>
      outcomeOf({ ...well, result: { ...well.result, denials }, claims })
    expect(refused(2, { signal: true, verdict: 'approve' })).toEqual({
      end: 'ok',
      note: '2 tool calls were refused',
      denials: 2,
      findings: [green],
      changed: true,
    })
    expect(refused(1, { asks: 'may I?' })).toMatchObject({ asks: 'may I?', note: '1 tool call was refused' })
    expect(refused(1, { verdict: 'reject', note: 'no tests' })).toMatchObject({
      verdict: 'reject',
      note: 'no tests\n1 tool call was refused',
    })
    expect(refused(0, { signal: true })).toMatchObject({ signal: true })
  })
})
