import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { verdicts } from '../support/judge.ts'
import { COMPLETION, HONEST, promise, says, setPipeline } from './pipeline-scene.ts'
import { ending, refusal } from './scene.ts'

/** What is done when the agents say so. */
const FREE = {
  ...{ outcome: 'o', acceptance_criteria: ['tokens are validated'] },
  ...{ coder: {}, reviewer: {}, tester: {}, qa: {} },
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
    const stage = await setPipeline({
      roles: { coder: [acts, acts, ...HONEST.coder!] },
      settings: { stuckAfter: 9 },
      tasks: [
        { id: 'T1', title: 'Validate tokens', priority: 1, completion },
        { id: 'T2', title: 'After it', priority: 2, dependencies: ['T1'], completion: FREE },
        { id: 'T3', title: 'Something else', priority: 3, completion: FREE },
      ],
    })
    expect((await stage.ralph('pipeline')).code).toBe(1)
    expect(stage.stored('T1')).toMatchObject({ status: 'failed', metadata: { reason } })
    expect(stage.stored('T2')).toMatchObject({ status: 'blocked', metadata: { reason: 'waits for T1' } })
    expect(stage.stored('T3').status).toBe('completed')
  })

  it('is verified as well if the run went on after its checks, and nothing has changed since', async () => {
    const stage = await setPipeline()
    expect((await stage.ralph('pipeline', '-m', '3')).code).toBe(1)
    expect((await stage.ralph('resume', '-m', '10')).code).toBe(0)
    expect(stage.ending()).toMatchObject({ result: 'complete', proof: 'verified' })
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

  it('name other roles, their order and what they may do', async () => {
    const role = { verification_method: 'string_match' }
    const stage = await setPipeline({
      roles: {
        architect: [[['file', 'plan.md', 'plan\n'], promise('STAGE_COMPLETE')]],
        security: [[['file', 'notes.md', 'x\n'], promise('STAGE_COMPLETE')], [promise('STAGE_COMPLETE')]],
      },
      settings: {
        pipeline: {
          order: ['architect', 'coder', 'security', 'qa'],
          roles: { security: { writes: false, maxIterations: 2 } },
        },
      },
      tasks: [
        {
          id: 'T1',
          title: 'Validate tokens',
          completion: { ...COMPLETION, architect: role, security: role },
        },
      ],
    })
    expect((await stage.ralph('pipeline')).code).toBe(0)
    expect(stage.moves()).toEqual([
      'architect pass',
      'coder pass',
      'security more',
      'security pass',
      'qa pass',
    ])
    expect(stage.promptOf('architect')).toMatch(/^You are the architect\./)
    expect(stage.promptOf('architect')).not.toContain('<reject>')
    expect(stage.promptOf('security', 2)).toContain('- **Iteration**: 2/2')
    expect(existsSync(join(stage.project, 'plan.md'))).toBe(true)
    expect(existsSync(join(stage.project, 'notes.md'))).toBe(false)
  })

  it.each([
    [{ order: [] }, 'pipeline.order must have at least one role'],
    [{ order: ['coder', 'coder'] }, 'pipeline.order must name each role once'],
    [{ order: ['coder', 'merge'] }, 'pipeline.order[1] is a name that ralph uses itself'],
    [{ roles: { reviewr: {} } }, 'pipeline.roles.reviewr must be for a role: coder, reviewer, tester, qa'],
  ])('refuse %j', async (pipeline, message) => {
    const stage = await setPipeline()
    stage.write('.ralph/settings.json', JSON.stringify({ pipeline }))
    expect(await stage.ralph('pipeline')).toMatchObject(refusal(message))
  })

  it('verify the coder by its command, else by the guardrails, where the task does not say', async () => {
    const completion = { outcome: 'o', acceptance_criteria: ['tokens are validated'] }
    const tasks = [{ id: 'T1', title: 'Validate tokens', completion }]
    const command = await setPipeline({
      tasks,
      settings: { pipeline: { roles: { coder: { check: 'grep -q verify auth.js' } } } },
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
    expect(stdout).toContain('T1 Validate tokens: completed\n')
    expect(stdout).toContain('- coder, iteration 1: not verified. Verification failed: Command exited with 2')
    expect(stdout).toContain('- coder, iteration 2: verified. External verification passed')
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
    expect(ran.stderr).toContain('nobody has allowed yet')
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
    expect(await stage.ralph('pipeline', ...words)).toMatchObject(refusal(message))
  })

  it('goes on after an interruption where it was', async () => {
    const stage = await setPipeline()
    await stage.ralph('pipeline', '-m', '2')
    expect(stage.stored('T1').status).toBe('pending')
    expect((await stage.ralph('resume', '-m', '10')).code).toBe(0)
    expect(stage.moves()).toEqual(['coder pass', 'reviewer pass', 'tester pass', 'qa pass'])
    expect(stage.stored('T1').status).toBe('completed')
  })

  it('is without a task that is cancelled: its agent is ended, and the others go on', async () => {
    const stage = await setPipeline({
      roles: { coder: [[['pid', 'pid'], ['hang']], ...HONEST.coder!] },
      tasks: [
        { id: 'T1', title: 'Hangs', priority: 1, completion: FREE },
        { id: 'T2', title: 'Goes on', priority: 2, completion: FREE },
        { id: 'T3', title: 'Waits', priority: 3, dependencies: ['T1'], completion: FREE },
      ],
    })
    const running = stage.start('pipeline')
    while (!existsSync(join(stage.project, 'pid'))) await new Promise(resolve => setTimeout(resolve, 50))
    expect(await stage.ralph('cancel', '/T9')).toMatchObject(refusal('has no task T9'))
    const cancelled = await stage.ralph('cancel', '/T1')
    expect(cancelled).toMatchObject(ending(0, /^cancelled T1 of run \S+; the other tasks continue\n$/))
    expect((await running.ended).code).toBe(1)
    expect(stage.stored('T1')).toMatchObject({ status: 'cancelled' })
    expect(stage.stored('T2').status).toBe('completed')
    expect(stage.stored('T3')).toMatchObject({ status: 'blocked', metadata: { reason: 'waits for T1' } })
    expect((await stage.ralph('status')).stdout).toContain('T1 Hangs: cancelled by a person\n')
  })

  it('that is stopped may be without a task too: it is not taken up again', async () => {
    const stage = await setPipeline({
      tasks: [
        { id: 'T1', title: 'a', priority: 1, completion: FREE },
        { id: 'T2', title: 'b', priority: 2, completion: FREE },
      ],
    })
    await stage.ralph('pipeline', '-m', '1')
    const [id] = stage.runs()[0]!.split('/').slice(-1)
    expect((await stage.ralph('cancel', `${id}/T1`)).code).toBe(0)
    expect((await stage.ralph('cancel', `${id}/T1`)).stderr).toContain('T1 is already cancelled')
    expect((await stage.ralph('resume', '-m', '20')).code).toBe(1)
    expect([stage.stored('T1').status, stage.stored('T2').status]).toEqual(['cancelled', 'completed'])
  })
})
