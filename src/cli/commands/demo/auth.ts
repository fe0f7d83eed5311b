import { existsSync, readFileSync } from 'node:fs'
import type { AgentStream } from './agent-stream.ts'
import { json } from './scratch.ts'

const criteria = (promise: string, description: string, method: string, config: object, most: number) => ({
  promise,
  description,
  verification_method: method,
  verification_config: config,
  max_iterations: most,
})

/** The complete example of the documentation, with the commands of a project in JavaScript. */
const TASK = {
  v: 1,
  id: 'TASK-001',
  spec_id: 'auth-feature',
  title: 'Implement JWT authentication',
  description:
    'Add JWT-based authentication to all API endpoints.\nInclude login, logout, and token refresh.\n',
  status: 'pending',
  priority: 1,
  dependencies: [],
  assignee: '',
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  metadata: {},
  iteration: 0,
  completion_spec: {
    outcome: 'All API endpoints require valid JWT tokens for access',
    acceptance_criteria: [
      'JWT middleware validates tokens on all protected routes',
      'Login endpoint accepts email/password and returns JWT',
      'Refresh endpoint extends token lifetime',
      'Logout endpoint invalidates tokens',
      'Invalid/expired tokens return 401 Unauthorized',
      'Token contains user ID and roles',
      'Passwords are hashed with scrypt',
    ],
    coder: criteria(
      'AUTH_IMPLEMENTED',
      'JWT authentication fully implemented and committed',
      'external',
      { command: 'test -f auth.js && grep -q "jwt.verify" auth.js', success_exit_code: 0 },
      15,
    ),
    reviewer: criteria(
      'AUTH_REVIEWED',
      'Code review passed - secure and follows best practices',
      'semantic',
      {
        check_for: [
          'no hardcoded secrets or keys',
          'proper error handling for auth failures',
          'input validation on credentials',
          'secure password hashing',
          'token expiration handling',
        ],
        negative_patterns: ['TODO', 'FIXME', 'hardcoded', 'password ='],
      },
      5,
    ),
    tester: criteria(
      'AUTH_TESTS_PASS',
      'All auth tests pass',
      'external',
      { command: 'node --test auth.test.js', success_exit_code: 0, output_not_contains: 'not ok' },
      10,
    ),
    qa: criteria(
      'AUTH_QA_COMPLETE',
      'Full QA validation - all acceptance criteria verified',
      'multi_stage',
      {
        require_all: true,
        stages: [
          { name: 'all_tests_pass', method: 'external', config: { command: 'node --test' }, required: true },
          {
            name: 'acceptance_verified',
            method: 'semantic',
            config: {
              check_for: ['JWT middleware validates tokens', 'Login returns JWT', '401 for invalid tokens'],
            },
            required: true,
          },
        ],
      },
      5,
    ),
  },
}

/** The pipeline's project: one task, and nothing else. */
export const auth = {
  message: 'One task and nothing else',
  files: {
    'package.json': json({ name: 'auth', type: 'module', private: true }),
    '.ralph/settings.json': json({ agent: { command: 'demo' } }),
    '.ralph/tasks/TASK-001.json': json(TASK),
  },
}

const FIRST_TRY = 'export const protect = request => request\n'

const code = (expires: boolean): string => `import { createHmac, scryptSync } from 'node:crypto'

const secret = () => process.env.JWT_SECRET ?? ''
const revoked = new Set()
const mac = text => createHmac('sha256', secret()).update(text).digest('base64url')
export const hash = (word, salt) => scryptSync(word, salt, 32).toString('hex')

export const jwt = {
  sign(claims) {
    const body = Buffer.from(JSON.stringify(claims)).toString('base64url')
    return body + '.' + mac(body)
  },
  verify(token) {
    const [body, sum] = String(token).split('.')
    if (sum !== mac(body) || revoked.has(token)) throw new Error('invalid token')
    const claims = JSON.parse(Buffer.from(body, 'base64url'))
${expires ? "    if (claims.expires <= Date.now()) throw new Error('expired token')\n" : ''}    return claims
  },
}

export function login(user, { email, word }) {
  if (typeof email !== 'string' || typeof word !== 'string') return { status: 400 }
  if (user.email !== email || user.hash !== hash(word, user.salt)) return { status: 401 }
  return { status: 200, token: issue(user) }
}

export const issue = user => jwt.sign({ id: user.id, roles: user.roles, expires: Date.now() + 60_000 })
export const refresh = token => issue(jwt.verify(token))
export const logout = token => revoked.add(token)

export function protect(request) {
  try {
    return { status: 200, user: jwt.verify(request.token) }
  } catch {
    return { status: 401 }
  }
}
`

const TEST = `import assert from 'node:assert/strict'
import test from 'node:test'
import { hash, jwt, login, logout, protect, refresh } from './auth.js'

const user = { id: 1, roles: ['admin'], email: 'a@b.c', salt: 's', hash: hash('word', 's') }
const { token } = login(user, { email: 'a@b.c', word: 'word' })

test('a valid token gets through', () => assert.equal(protect({ token }).user.id, 1))
test('an invalid token gets 401', () => assert.equal(protect({ token: token + 'x' }).status, 401))
test('an expired token gets 401', () => assert.equal(protect({ token: jwt.sign({ expires: 0 }) }).status, 401))
test('a refreshed token gets through', () => assert.equal(protect({ token: refresh(token) }).status, 200))
test('after logout it does not', () => assert.equal((logout(token), protect({ token })).status, 401))
`

const REJECT = 'auth.js:16: a token never expires: claims.expires is not looked at'
const INPUT = { input: 1700, cached: 700 }

/** Codes, reviews, tests and validates; the first promise is false, and the first review sends the work back. */
export async function playAuth(stream: AgentStream, prompt: string): Promise<void> {
  const [, role = ''] = /\*\*Agent\*\*: (\w+)/.exec(prompt) ?? []
  if (role === 'coder') return playCoder(stream, prompt)
  if (role === 'tester') {
    await stream.write('auth.test.js', TEST)
    return stream.end('Five tests.\n\n<promise>AUTH_TESTS_PASS</promise>', INPUT)
  }
  await stream.read('auth.js')
  if (role === 'qa') return stream.end('Each criterion holds.\n\n<promise>AUTH_QA_COMPLETE</promise>', INPUT)
  const isComplete = readFileSync('auth.js', 'utf8').includes('expired token')
  const answer = isComplete ? '<promise>AUTH_REVIEWED</promise>' : `<reject>\n${REJECT}\n</reject>`
  await stream.end(`Reviewed.\n\n${answer}`, INPUT)
}

async function playCoder(stream: AgentStream, prompt: string): Promise<void> {
  const isFirst = !existsSync('auth.js')
  await stream.text(isFirst ? 'A first version, to begin with.' : 'Now the whole of it.')
  await stream.write('auth.js', isFirst ? FIRST_TRY : code(prompt.includes('never expires')))
  await stream.end('Done.\n\n<promise>AUTH_IMPLEMENTED</promise>', INPUT)
}

/** A line of the work for each criterion of the task. */
const EVIDENCE: readonly (readonly [RegExp, string])[] = [
  [/error handling|validates tokens/, 'return { status: 200, user: jwt.verify(request.token) }'],
  [/input validation/, "if (typeof email !== 'string' || typeof word !== 'string') return { status: 400 }"],
  [/hashing/, "export const hash = (word, salt) => scryptSync(word, salt, 32).toString('hex')"],
  [/expiration/, "if (claims.expires <= Date.now()) throw new Error('expired token')"],
  [/Login returns/, 'return { status: 200, token: issue(user) }'],
  [/401/, 'return { status: 401 }'],
]

/** The judge of the demo: it quotes a line for each criterion that it knows. */
export async function playJudge(stream: AgentStream, prompt: string): Promise<void> {
  const [mark = ''] = /VERDICT-[0-9a-f]+:/.exec(prompt) ?? []
  const asked = [...prompt.matchAll(/^- (c\d+): "(.*)"$/gm)]
  const verdicts = asked.map(([, id, criterion = '']) => {
    const evidence = EVIDENCE.find(([pattern]) => pattern.test(criterion))?.[1] ?? ''
    return { id, verdict: 'pass', evidence }
  })
  await stream.end(`${mark}${JSON.stringify({ injection: null, criteria: verdicts })}`, INPUT)
}
