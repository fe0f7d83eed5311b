import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { setStage } from './scene.ts'

const EXAMPLES = join(import.meta.dirname, '..', 'workflows', 'pipeline')
const example = (name: string) => readFileSync(join(EXAMPLES, name), 'utf8')

/** The document's own example of a command line. */
const CREATE = [
  ['task', 'create', 'TASK-001', 'my-spec', 'Implement JWT auth'],
  ['--outcome', 'All API endpoints require valid JWT tokens'],
  ['--acceptance', 'JWT middleware validates tokens'],
  ['--acceptance', 'Login endpoint returns valid JWT'],
  ['--coder-promise', 'AUTH_IMPLEMENTED', '--coder-verify', 'external'],
  ['--coder-verify-cmd', "grep -r 'jwt.verify' src/"],
  ['--tester-promise', 'AUTH_TESTS_PASS', '--tester-verify', 'external'],
  ['--tester-verify-cmd', 'pytest tests/test_auth.py --cov-fail-under=80'],
].flat()

const MINIMAL = ['--outcome', 'It works', '--acceptance', 'It is there']

function setTasks() {
  const stage = setStage()
  const dir = join(stage.project, '.ralph', 'tasks')
  const ids = () => (existsSync(dir) ? readdirSync(dir).sort() : [])
  const stored = (id: string) => JSON.parse(readFileSync(join(dir, `${id}.json`), 'utf8'))
  return { ...stage, dir, ids, stored }
}

describe('ralph task create', () => {
  it('takes every flag of the document and writes one file', async () => {
    const stage = setTasks()
    const ran = await stage.ralph(
      ...CREATE,
      ...['--description', 'With refresh', '--priority', '2', '--reviewer-max-iterations', '3'],
      ...['--tester-description', 'Auth tests pass'],
    )
    expect([ran.code, ran.stdout, ran.stderr]).toEqual([0, 'TASK-001 is created\n', ''])
    expect(stage.ids()).toEqual(['TASK-001.json'])
    expect(stage.stored('TASK-001')).toEqual({
      v: 1,
      id: 'TASK-001',
      spec_id: 'my-spec',
      title: 'Implement JWT auth',
      description: 'With refresh',
      status: 'pending',
      priority: 2,
      dependencies: [],
      assignee: '',
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      updated_at: expect.stringMatching(/^\d{4}-.*Z$/),
      metadata: {},
      iteration: 0,
      completion_spec: {
        outcome: 'All API endpoints require valid JWT tokens',
        acceptance_criteria: ['JWT middleware validates tokens', 'Login endpoint returns valid JWT'],
        coder: {
          promise: 'AUTH_IMPLEMENTED',
          description: 'Complete coder stage for: Implement JWT auth',
          verification_method: 'external',
          verification_config: { command: "grep -r 'jwt.verify' src/" },
        },
        reviewer: {
          promise: 'REVIEW_PASSED',
          description: 'Complete reviewer stage for: Implement JWT auth',
          verification_method: 'string_match',
          max_iterations: 3,
        },
        tester: {
          promise: 'AUTH_TESTS_PASS',
          description: 'Auth tests pass',
          verification_method: 'external',
          verification_config: { command: 'pytest tests/test_auth.py --cov-fail-under=80' },
        },
      },
    })
  })

  it.each([
    [[], '--outcome is missing; --acceptance is missing'],
    [['--outcome', 'x'], '--acceptance is missing'],
    [[...MINIMAL, '--coder-verify', 'external'], '--coder-verify-cmd is missing'],
    [[...MINIMAL, '--coder-verify', 'externl'], '--coder-verify is unknown; did you mean "external"?'],
    [
      [...MINIMAL, '--coder-verify', 'externl', '--coder-verify-cmd', 'true'],
      '--coder-verify is unknown; did you mean "external"?',
    ],
    [[...MINIMAL, '--qa-verify', 'multi_stage'], '--qa-verify multi_stage needs stages'],
    [
      [...MINIMAL, '--qa-verify', 'semantic', '--qa-verify-cmd', 'x'],
      '--qa-verify-cmd is for --qa-verify external, not for semantic',
    ],
    [[...MINIMAL, '--depends-on', 'TASK-9'], '--depends-on is TASK-9, which does not exist'],
    [[...MINIMAL, '--depends-on', 'TASK-1'], '--depends-on would make a cycle: TASK-1 → TASK-1'],
    [[...MINIMAL, '--coder-promise', '<promise>'], '--coder-promise must not contain < or >'],
    [[...MINIMAL, '--coder-max-iterations', '0'], 'It must be a whole number of at least 1.'],
  ])('refuses %j in one line, and writes nothing', async (words, message) => {
    const stage = setTasks()
    const ran = await stage.ralph('task', 'create', 'TASK-1', 'spec', 'A title', ...words)
    expect([ran.code, ran.stdout]).toEqual([2, ''])
    expect(ran.stderr).toContain(message)
    expect(ran.stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(stage.ids()).toEqual([])
  })

  it('refuses an id that is taken, also in another case, and one that is no file name', async () => {
    const stage = setTasks()
    const create = (id: string) => stage.ralph('task', 'create', id, 'spec', 'A title', ...MINIMAL)
    expect((await create('TASK-1')).code).toBe(0)
    expect((await create('task-1')).stderr).toBe(
      'ralph: error: the id is taken: there is a task TASK-1 already\n',
    )
    expect((await create('../x')).stderr).toContain('the id must be 1 to 64 letters')
    expect(stage.ids()).toEqual(['TASK-1.json'])
  })

  it('knows templates, and stores what they stand for', async () => {
    const stage = setTasks()
    await stage.ralph('task', 'create', 'T', 's', 'A title', ...MINIMAL, '--tester-verify', 'tests:npm')
    expect(stage.stored('T').completion_spec.tester).toMatchObject({
      verification_method: 'external',
      verification_config: { command: 'npm test' },
    })
  })
})

describe('ralph task import', () => {
  it("takes the document's complete example, and exports the same again", async () => {
    const stage = setTasks()
    stage.write('jwt.yaml', example('jwt-task.yaml'))
    const ran = await stage.ralph('task', 'import', 'jwt.yaml')
    expect([ran.code, ran.stdout]).toEqual([0, 'TASK-001 Implement JWT authentication\n'])
    const { completion_spec } = stage.stored('TASK-001')
    expect(stage.stored('TASK-001')).toMatchObject({
      spec_id: 'auth-feature',
      priority: 1,
      status: 'pending',
    })
    expect(completion_spec.acceptance_criteria).toHaveLength(7)
    expect(completion_spec.coder.verification_config.command).toContain('test -f src/auth/jwt.py &&\n')
    expect(completion_spec.qa.verification_config.stages).toHaveLength(3)
    const exported = (await stage.ralph('task', 'export')).stdout
    const other = setTasks()
    other.write('again.yaml', exported)
    expect((await other.ralph('task', 'import', 'again.yaml')).code).toBe(0)
    expect({ ...other.stored('TASK-001'), created_at: '', updated_at: '' }).toEqual({
      ...stage.stored('TASK-001'),
      created_at: '',
      updated_at: '',
    })
  })

  it("takes a list, with the spec from --spec or from the file's name", async () => {
    const stage = setTasks()
    stage.write('auth-feature.yaml', example('listed-task.yaml'))
    expect((await stage.ralph('task', 'import', 'auth-feature.yaml')).code).toBe(0)
    expect(stage.stored('TASK-001').spec_id).toBe('auth-feature')
    const other = setTasks()
    other.write('tasks.yaml', example('listed-task.yaml'))
    expect((await other.ralph('task', 'import', 'tasks.yaml', '--spec', 'login')).code).toBe(0)
    expect(other.stored('TASK-001').spec_id).toBe('login')
    expect((await other.ralph('task', 'export')).stdout).not.toContain('reviewer')
  })

  it('takes the example of the page about tasks as it is', async () => {
    const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'tasks.md'), 'utf8')
    const [, yaml = ''] = /^```yaml\n(.*?)^```/ms.exec(page) ?? []
    const stage = setTasks()
    stage.write('tasks.yaml', yaml)
    const ran = await stage.ralph('task', 'import', 'tasks.yaml')
    expect([ran.code, ran.stderr, stage.ids()]).toEqual([0, '', ['TASK-001.json']])
  })

  it('takes JSON, with tabs, and completion_spec for completion', async () => {
    const stage = setTasks()
    const task = { id: 'A', title: 'x', completion_spec: { outcome: 'o', acceptance_criteria: ['c'] } }
    stage.write('two.json', JSON.stringify([task, { ...task, id: 'B', dependencies: ['A'] }], null, '\t'))
    expect((await stage.ralph('task', 'import', 'two.json')).code).toBe(0)
    expect(stage.ids()).toEqual(['A.json', 'B.json'])
  })

  it('lists every mistake with line and path, and imports nothing', async () => {
    const stage = setTasks()
    stage.write(
      'bad.yaml',
      `- id: GOOD
  title: fine
  completion: { outcome: o, acceptance_criteria: [c] }
- id: 17
  title: ""
  status: completed
  completion:
    outcome: o
    acceptance_criteria: []
    reviwer: { promise: X }
    coder:
      verification_method: external
      verification_config:
        comand: make
        timeout: soon
    qa:
      verification_method: multi_stage
      verification_config:
        stages:
          - method: multi_stage
          - method: external
`,
    )
    const ran = await stage.ralph('task', 'import', 'bad.yaml')
    expect(ran.code).toBe(2)
    expect(ran.stderr.trimEnd().split('\n')).toEqual([
      'bad.yaml:6: [1].status is written by ralph; leave it out',
      'bad.yaml:4: [1].id must be a string; put it in quotes',
      'bad.yaml:5: [1].title must be a non-empty line',
      'bad.yaml:9: [1].completion.acceptance_criteria must have at least one criterion',
      'bad.yaml:10: [1].completion.reviwer is no role; did you mean "reviewer"?',
      'bad.yaml:14: [1].completion.coder.verification_config.command is missing',
      'bad.yaml:15: [1].completion.coder.verification_config.timeout must be a number of seconds',
      'bad.yaml:14: [1].completion.coder.verification_config.comand is not a key that ralph knows there',
      'bad.yaml:20: [1].completion.qa.verification_config.stages[0].method is multi_stage again; a stage has one method of its own',
      'bad.yaml:21: [1].completion.qa.verification_config.stages[1].config.command is missing',
      'ralph: error: bad.yaml has 10 problems; nothing was imported',
    ])
    expect(stage.ids()).toEqual([])
  })

  it('refuses an id that exists, one that is there twice, unknown dependencies and cycles', async () => {
    const stage = setTasks()
    const completion = 'completion: { outcome: o, acceptance_criteria: [c] }'
    stage.write('one.yaml', `- { id: A, title: a, ${completion} }\n`)
    expect((await stage.ralph('task', 'import', 'one.yaml')).code).toBe(0)
    stage.write(
      'more.yaml',
      `- { id: A, title: a, ${completion} }\n- { id: B, title: b, ${completion} }\n- { id: B, title: b, dependencies: [C], ${completion} }\n`,
    )
    expect((await stage.ralph('task', 'import', 'more.yaml')).stderr).toBe(
      'more.yaml:1: [0].id is taken: there is a task A already\n' +
        'more.yaml:3: [2].id is taken: there is a task B already\n' +
        'more.yaml:3: [2].dependencies[0] is C, which does not exist\n' +
        'ralph: error: more.yaml has 3 problems; nothing was imported\n',
    )
    stage.write(
      'round.yaml',
      `- { id: B, title: b, dependencies: [C], ${completion} }\n- { id: C, title: c, dependencies: [B], ${completion} }\n`,
    )
    expect((await stage.ralph('task', 'import', 'round.yaml')).stderr).toContain('make a cycle: B → C → B')
    expect(stage.ids()).toEqual(['A.json'])
  })

  it.each([
    ['x: [1', 'x.yaml:1: '],
    ['', 'has no tasks'],
    ['just words', 'has no tasks'],
    ['a: &a [x]\nb: [*a, *a]\n', 'is not a key that ralph knows there'],
    [`a: ${'['.repeat(5000)}`, 'x.yaml'],
    ['{"id": "A",}', 'x.yaml:1: '],
  ])('says what is wrong with a file that begins with %.20j', async (text, words) => {
    const stage = setTasks()
    stage.write('x.yaml', text)
    const ran = await stage.ralph('task', 'import', 'x.yaml')
    expect([ran.code, stage.ids()]).toEqual([2, []])
    expect(ran.stderr).toContain(words)
  })
})

describe('the tasks of a project', () => {
  async function three() {
    const stage = setTasks()
    for (const id of ['TASK-2', 'TASK-10', 'TASK-1'])
      await stage.ralph('task', 'create', id, id === 'TASK-1' ? 'b' : 'a', `Title of ${id}`, ...MINIMAL)
    return stage
  }

  it('are listed by number, by spec and by status, and given to programs', async () => {
    const stage = await three()
    expect((await stage.ralph('task', 'list')).stdout).toBe(
      'TASK-1   pending  b  Title of TASK-1\nTASK-2   pending  a  Title of TASK-2\nTASK-10  pending  a  Title of TASK-10\n',
    )
    const json = JSON.parse((await stage.ralph('task', 'list', '--spec', 'a', '--json')).stdout)
    expect(json.map(({ id }: { id: string }) => id)).toEqual(['TASK-2', 'TASK-10'])
    expect(await stage.ralph('task', 'list', '--status', 'failed')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'no task matches these options\n',
    })
    expect((await stage.ralph('task', 'list', '--status', 'failed', '--json')).stderr).toBe('')
    expect((await setTasks().ralph('task', 'list')).stderr).toMatch(
      /^there are no tasks yet; create one with /,
    )
    expect((await stage.ralph('task', 'list', '--status', 'lost')).code).toBe(2)
  })

  it('are shown with what "done" means', async () => {
    const stage = setTasks()
    await stage.ralph(...CREATE)
    const { stdout } = await stage.ralph('task', 'show', 'TASK-001')
    expect(stdout).toContain('TASK-001 Implement JWT auth\n')
    expect(stdout).toContain('Outcome: All API endpoints require valid JWT tokens\n- [ ] JWT middleware')
    expect(stdout).toContain('  promise    AUTH_TESTS_PASS\n  verified   external\n')
    expect((await stage.ralph('task', 'show', 'TASK-9')).stderr).toBe(
      'ralph: error: there is no task TASK-9; ralph task list shows those that are there\n',
    )
  })

  it('are changed by edit, which keeps what it does not name', async () => {
    const stage = setTasks()
    await stage.ralph(...CREATE)
    const before = stage.stored('TASK-001')
    const ran = await stage.ralph('task', 'edit', 'TASK-001', '--title', 'New', '--coder-verify-cmd', 'make')
    expect([ran.code, ran.stderr]).toEqual([0, ''])
    const after = stage.stored('TASK-001')
    expect(after).toMatchObject({ title: 'New', created_at: before.created_at })
    expect(after.completion_spec.coder).toMatchObject({
      promise: 'AUTH_IMPLEMENTED',
      verification_config: { command: 'make' },
    })
    expect(after.completion_spec.tester).toEqual(before.completion_spec.tester)
    expect((await stage.ralph('task', 'edit', 'TASK-001', '--status', 'cancelled')).code).toBe(0)
    expect(stage.stored('TASK-001').status).toBe('cancelled')
    expect((await stage.ralph('task', 'edit', 'TASK-001')).stderr).toContain('nothing to change')
  })

  it('get follow-ups in the same spec, which wait for them', async () => {
    const stage = await three()
    const ran = await stage.ralph('task', 'followup', 'TASK-2', 'TASK-3', 'Rotate', ...MINIMAL)
    expect(ran.code).toBe(0)
    expect(stage.stored('TASK-3')).toMatchObject({
      spec_id: 'a',
      dependencies: ['TASK-2'],
      metadata: { followup_of: 'TASK-2' },
    })
    expect((await stage.ralph('task', 'followup', 'TASK-2', 'TASK-4', 'x')).stderr).toContain(
      '--outcome is missing',
    )
  })

  it('are removed unless another depends on them', async () => {
    const stage = await three()
    await stage.ralph('task', 'followup', 'TASK-2', 'TASK-3', 'Rotate', ...MINIMAL)
    expect((await stage.ralph('task', 'rm', 'TASK-2')).stderr).toBe(
      'ralph: error: TASK-3 depends on TASK-2; remove it too, or change it first\n',
    )
    const removed = await stage.ralph('task', 'rm', 'TASK-2', 'TASK-3', 'TASK-2')
    expect([removed.code, removed.stdout]).toEqual([0, 'TASK-2 is removed\nTASK-3 is removed\n'])
    expect(stage.ids()).toEqual(['TASK-1.json', 'TASK-10.json'])
  })

  it('are validated whenever they are read: file, place and rule are named', async () => {
    const stage = await three()
    const path = join(stage.dir, 'TASK-1.json')
    const broken = { ...stage.stored('TASK-1'), status: 'lost', extra: 1 }
    writeFileSync(path, JSON.stringify(broken))
    expect((await stage.ralph('task', 'list')).stderr).toContain(
      '.ralph/tasks/TASK-1.json: status must be "pending", "in_progress"',
    )
    writeFileSync(path, '{')
    expect((await stage.ralph('task', 'show', 'TASK-1')).stderr).toContain('.ralph/tasks/TASK-1.json: 1:')
    writeFileSync(path, JSON.stringify({ ...stage.stored('TASK-2'), v: 2 }))
    expect((await stage.ralph('task', 'show', 'TASK-1')).stderr).toContain('v must be 1')
  })

  it('may have no completion spec if somebody wrote the file by hand', async () => {
    const stage = await three()
    writeFileSync(
      join(stage.dir, 'TASK-1.json'),
      JSON.stringify({ ...stage.stored('TASK-1'), completion_spec: null }),
    )
    expect((await stage.ralph('task', 'show', 'TASK-1')).stdout).toContain('It has no completion spec')
  })

  it('are not written through a link', async () => {
    const stage = setTasks()
    mkdirSync(join(stage.root, 'elsewhere'))
    mkdirSync(join(stage.project, '.ralph'))
    symlinkSync(join(stage.root, 'elsewhere'), stage.dir)
    const ran = await stage.ralph('task', 'create', 'A', 's', 'A title', ...MINIMAL)
    expect([ran.code, readdirSync(join(stage.root, 'elsewhere'))]).toEqual([2, []])
    expect(ran.stderr).toContain('no task was added')
  })
})
