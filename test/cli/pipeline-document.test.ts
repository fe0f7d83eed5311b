import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Act } from '../support/agent-script.ts'
import { addJudge, verdicts } from '../support/judge.ts'
import { says, setPipeline } from './pipeline-scene.ts'

const TASK = readFileSync(join(import.meta.dirname, '..', 'workflows', 'pipeline', 'jwt-task.yaml'), 'utf8')

const code = (name: string, text: string): Act => ['file', name, text]
const CODE = [
  code('src/auth/middleware.py', 'claims = jwt.verify(token, key_from_env())\n'),
  code('src/auth/jwt.py', 'raise Unauthorized(401)  # expired or invalid\n'),
  code('src/auth/routes.py', 'return bcrypt.checkpw(password, user.hash)\n'),
]
const done = (text: string, promise: string) => says(`${text}\n<promise>${promise}</promise>`)

const ROLES = {
  coder: [[...CODE, done('Login, refresh and logout are there.', 'AUTH_IMPLEMENTED')]],
  reviewer: [[done('Secrets come from the environment; errors give 401.', 'AUTH_REVIEWED')]],
  tester: [[done('Covered.', 'AUTH_TESTS_PASS')]],
  qa: [[done('All of it holds.', 'AUTH_QA_COMPLETE')]],
}

const PASS = (line: string): ['pass', string] => ['pass', line]
/** "no hardcoded secrets" is shown by nothing: there is no line for it. */
const REVIEW = verdicts(
  PASS(''),
  PASS('raise Unauthorized(401)  # expired or invalid'),
  PASS('return bcrypt.checkpw(password, user.hash)'),
  PASS('return bcrypt.checkpw(password, user.hash)'),
  PASS('raise Unauthorized(401)  # expired or invalid'),
)
const QA = verdicts(
  PASS('claims = jwt.verify(token, key_from_env())'),
  PASS('claims = jwt.verify(token, key_from_env())'),
  PASS('raise Unauthorized(401)  # expired or invalid'),
)

/** The scene wants a task of its own. */
const OTHER = { id: 'OTHER', title: 'x', completion: { outcome: 'x', acceptance_criteria: ['x'] } }

/** Its tools are stand-ins; the task is as the document has it, word for word. */
async function setDocument(roles: Record<string, Act[][]> = {}) {
  const stage = await setPipeline({ tasks: [OTHER], roles: { ...ROLES, ...roles } })
  addJudge(stage.bin, 'judge', REVIEW, QA)
  mkdirSync(join(stage.project, 'src', 'auth'), { recursive: true })
  writeFileSync(
    join(stage.bin, 'pytest'),
    '#!/bin/sh\necho "pytest $*" >> "$HOME/tools"; echo "5 passed"\n',
    {
      mode: 0o755,
    },
  )
  writeFileSync(join(stage.bin, 'bandit'), '#!/bin/sh\necho "bandit $*" >> "$HOME/tools"\n', { mode: 0o755 })
  stage.write('jwt-task.yaml', TASK)
  expect((await stage.ralph('task', 'import', 'jwt-task.yaml')).code).toBe(0)
  expect((await stage.ralph('task', 'rm', 'OTHER')).code).toBe(0)
  const tools = () =>
    readFileSync(join(stage.root, 'home', 'tools'), 'utf8')
      .trim()
      .split('\n')
  return { ...stage, tools }
}

describe("the document's complete example, unedited", () => {
  it('passes with honest work, and every stage is verified as it says', async () => {
    const stage = await setDocument()
    const ran = await stage.ralph('pipeline')
    expect([ran.code, stage.moves()]).toEqual([0, ['coder pass', 'reviewer pass', 'tester pass', 'qa pass']])
    expect(stage.ending()).toMatchObject({ type: 'finished', result: 'complete', proof: 'verified' })
    expect(stage.stored('TASK-001').status).toBe('completed')
    expect(stage.tools()).toEqual([
      'pytest tests/test_auth.py -v --cov=src/auth --cov-fail-under=80',
      'pytest tests/ -v',
      'bandit -r src/auth/',
    ])
    // The reviewer is told which words count against it.
    expect(stage.promptOf('reviewer')).toContain('"TODO", "FIXME", "hardcoded", "password ="')
  })

  it('does not pass a reviewer whose own words say that something is left', async () => {
    const stage = await setDocument({
      reviewer: [
        [done('There is a todo in jwt.py.', 'AUTH_REVIEWED')],
        [done('It is mended.', 'AUTH_REVIEWED')],
      ],
    })
    expect((await stage.ralph('pipeline')).code).toBe(0)
    expect(stage.moves()).toEqual(['coder pass', 'reviewer fail', 'reviewer pass', 'tester pass', 'qa pass'])
    expect(stage.promptOf('reviewer', 2)).toContain('Found negative pattern: TODO')
  })
})
