import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Act, Answer } from '../support/agent-script.ts'
import { addJudge, verdicts } from '../support/judge.ts'
import { setStage } from './scene.ts'

type Roles = Partial<Record<'coder' | 'reviewer' | 'tester' | 'qa', Act[][]>>

const says = (text: string): Act => ['claude', text]
const promise = (words: string): Act => says(`Done.\n<promise>${words}</promise>`)

const COMPLETION = {
  outcome: 'auth.js validates tokens',
  acceptance_criteria: ['tokens are validated'],
  coder: { verification_method: 'external', verification_config: { command: 'grep -q verify auth.js' } },
  reviewer: { verification_method: 'semantic' },
  tester: { verification_method: 'external', verification_config: { command: 'test -e auth.test.js' } },
  qa: { verification_method: 'string_match' },
}

const HONEST: Roles = {
  coder: [[['file', 'auth.js', 'verify(token)\n'], promise('IMPLEMENTATION_COMPLETE')]],
  reviewer: [[promise('REVIEW_PASSED')]],
  tester: [[['file', 'auth.test.js', 'test\n'], promise('TESTS_PASSED')]],
  qa: [[promise('QA_PASSED')]],
}

const JUDGE = { agents: { judge: { command: 'judge' } } }

/** A project with tasks, an agent that plays each role by a script, and a judge. */
async function setPipeline({
  roles = {},
  tasks = [{ id: 'T1', title: 'Validate tokens', completion: COMPLETION }],
  settings = {},
  judge = [verdicts(['pass', 'verify(token)'])],
}: {
  roles?: Roles
  tasks?: Record<string, unknown>[]
  settings?: Record<string, unknown>
  judge?: unknown[]
} = {}) {
  const scripts = { ...HONEST, ...roles }
  const answers = Object.entries(scripts).map(
    ([role, calls]): Answer => [role, `\\*\\*Agent\\*\\*: ${role}`, ...calls],
  )
  const stage = setStage({ answers, settings: { ...JUDGE, ...settings } })
  addJudge(stage.bin, 'judge', ...judge)
  stage.write('tasks.json', JSON.stringify(tasks))
  const imported = await stage.ralph('task', 'import', 'tasks.json', '--spec', 'auth')
  if (imported.code !== 0) throw new Error(imported.stderr)
  const settled = () => stage.journal().flatMap(event => (event.type === 'settled' ? [event] : []))
  return {
    ...stage,
    settled,
    /** Each iteration: its stage, and what it came to. */
    moves: () => settled().map(({ stage, move }) => `${stage} ${move}`),
    promptOf: (role: string, nth = 1) =>
      stage.asked().filter(({ name }) => name === role)[nth - 1]?.prompt ?? '',
    stored: (id: string) =>
      JSON.parse(readFileSync(join(stage.project, '.ralph', 'tasks', `${id}.json`), 'utf8')),
    ending: () => stage.journal().at(-1),
  }
}

describe('a task', () => {
  it('passes coder, reviewer, tester and qa, and is completed and verified', async () => {
    const stage = await setPipeline()
    const ran = await stage.ralph('pipeline')
    expect([ran.code, stage.moves()]).toEqual([0, ['coder pass', 'reviewer pass', 'tester pass', 'qa pass']])
    expect(stage.stored('T1')).toMatchObject({ status: 'completed', iteration: 4 })
    expect(stage.ending()).toMatchObject({ result: 'complete', proof: 'verified' })
  })

  it('is told what "done" means, in the words of the document', async () => {
    const stage = await setPipeline()
    await stage.ralph('pipeline')
    const prompt = stage.promptOf('coder')
    expect(prompt).toMatch(/^You are the coder\./)
    for (const words of [
      '# Your task: Validate tokens (T1)',
      '- **Iteration**: 1/15\n- **Agent**: coder',
      '## Task Outcome (What "Done" Means)\nauth.js validates tokens',
      '- [ ] tokens are validated',
      '**Success Criteria for coder:**\nComplete coder stage for: Validate tokens',
      '```\n<promise>IMPLEMENTATION_COMPLETE</promise>\n```',
      '- Only output the promise when ALL acceptance criteria are truly met',
      '- Your completion will be verified using: external',
      '- False promises will be detected and the loop will continue',
      "- If blocked, explain what's preventing completion",
      'The loop will continue until genuine completion or iteration 15.',
    ])
      expect(prompt).toContain(words)
    expect(prompt).not.toContain('<reject>')
    expect(stage.promptOf('reviewer')).toContain('<reject>')
  })

  it('goes on until the promise is given, and true: a false one is caught by a command', async () => {
    const stage = await setPipeline({
      roles: {
        coder: [
          [says('I need another iteration.')],
          [['file', 'auth.js', 'return true\n'], promise('IMPLEMENTATION_COMPLETE')],
          ...HONEST.coder!,
        ],
      },
    })
    expect((await stage.ralph('pipeline')).code).toBe(0)
    expect(stage.moves().slice(0, 3)).toEqual(['coder more', 'coder fail', 'coder pass'])
    // Without the promise nothing is verified.
    expect(stage.settled()[0]!.findings).toEqual([])
    expect(stage.promptOf('coder', 3)).toContain(
      'Verification failed: Command exited with 1, expected 0 (grep -q verify auth.js)',
    )
    expect(stage.promptOf('coder', 3)).toContain('- **Iteration**: 3/15')
  })

  it('goes on after a promise that the judge does not find met: an opinion is a try of the role', async () => {
    const stage = await setPipeline({
      judge: [verdicts(['fail', 'the token is never checked']), verdicts(['pass', 'verify(token)'])],
    })
    expect((await stage.ralph('pipeline')).code).toBe(0)
    expect(stage.moves()).toEqual(['coder pass', 'reviewer fail', 'reviewer pass', 'tester pass', 'qa pass'])
    expect(stage.promptOf('reviewer', 2)).toContain(
      'Verification failed: Criterion not evident: tokens are validated (the token is never checked)',
    )
  })

  it('is judged by its own diff, twice at the last stage', async () => {
    const semantic = { ...COMPLETION, qa: { verification_method: 'semantic' } }
    const stage = await setPipeline({
      tasks: [{ id: 'T1', title: 'Validate tokens', completion: semantic }],
    })
    expect((await stage.ralph('pipeline')).code).toBe(0)
    expect(stage.journal().filter(event => event.type === 'asked')).toHaveLength(3)
  })
})

describe('work that is sent back', () => {
  const FINDING = 'auth.js:1: an expired token is accepted'
  const reject = [says(`No.\n<reject>\n- ${FINDING}\n</reject>`)]

  it('goes to the coder with numbered findings, then through all stages again', async () => {
    const stage = await setPipeline({
      roles: {
        coder: [
          ...HONEST.coder!,
          [['file', 'auth.js', 'verify(token)\nexpires\n'], promise('IMPLEMENTATION_COMPLETE')],
        ],
        reviewer: [reject, [promise('REVIEW_PASSED')]],
      },
    })
    expect((await stage.ralph('pipeline')).code).toBe(0)
    expect(stage.moves().slice(0, 4)).toEqual([
      'coder pass',
      'reviewer reject',
      'coder pass',
      'reviewer pass',
    ])
    expect(stage.promptOf('coder', 2)).toContain(`The work was sent back:\n\nF1 ${FINDING}`)
  })

  it('may be answered: a dismissed finding does not send it back again', async () => {
    const stage = await setPipeline({
      roles: {
        coder: [
          ...HONEST.coder!,
          [
            ['file', 'auth.js', 'verify(token)\n// checked by verify\n'],
            says('<dismiss F1>verify() checks it</dismiss>\n<promise>IMPLEMENTATION_COMPLETE</promise>'),
          ],
        ],
        reviewer: [reject, reject, [promise('REVIEW_PASSED')]],
      },
    })
    expect((await stage.ralph('pipeline')).code).toBe(0)
    expect(stage.moves().slice(0, 5)).toEqual([
      'coder pass',
      'reviewer reject',
      'coder pass',
      'reviewer more',
      'reviewer pass',
    ])
    expect(stage.promptOf('reviewer', 2)).toContain(`F1 ${FINDING}\n   answer: verify() checks it`)
  })

  it('unchanged, twice, is a question to a person', async () => {
    const stage = await setPipeline({
      roles: { reviewer: [reject, [says('<reject>auth.js:1: something else</reject>')]] },
    })
    expect((await stage.ralph('pipeline')).code).toBe(1)
    expect(stage.moves()).toEqual(['coder pass', 'reviewer reject', 'coder pass', 'reviewer ask'])
    expect(stage.stored('T1')).toMatchObject({
      status: 'blocked',
      metadata: { reason: expect.stringContaining('sends the same work back again') },
    })
  })

  it('more than `rounds` times fails', async () => {
    const coder = ['a', 'b', 'c'].map((word): Act[] => [
      ['file', 'auth.js', `verify(token) ${word}\n`],
      promise('IMPLEMENTATION_COMPLETE'),
    ])
    const stage = await setPipeline({
      roles: { coder, reviewer: [reject] },
      settings: { pipeline: { rounds: 1 } },
    })
    expect((await stage.ralph('pipeline')).code).toBe(1)
    expect(stage.moves()).toEqual(['coder pass', 'reviewer reject', 'coder pass', 'reviewer capped'])
    expect(stage.stored('T1').status).toBe('failed')
  })

  it('comes back too if a command is red at a role that cannot mend it', async () => {
    const qa = { verification_method: 'external', verification_config: { command: 'grep -q logout auth.js' } }
    const stage = await setPipeline({
      tasks: [{ id: 'T1', title: 'Validate tokens', completion: { ...COMPLETION, qa } }],
      roles: {
        coder: [
          ...HONEST.coder!,
          [['file', 'auth.js', 'verify(token)\nlogout\n'], promise('IMPLEMENTATION_COMPLETE')],
        ],
      },
    })
    expect((await stage.ralph('pipeline')).code).toBe(0)
    expect(stage.moves().slice(3, 5)).toEqual(['qa reject', 'coder pass'])
    expect(stage.promptOf('coder', 2)).toContain('Command exited with 1, expected 0 (grep -q logout auth.js)')
  })

  it('by a tester whose test shows a bug is mended by the coder', async () => {
    const test = ['file', 'auth.test.js', 'grep -q expires auth.js\n'] as Act
    const tester = { verification_method: 'external', verification_config: { command: 'sh auth.test.js' } }
    const stage = await setPipeline({
      tasks: [{ id: 'T1', title: 'Validate tokens', completion: { ...COMPLETION, tester } }],
      roles: {
        coder: [
          ...HONEST.coder!,
          [['file', 'auth.js', 'verify(token)\nexpires\n'], promise('IMPLEMENTATION_COMPLETE')],
        ],
        tester: [
          [test, says('<reject>auth.js:1: auth.test.js shows that nothing expires</reject>')],
          [promise('TESTS_PASSED')],
        ],
      },
    })
    expect((await stage.ralph('pipeline')).code).toBe(0)
    expect(stage.moves()).toEqual([
      'coder pass',
      'reviewer pass',
      'tester reject',
      'coder pass',
      'reviewer pass',
      'tester pass',
      'qa pass',
    ])
  })
})

describe('a task that is not finished', () => {
  it.each([
    ['without a promise', [says('not yet')], 'Max iterations reached without completion promise'],
    [
      'with a false one',
      [promise('IMPLEMENTATION_COMPLETE')],
      'Max iterations reached. Last verification: Verification failed: Command exited with 2, expected 0 (grep -q verify auth.js)',
    ],
  ])('in its iterations fails %s, and its dependents are blocked; others go on', async (_, acts, reason) => {
    const completion = { ...COMPLETION, coder: { ...COMPLETION.coder, max_iterations: 2 } }
    const free = {
      outcome: 'o',
      acceptance_criteria: ['tokens are validated'],
      coder: {},
      reviewer: {},
      tester: {},
      qa: {},
    }
    const stage = await setPipeline({
      roles: { coder: [acts, acts, ...HONEST.coder!] },
      settings: { stuckAfter: 9 },
      tasks: [
        { id: 'T1', title: 'Validate tokens', priority: 1, completion },
        { id: 'T2', title: 'After it', priority: 2, dependencies: ['T1'], completion: free },
        { id: 'T3', title: 'Something else', priority: 3, completion: free },
      ],
    })
    expect((await stage.ralph('pipeline')).code).toBe(1)
    expect(stage.stored('T1')).toMatchObject({ status: 'failed', metadata: { reason } })
    expect(stage.stored('T2')).toMatchObject({ status: 'blocked', metadata: { reason: 'waits for T1' } })
    expect(stage.stored('T3').status).toBe('completed')
  })

  it('waits for a person if the agent asks', async () => {
    const stage = await setPipeline({ roles: { coder: [[says('<blocked>Which key?</blocked>')]] } })
    expect((await stage.ralph('pipeline')).code).toBe(1)
    expect(stage.stored('T1')).toMatchObject({ status: 'blocked', metadata: { reason: 'Which key?' } })
  })
})

describe('settings', () => {
  it('run a stage once where its loop is off, skip a role, and give it another prompt', async () => {
    const stage = await setPipeline({
      roles: { coder: [[says('not yet')]] },
      settings: {
        pipeline: { roles: { coder: { enabled: false, prompt: 'coder.md' }, tester: { skip: true } } },
      },
    })
    stage.write('coder.md', 'Write code as we do.\n')
    expect((await stage.ralph('pipeline')).code).toBe(1)
    expect(stage.moves()).toEqual(['coder spent'])
    expect(stage.promptOf('coder')).toMatch(/^Write code as we do\.\n/)
    const other = await setPipeline({ settings: { pipeline: { roles: { tester: { skip: true } } } } })
    expect((await other.ralph('pipeline')).code).toBe(0)
    expect(other.moves()).toEqual(['coder pass', 'reviewer pass', 'qa pass'])
  })

  it('verify the coder by its command, else by the guardrails, where the task does not say', async () => {
    const completion = { outcome: 'o', acceptance_criteria: ['tokens are validated'] }
    const tasks = [{ id: 'T1', title: 'Validate tokens', completion }]
    const command = await setPipeline({
      tasks,
      settings: { pipeline: { roles: { coder: { command: 'grep -q verify auth.js' } } } },
    })
    expect((await command.ralph('pipeline')).code).toBe(0)
    expect(command.settled()[0]!.findings).toMatchObject([
      { check: 'coder verification', note: 'External verification passed' },
    ])
    const guarded = await setPipeline({ tasks, settings: { guardrails: [{ command: 'true' }] } })
    expect((await guarded.ralph('pipeline')).code).toBe(0)
    expect(guarded.settled()[0]!.findings.map(({ check }) => check)).toEqual(['true', 'coder verification'])
  })
})

describe('ralph pipeline', () => {
  it('takes a task without a completion spec with a warning, and ends as claimed', async () => {
    const stage = await setPipeline()
    const path = join(stage.project, '.ralph', 'tasks', 'T1.json')
    writeFileSync(path, JSON.stringify({ ...stage.stored('T1'), completion_spec: null }))
    const ran = await stage.ralph('pipeline')
    expect(ran.code).toBe(0)
    expect(
      stage.journal().some(e => e.type === 'warned' && e.note.startsWith('T1 has no completion spec')),
    ).toBe(true)
    expect(stage.ending()).toMatchObject({ proof: 'claimed' })
  })

  it('shows how each promise was verified', async () => {
    const stage = await setPipeline({
      roles: { coder: [[promise('IMPLEMENTATION_COMPLETE')], ...HONEST.coder!] },
    })
    await stage.ralph('pipeline')
    const { stdout } = await stage.ralph('status')
    expect(stdout).toContain(
      'T1 coder, iteration 1: not verified. Verification failed: Command exited with 2',
    )
    expect(stdout).toContain('T1 coder, iteration 2: verified. External verification passed')
    const { details } = JSON.parse((await stage.ralph('status', '--json')).stdout)
    expect(details[0]).toMatchObject({ id: 'T1', iterations: 5 })
    expect(details[0].attempts[0]).toMatchObject({
      role: 'coder',
      iteration: 1,
      promise_found: true,
      verified: false,
    })
  })

  it('puts back what an agent changes in the files of tasks', async () => {
    const stage = await setPipeline({
      roles: {
        coder: [[['file', '.ralph/tasks/T1.json', '{}'], ...HONEST.coder![0]!], ...HONEST.coder!],
      },
    })
    expect((await stage.ralph('pipeline')).code).toBe(0)
    expect(stage.moves()[0]).toBe('coder fail')
    expect(stage.stored('T1').completion_spec.outcome).toBe('auth.js validates tokens')
  })

  it('asks for trust in every command of a task', async () => {
    const stage = await setPipeline()
    const { RALPH_TRUST: _, ...env } = stage.env
    const ran = await stage.withEnv(env, 'pipeline')
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain('nobody allowed yet')
  })

  it.each([
    [['T9'], 'there is no task T9'],
    [['T2'], 'T2 waits for T1, which is pending; name T1 too, or change T2'],
    [['--spec', 'other'], 'no task is open'],
  ])('refuses %j', async (words, message) => {
    const completion = { outcome: 'o', acceptance_criteria: ['c'] }
    const stage = await setPipeline({
      tasks: [
        { id: 'T1', title: 'a', completion },
        { id: 'T2', title: 'b', dependencies: ['T1'], completion },
      ],
    })
    const ran = await stage.ralph('pipeline', ...words)
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining(message)])
  })

  it('goes on after an interruption where it was', async () => {
    const stage = await setPipeline()
    await stage.ralph('pipeline', '-m', '2')
    expect(stage.stored('T1').status).toBe('pending')
    expect((await stage.ralph('resume', '-m', '10')).code).toBe(0)
    expect(stage.moves()).toEqual(['coder pass', 'reviewer pass', 'tester pass', 'qa pass'])
    expect(stage.stored('T1').status).toBe('completed')
  })
})
