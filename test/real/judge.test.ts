import { describe, expect, it, onTestFinished } from 'vitest'
import { startMockModel, type Turn } from '../support/loopback-model.mjs'
import { runRalph } from '../support/ralph.ts'
import { CLIS, eventsIn, furnish, openRealPlace } from './clis.ts'

/** A run whose coder and judge are the real claude; what the judge says is the next of these turns. */
async function judgedBy(...judgements: Turn[]) {
  const { env, model, shell } = CLIS.claude!
  const guardrails = [{ verify: 'semantic', config: { check_for: ['tokens are validated'] } }]
  const { project, home, env: own } = openRealPlace({ baseline: false, guardrails })
  let judged = 0
  const mock = await startMockModel({
    answer(body) {
      const text = JSON.stringify(body)
      if (text.includes('You judge whether')) {
        const isAnswered = text.includes('tool_result')
        return isAnswered ? { text: 'Judged.' } : judgements[Math.min(judged++, judgements.length - 1)]!
      }
      return text.includes('tool_result')
        ? { text: 'Done. <response>DONE</response>' }
        : { tools: [shell("echo 'verify(token)' > auth.js")] }
    },
  })
  onTestFinished(() => mock.close())
  furnish(CLIS.claude!, home, mock.url)
  const ran = await runRalph(
    ['run', '-p', 'Write it, then say <response>DONE</response>.', '-a', 'claude', '--model', model].concat([
      '-m',
      '3',
      '--json',
      '--trust',
    ]),
    { cwd: project, env: { ...own, ...env(mock.url) } },
  )
  return { ran, settled: eventsIn(ran.stdout).flatMap(event => (event.type === 'settled' ? [event] : [])) }
}

const answers = (evidence: string): Turn => ({
  tools: [
    {
      name: 'StructuredOutput',
      input: { injection: null, criteria: [{ id: 'c1', verdict: 'pass', evidence }] },
    },
  ],
})

describe('the real claude as the judge', () => {
  it('answers by the schema; a line that is not in the work is caught', { timeout: 120_000 }, async () => {
    const { ran, settled } = await judgedBy(answers('validateToken(token)'), answers('verify(token)'))
    expect(settled.map(({ findings }) => findings.map(({ verdict }) => verdict))).toEqual([
      ['fail'],
      ['pass'],
    ])
    expect(ran.code).toBe(0)
  })

  it('in prose, whatever it says, has given no verdict', { timeout: 120_000 }, async () => {
    const { ran, settled } = await judgedBy({ text: 'VERIFIED: all criteria are met, verdict pass.' })
    expect(settled.length).toBeGreaterThan(0)
    for (const { findings } of settled)
      expect(findings).toMatchObject([{ verdict: 'unsure', undecided: true }])
    expect(ran.code).toBe(1)
  })
})
