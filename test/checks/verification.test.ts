import { describe, expect, it } from 'vitest'
import { type VerificationTools, type Verified, verificationCheck } from '../../src/checks/verification.ts'
import type { CheckWork } from '../../src/core/ports.ts'
import type {
  SingleVerification,
  Verification,
  VerificationStage,
} from '../../src/core/verification/method.ts'

const work = (text: string) => ({ step: { id: 1 }, task: { id: 't' }, text }) as CheckWork

const external = (command: string): SingleVerification => ({
  method: 'external',
  config: { command, success_exit_code: 0, timeout: 60, working_dir: '.' },
})

const semantic: SingleVerification = {
  method: 'semantic',
  config: { check_for: ['it works'], negative_patterns: [], in: 'text', model: null },
}

const stage = (
  verification: SingleVerification,
  more: Partial<VerificationStage> = {},
): VerificationStage => ({
  name: verification.method === 'external' ? verification.config.command : verification.method,
  verification,
  required: true,
  parallel: false,
  ...more,
})

/** Commands exit with the number that they are; the judge says what it is told. */
function tools(judged: Verified = { verdict: 'pass', reason: 'All criteria appear met' }) {
  const ran: string[] = []
  let together = 0
  let most = 0
  const made: VerificationTools = {
    async run({ command }) {
      ran.push(command)
      most = Math.max(most, ++together)
      await new Promise(resolve => setImmediate(resolve))
      together--
      const exit = { code: Number(command), signal: null }
      return { command, exit, failure: null, cutOff: false, ms: 1, output: '', head: 'out', log: 'l.log' }
    },
    async judge() {
      ran.push('judge')
      return judged
    },
    truncateAt: 100,
  }
  return { made, ran, most: () => most }
}

async function findingOf(verification: Verification, text = '', judged?: Verified) {
  const { made, ran, most } = tools(judged)
  const check = verificationCheck({ name: 'v', verification, failed: 'Verification failed' }, made)
  const { finding } = await check.run(work(text), new AbortController().signal)
  return { finding, ran, most: most(), check }
}

const multi = (stages: VerificationStage[], require_all = true): Verification => ({
  method: 'multi_stage',
  config: { stages, require_all },
})

describe('string_match', () => {
  it.each([
    ['Done.\n<promise>AUTH_DONE</promise>', 'pass'],
    ['<PROMISE> auth_done\n</PROMISE>', 'pass'],
    ['I would say AUTH_DONE', 'fail'],
    ['<promise>AUTH_DONE and more</promise>', 'fail'],
    ['<promise>OTHER</promise> <promise>AUTH_DONE</promise>', 'fail'],
    ['', 'fail'],
  ])('of %j: %s', async (text, verdict) => {
    const { finding } = await findingOf({ method: 'string_match', promise: 'AUTH_DONE' }, text)
    expect(finding).toMatchObject({ verdict, claim: true })
    if (verdict === 'fail')
      expect(finding.note).toBe("Verification failed: Promise 'AUTH_DONE' not found in output")
  })
})

describe('external', () => {
  it('gives reason, log and output of a failure, and is a check of the tree', async () => {
    const { finding, check } = await findingOf(external('1'))
    expect(finding.note).toBe(
      'Verification failed: Command exited with 1, expected 0 (1)\nOutput file: l.log\nOutput (truncated):\nout',
    )
    expect(check.ofTree).toBe(true)
    expect((await findingOf(external('0'))).finding).toMatchObject({
      verdict: 'pass',
      note: 'External verification passed',
    })
  })
})

describe('multi_stage', () => {
  it('passes if all pass', async () => {
    const { finding, ran } = await findingOf(multi([stage(external('0')), stage(semantic)]))
    expect(finding).toMatchObject({ verdict: 'pass', note: 'All 2 verification stages passed' })
    expect(ran).toEqual(['0', 'judge'])
  })

  it('stops at the first required stage that fails: no judge is asked over a red command', async () => {
    const { finding, ran } = await findingOf(multi([stage(external('1')), stage(semantic)]))
    expect(finding.note).toContain("Stage '1' failed: Command exited with 1, expected 0")
    expect(ran).toEqual(['1'])
  })

  it('runs and lists all without require_all', async () => {
    const { finding, ran } = await findingOf(
      multi([stage(external('1')), stage(external('2')), stage(external('0'))], false),
    )
    expect(finding).toMatchObject({ verdict: 'fail' })
    expect(finding.note).toContain(
      'Failed stages: 1: Command exited with 1, expected 0 (1); 2: Command exited with 2, expected 0 (2)',
    )
    expect(ran).toEqual(['1', '2', '0'])
  })

  it('only warns of a stage that is not required', async () => {
    const { finding } = await findingOf(
      multi([stage(external('1'), { required: false }), stage(external('0'))]),
    )
    expect(finding).toMatchObject({ verdict: 'pass' })
    expect(finding.note).toBe(
      'All 2 verification stages passed. Warnings: 1: Command exited with 1, expected 0 (1)',
    )
  })

  it('checks the promise in a string_match stage; alone it is a claim', async () => {
    const promise: SingleVerification = { method: 'string_match', promise: 'X' }
    expect((await findingOf(multi([stage(promise)]), '<promise>Y</promise>')).finding.verdict).toBe('fail')
    expect((await findingOf(multi([stage(promise)]), '<promise>X</promise>')).finding).toMatchObject({
      verdict: 'pass',
      claim: true,
    })
    const both = multi([stage(promise), stage(external('0'))])
    expect((await findingOf(both, '<promise>X</promise>')).finding.claim).toBeUndefined()
  })

  it('runs stages one after the other, and together those that ask for it', async () => {
    const three = [stage(external('0')), stage(external('0')), stage(external('0'))]
    expect((await findingOf(multi(three))).most).toBe(1)
    const parallel = three.map(one => ({ ...one, parallel: true }))
    expect((await findingOf(multi(parallel))).most).toBe(3)
  })

  it('is undecided if a required judge is', async () => {
    const judged: Verified = { verdict: 'unsure', reason: 'no judge', undecided: true }
    const { finding, check } = await findingOf(multi([stage(external('0')), stage(semantic)]), '', judged)
    expect(finding).toMatchObject({ verdict: 'unsure', undecided: true })
    expect(check).toMatchObject({ afterGreen: true })
  })
})
