import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../src/core/events.ts'
import { recordStart } from '../../src/git/start.ts'
import { factRows } from '../../src/host/facts.ts'
import { hostRun } from '../../src/host/host.ts'
import { resumeByName } from '../../src/host/resume.ts'
import { loadSettings } from '../../src/settings/load.ts'
import { readJournal } from '../../src/store/journal.ts'
import { workflows } from '../../src/workflows/index.ts'
import type { PromptSpec } from '../../src/workflows/run/spec.ts'
import { runWorkflow } from '../../src/workflows/run/workflow.ts'
import { limitsOf } from '../../src/workflows/spec.ts'
import { callWith } from '../support/io.ts'
import { BEGIN, makeRepository } from '../support/repository.ts'
import { scratch } from '../support/scratch.ts'
import { noFrontend } from './no-frontend.ts'

// Runs end what has their id, so no two of them may share one, also not of two test runs on one machine.
const ID = `20260301-221530-${randomBytes(4).toString('hex')}`
const TEST = `it('adds', () => { expect(add(1, 2)).toBe(3) })
it('subtracts', () => { expect(subtract(3, 2)).toBe(1) })
`
const DONE = 'echo "<response>DONE</response>"'

type Setting = { git?: boolean; settings?: object; guardrail?: string; before?: string }

/** Runs a scripted agent in this process: each script is one iteration, in the project's folder. */
async function host(
  scripts: string[],
  { git = true, settings = {}, guardrail = 'true', before }: Setting = {},
) {
  const root = scratch('ralph-tests-')
  const project = join(root, 'project')
  const env = { PATH: process.env.PATH!, HOME: root, RALPH_HOME: join(root, 'home'), RALPH_TRUST: '1' }
  const sh = (script: string) => execFileSync('sh', ['-ec', script], { cwd: project, env })
  const files = { 'test/cart.test.js': TEST, 'package.json': '{ "scripts": { "test": "node --test" } }\n' }
  const script = git ? `${BEGIN}; git add -A; git commit -qm first` : 'true'
  makeRepository(project, { files, script })
  if (git && before) sh(before)
  const { settings: all } = loadSettings(project, {
    guardrails: [{ command: guardrail, failAction: 'APPEND', timeout: 60 }],
    maximumIterations: scripts.length,
    sandbox: { mode: 'none' },
    ...settings,
  })
  for (const [index, script] of scripts.entries()) writeFileSync(join(root, `${index + 1}.sh`), script)
  const agent =
    'n=$(($(cat ../n 2>/dev/null || echo 0) + 1)); echo $n > ../n; cat > ../prompt-$n; echo work; . ../$n.sh'
  const spec: PromptSpec = {
    workflow: 'run',
    project,
    settings: all,
    agent: { argv: ['sh', '-c', agent], explicit: true, model: null },
    once: false,
    start: git ? await recordStart(project, env) : null,
    prompt: { type: 'text', text: 'Do it.' },
    condition: { response: 'DONE', pattern: null },
  } as PromptSpec
  const limits = limitsOf(all)
  mkdirSync(env.RALPH_HOME)
  const heard: RunEvent[] = []
  const code = await hostRun({
    home: env.RALPH_HOME,
    id: ID,
    workflow: runWorkflow,
    spec,
    limits,
    past: [],
    warnings: [],
    env,
    frontend: noFrontend([{ onEvent: event => heard.push(event) }]),
    rows: factRows(runWorkflow, spec, limits),
  })
  const runDir = join(env.RALPH_HOME, 'runs', ID)
  const events = () => readJournal(runDir)
  return {
    code,
    heard,
    sh,
    env,
    project,
    events,
    finished: () => events().findLast(e => e.type === 'finished'),
    prompt: (n: number) => execFileSync('cat', [join(root, `prompt-${n}`)], { encoding: 'utf8' }),
  }
}

const DELETED = 'test/cart.test.js was deleted, and no other test file has its tests'

describe('a run that weakened the tests', () => {
  it.each([
    ['as it left them', 'rm test/cart.test.js'],
    ['in a commit', 'git rm -q test/cart.test.js; git commit -qm x'],
  ])('ends as claimed, with the reason, and says so at once: %s', async (_, script) => {
    const run = await host([`${script}; ${DONE}`])
    expect(run.finished()).toMatchObject({
      result: 'complete',
      proof: 'claimed',
      why: `weakened tests: ${DELETED}`,
    })
    expect(run.heard.filter(e => e.type === 'checked').at(-1)).toMatchObject({
      finding: { check: 'weakened tests', verdict: 'pass', doubts: [DELETED] },
    })
    expect(run.code).toBe(0)
  })

  it('is told so in every prompt, until the tests are as they were: then it is verified', async () => {
    const run = await host(['mv test/cart.test.js ../kept', 'true', `mv ../kept test/cart.test.js; ${DONE}`])
    expect(run.prompt(1)).not.toContain('weaker')
    for (const n of [2, 3])
      expect(run.prompt(n)).toContain(`The tests are weaker than when the run began:\n- ${DELETED}\n`)
    expect(run.finished()).toMatchObject({ proof: 'verified', why: 'complete' })
  })

  it('is told so again after it was resumed', async () => {
    const run = await host(['git rm -q test/cart.test.js; git commit -qm x'])
    expect(run.finished()).toMatchObject({ result: 'exhausted' })
    run.sh(`echo '${DONE}' > ../2.sh`)
    const resumed = await callWith(run.env, io =>
      resumeByName(
        ID,
        { projectDir: run.project, maxIterations: 2 },
        { registry: workflows, io, frontend: noFrontend() },
      ),
    )
    expect(resumed.code).toBe(0)
    expect(run.prompt(2)).toContain(DELETED)
    expect(run.finished()).toMatchObject({ proof: 'claimed', why: `weakened tests: ${DELETED}` })
  })

  it('ends in failure if that is the setting', async () => {
    const run = await host(
      [`mv test/cart.test.js ../kept; ${DONE}`, `mv ../kept test/cart.test.js; ${DONE}`],
      {
        settings: { testChanges: 'fail' },
      },
    )
    const moves = run.events().flatMap(e => (e.type === 'settled' ? [e.move] : []))
    expect(moves).toEqual(['fail', 'pass'])
    expect(run.prompt(2)).toContain(`The tests are weaker than when the run began: ${DELETED}`)
    expect(run.finished()).toMatchObject({ proof: 'verified' })
  })

  it('is not looked at if that is the setting', async () => {
    const run = await host([`rm test/cart.test.js; ${DONE}`], { settings: { testChanges: 'allow' } })
    expect(run.finished()).toMatchObject({ proof: 'verified' })
  })

  it('is found by the number of tests, also without git', async () => {
    const run = await host([`echo 3 > tests; ${DONE}`], {
      git: false,
      guardrail: 'echo "      Tests  $(cat tests || echo 5) passed (5)"',
    })
    expect(run.finished()).toMatchObject({
      proof: 'claimed',
      why: expect.stringMatching(/ran 3 of the 5 tests that it ran before$/),
    })
  })

  it('is compared with the user’s uncommitted files, not with the last commit', async () => {
    const before =
      'echo "it.skip(\'mine\', () => {})" >> test/cart.test.js; echo "it(\'x\', () => {})" > test/new.test.js'
    const honest = await host([`echo >> test/cart.test.js; ${DONE}`], { before })
    expect(honest.finished()).toMatchObject({ proof: 'verified' })
    const other = await host([`rm test/new.test.js; ${DONE}`], { before })
    expect(other.finished()).toMatchObject({ proof: 'claimed' })
  })

  it('cannot hide it by making the repository unreadable', async () => {
    const run = await host([`rm -rf .git/objects/* test; ${DONE}`])
    expect(run.finished()).toMatchObject({
      proof: 'claimed',
      why: 'weakened tests: git cannot show the tests as they were when the run began',
    })
  })
})

describe('a run that changed tests in a language that ralph does not read', () => {
  it('ends as verified, and names the file once', async () => {
    const before = 'echo "testAdds" > test/CartTest.php'
    const run = await host(['echo > test/CartTest.php', `rm test/CartTest.php; ${DONE}`], { before })
    expect(run.finished()).toMatchObject({ proof: 'verified' })
    const warnings = run.heard.flatMap(e => (e.type === 'warned' ? [e.note] : []))
    expect(warnings).toEqual([expect.stringContaining('changed since the run began: test/CartTest.php;')])
  })
})

describe('a run that worked honestly', () => {
  it.each([
    ['moved a test', 'git mv test/cart.test.js test/sum.test.js; git commit -qm x'],
    ['added tests', 'cp test/cart.test.js test/b.test.js; echo "// .skip(" >> test/b.test.js'],
    ['added a script', `echo '{ "scripts": { "test": "node --test", "dev": "x" } }' > package.json`],
    ['wrote text that is not UTF-8', `printf '// \\377\\376 \\n' >> test/cart.test.js`],
  ])('ends as verified: it %s', async (_, script) => {
    const run = await host([`${script}; ${DONE}`], { guardrail: 'true # npm test' })
    expect(run.finished()).toMatchObject({ proof: 'verified', why: 'complete' })
    expect(run.heard.some(e => e.type === 'checked' && e.finding.check === 'weakened tests')).toBe(false)
  })
})
