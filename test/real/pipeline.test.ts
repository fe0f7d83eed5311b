import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startMockModel, type Turn } from '../support/loopback-model.mjs'
import { runRalph } from '../support/ralph.ts'
import { CLIS, eventsIn, furnish, openRealPlace } from './clis.ts'

const TASK = {
  id: 'T1',
  spec_id: 'auth',
  title: 'Validate tokens',
  completion: {
    outcome: 'auth.js validates tokens',
    acceptance_criteria: ['tokens are validated'],
    coder: { verification_method: 'external', verification_config: { command: 'grep -q verify auth.js' } },
    reviewer: { verification_method: 'semantic' },
    qa: { verification_method: 'string_match' },
  },
}

const judgement = (verdict: 'pass' | 'fail', evidence: string): Turn => ({
  tools: [
    { name: 'StructuredOutput', input: { injection: null, criteria: [{ id: 'c1', verdict, evidence }] } },
  ],
})

const promise = (words: string): Turn => ({ text: `Done.\n<promise>${words}</promise>` })

/** The model behind all of them: it plays the role that it is asked for, and judges the first review to be false. */
function model() {
  let judged = 0
  return {
    answer(body: unknown): Turn {
      const text = JSON.stringify(body)
      const isAnswered = text.includes('tool_result')
      if (text.includes('You judge whether')) {
        if (isAnswered) return { text: 'Judged.' }
        return judged++ === 0
          ? judgement('fail', 'an expired token is accepted')
          : judgement('pass', 'verify(token)')
      }
      if (text.includes('**Agent**: reviewer')) return promise('REVIEW_PASSED')
      if (text.includes('**Agent**: qa')) return promise('QA_PASSED')
      // The first promise is false: nothing was written.
      if (isAnswered || !text.includes('Verification failed')) return promise('IMPLEMENTATION_COMPLETE')
      return { tools: [CLIS.claude!.shell("echo 'verify(token)' > auth.js")] }
    },
  }
}

it('takes a task through: claude as coder and judge, codex as reviewer; false promises are caught', {
  timeout: 240_000,
}, async () => {
  const { claude, codex } = CLIS
  const settings = {
    agent: { command: 'claude', model: claude!.model },
    agents: { reviewer: { command: 'codex', model: codex!.model } },
    pipeline: { roles: { tester: { skip: true } } },
  }
  const { project, home, env: own } = openRealPlace(settings)
  writeFileSync(join(project, 'tasks.json'), JSON.stringify([TASK]))
  const mock = await startMockModel(model())
  onTestFinished(() => mock.close())
  for (const cli of [claude!, codex!]) furnish(cli, home, mock.url)
  const env = { ...own, ...claude!.env(mock.url), ...codex!.env(mock.url) }
  const ralph = (...words: string[]) => runRalph(words, { cwd: project, env })
  expect((await ralph('task', 'import', 'tasks.json')).code).toBe(0)
  const ran = await ralph('pipeline', '--json', '--trust', '-m', '9')
  const events = eventsIn(ran.stdout)
  const worked = events.flatMap(event => (event.type === 'started' ? [`${event.stage} ${event.agent}`] : []))
  const moves = events.flatMap(event => (event.type === 'settled' ? [`${event.stage} ${event.move}`] : []))
  expect([ran.code, moves]).toEqual([
    0,
    ['coder fail', 'coder pass', 'reviewer fail', 'reviewer pass', 'qa pass'],
  ])
  expect(worked.map(words => words.split(':')[0])).toEqual([
    'coder claude',
    'coder claude',
    'reviewer codex',
    'reviewer codex',
    'qa claude',
  ])
  const stored = JSON.parse(readFileSync(join(project, '.ralph', 'tasks', 'T1.json'), 'utf8'))
  expect(stored.status).toBe('completed')
  expect((await ralph('report')).stdout).toContain('judged by claude (same vendor)')
})
