import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../src/core/events.ts'
import { resumeByName } from '../../src/host/resume.ts'
import { workflows } from '../../src/workflows/index.ts'
import { callWith } from '../support/io.ts'
import { DONE, setPrompt } from './hosted-prompt.ts'
import { noFrontend } from './no-frontend.ts'

const TEST = `it('adds', () => { expect(add(1, 2)).toBe(3) })
it('subtracts', () => { expect(subtract(3, 2)).toBe(1) })
`

type Setting = { git?: boolean; settings?: object; guardrail?: string; before?: string }

/** Runs a scripted agent in this process: each script is one iteration, in the project's folder. */
async function host(
  calls: string[],
  { git = true, settings = {}, guardrail = 'true', before }: Setting = {},
) {
  const run = setPrompt({
    files: { 'test/cart.test.js': TEST, 'package.json': '{ "scripts": { "test": "node --test" } }\n' },
    calls: calls.map(script => `echo work; ${script}`),
    settings: {
      baseline: true,
      guardrails: [{ command: guardrail }],
      maximumIterations: calls.length,
      ...settings,
    },
  })
  if (!git) rmSync(join(run.project, '.git'), { recursive: true })
  if (before) execFileSync('sh', ['-ec', before], { cwd: run.project })
  const heard: RunEvent[] = []
  const code = await run.host([{ onEvent: event => heard.push(event) }])
  return { ...run, code, heard, prompt: (n: number) => run.read(`../prompt-${n}`) }
}

const DELETED = 'test/cart.test.js was deleted, and no other test file has its tests'

describe('a run that weakened the tests', () => {
  it.each([
    ['as it left them', 'rm test/cart.test.js'],
    ['in a commit', 'git rm -q test/cart.test.js; git commit -qm x'],
  ])('ends as claimed, with the reason, and says so at once: %s', async (_, script) => {
    const run = await host([`${script}; ${DONE}`])
    expect(run.ending()).toMatchObject({
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
    expect(run.ending()).toMatchObject({ proof: 'verified', why: 'complete' })
  })

  it('is told so again after it was resumed', async () => {
    const settings = { maximumIterations: 1 }
    const run = await host(['git rm -q test/cart.test.js; git commit -qm x', DONE], { settings })
    expect(run.ending()).toMatchObject({ result: 'exhausted' })
    const resumed = await callWith(run.env, io =>
      resumeByName(
        run.id,
        { projectDir: run.project, maxIterations: 2 },
        { registry: workflows, io, frontend: noFrontend() },
      ),
    )
    expect(resumed.code).toBe(0)
    expect(run.prompt(2)).toContain(DELETED)
    expect(run.ending()).toMatchObject({ proof: 'claimed', why: `weakened tests: ${DELETED}` })
  })

  it('ends in failure if that is the setting', async () => {
    const run = await host(
      [`mv test/cart.test.js ../kept; ${DONE}`, `mv ../kept test/cart.test.js; ${DONE}`],
      {
        settings: { testChanges: 'fail' },
      },
    )
    const moves = run.journal().flatMap(e => (e.type === 'settled' ? [e.move] : []))
    expect(moves).toEqual(['fail', 'pass'])
    expect(run.prompt(2)).toContain(`The tests are weaker than when the run began: ${DELETED}`)
    expect(run.ending()).toMatchObject({ proof: 'verified' })
  })

  it('is not looked at if that is the setting', async () => {
    const run = await host([`rm test/cart.test.js; ${DONE}`], { settings: { testChanges: 'allow' } })
    expect(run.ending()).toMatchObject({ proof: 'verified' })
  })

  it('is found by the number of tests, also without git', async () => {
    const run = await host([`echo 3 > tests; ${DONE}`], {
      git: false,
      guardrail: 'echo "      Tests  $(cat tests || echo 5) passed (5)"',
    })
    expect(run.ending()).toMatchObject({
      proof: 'claimed',
      why: expect.stringMatching(/ran 3 of the 5 tests that it ran before$/),
    })
  })

  it('is compared with the user’s uncommitted files, not with the last commit', async () => {
    const before =
      'echo "it.skip(\'mine\', () => {})" >> test/cart.test.js; echo "it(\'x\', () => {})" > test/new.test.js'
    const honest = await host([`echo >> test/cart.test.js; ${DONE}`], { before })
    expect(honest.ending()).toMatchObject({ proof: 'verified' })
    const other = await host([`rm test/new.test.js; ${DONE}`], { before })
    expect(other.ending()).toMatchObject({ proof: 'claimed' })
  })

  it('cannot hide it by making the repository unreadable', async () => {
    const run = await host([`rm -rf .git/objects/* test; ${DONE}`])
    expect(run.ending()).toMatchObject({
      proof: 'claimed',
      why: 'weakened tests: git cannot show the tests as they were when the run began',
    })
  })
})

describe('a run that changed tests in a language that ralph does not read', () => {
  it('ends as verified, and names the file once', async () => {
    const before = 'echo "testAdds" > test/CartTest.php'
    const run = await host(['echo > test/CartTest.php', `rm test/CartTest.php; ${DONE}`], { before })
    expect(run.ending()).toMatchObject({ proof: 'verified' })
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
    expect(run.ending()).toMatchObject({ proof: 'verified', why: 'complete' })
    expect(run.heard.some(e => e.type === 'checked' && e.finding.check === 'weakened tests')).toBe(false)
  })
})
