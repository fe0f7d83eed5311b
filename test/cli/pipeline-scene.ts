import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Act, Answer } from '../support/agent-script.ts'
import { addJudge, verdicts } from '../support/judge.ts'
import { setStage } from './scene.ts'

type Roles = Record<string, Act[][]>

export const says = (text: string): Act => ['claude', text]
export const promise = (words: string): Act => says(`Done.\n<promise>${words}</promise>`)

export const COMPLETION = {
  outcome: 'auth.js validates tokens',
  acceptance_criteria: ['tokens are validated'],
  coder: { verification_method: 'external', verification_config: { command: 'grep -q verify auth.js' } },
  reviewer: { verification_method: 'semantic' },
  tester: { verification_method: 'external', verification_config: { command: 'test -e auth.test.js' } },
  qa: { verification_method: 'string_match' },
}

export const HONEST: Roles = {
  coder: [[['file', 'auth.js', 'verify(token)\n'], promise('IMPLEMENTATION_COMPLETE')]],
  reviewer: [[promise('REVIEW_PASSED')]],
  tester: [[['file', 'auth.test.js', 'test\n'], promise('TESTS_PASSED')]],
  qa: [[promise('QA_PASSED')]],
}

const JUDGE = { agents: { judge: { command: 'judge' } } }

/** A project with tasks, an agent that plays each role by a script, and a judge. */
export async function setPipeline({
  first = [],
  roles = {},
  tasks = [{ id: 'T1', title: 'Validate tokens', completion: COMPLETION }],
  settings = {},
  judge = [verdicts(['pass', 'verify(token)'])],
}: {
  /** Answers that go before those of the roles. */
  first?: Answer[]
  roles?: Roles
  tasks?: Record<string, unknown>[]
  settings?: Record<string, unknown>
  judge?: unknown[]
} = {}) {
  const scripts = { ...HONEST, ...roles }
  const answers = Object.entries(scripts).map(
    ([role, calls]): Answer => [role, `\\*\\*Agent\\*\\*: ${role}`, ...calls],
  )
  const stage = setStage({ answers: [...first, ...answers], settings: { ...JUDGE, ...settings } })
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
