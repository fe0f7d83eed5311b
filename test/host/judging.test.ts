import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../src/core/events.ts'
import { DONE, setPrompt } from './hosted-prompt.ts'

/** A protected test that is red, and a check before it that runs the agent's code. */
const judged = (code: string, test = 'sh test/run.sh') =>
  setPrompt({
    files: { 'test/run.sh': 'exit 1\n', 'build.sh': '' },
    calls: [`cat > build.sh <<'END'\n${code}\nEND\n${DONE}`],
    settings: {
      protect: ['test/**'],
      guardrails: [{ command: 'sh build.sh' }, { command: test }],
    },
  })

const forge = `echo 'exit 0' > test/run.sh`

describe('code that a check runs', () => {
  it.each([
    ['rewrites it', forge],
    ['rewrites it and fails', `${forge}; exit 3`],
    ['removes it', 'rm -r test'],
    ['replaces it by a link', 'echo exit 0 > ok.sh; ln -sf ../ok.sh test/run.sh'],
    ['makes it another file', `mv test/run.sh test/was.sh; ${forge}`],
    ['adds a file that is protected', 'echo {} > .ralph/settings.local.json'],
    ['adds a hook', `echo 'exit 0' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit`],
  ])('cannot change what the next check judges by: it %s', async (_, code) => {
    const run = judged(code)
    expect(await run.host()).toBe(1)
    const [{ findings }] = run.settled() as [ReturnType<typeof run.settled>[number]]
    expect(findings.slice(0, 2).map(f => f.verdict)).toEqual(['fail', 'fail'])
    expect(findings[0]!.note).toContain('Protected files were changed while "sh build.sh" ran')
    expect(findings[0]!.note).toMatch(/test\/run\.sh|settings\.local\.json|hooks\/pre-commit/)
    expect(run.read('test/run.sh')).toBe('exit 1\n')
    expect(run.read('.ralph/settings.local.json')).toBeNull()
    expect(run.read('.git/hooks/pre-commit')).toBeNull()
  })

  const later = `sh -c "until [ -e ../next ]; do sleep 0.02; done; echo exit 0 > test/run.sh"`
  it.each([
    ['in the background', `${later} &`],
    ['in a session of its own', `setsid ${later} >/dev/null 2>&1 &`],
    ['under the name of another step', `RALPH_STEP=999 setsid ${later} >/dev/null 2>&1 &`],
    ['under the name of no step', `RALPH_STEP=none RALPH_CALL= setsid ${later} >/dev/null 2>&1 &`],
    ['as another call', `env -u RALPH_CALL -u RALPH_STEP setsid ${later} >/dev/null 2>&1 &`],
    ['as ralph itself', `RALPH_CALL=ralph RALPH_STEP=ralph setsid ${later} >/dev/null 2>&1 &`],
  ])('leaves nothing running that does it while the next one runs: %s', async (_, code) => {
    const run = judged(code, 'touch ../next; sleep 0.6; sh test/run.sh')
    expect(await run.host()).toBe(1)
    const [{ findings }] = run.settled() as [ReturnType<typeof run.settled>[number]]
    expect(findings.slice(0, 2).map(f => f.verdict)).toEqual(['pass', 'fail'])
    expect(findings[1]!.note).toContain('failed with exit code 1')
    expect(run.read('test/run.sh')).toBe('exit 1\n')
  })

  it('is judged before the first iteration too', async () => {
    const run = setPrompt({
      files: { 'test/run.sh': 'exit 1\n' },
      calls: [DONE],
      settings: { baseline: true, protect: ['test/**'], guardrails: [{ command: forge }] },
    })
    expect(await run.host()).toBe(1)
    expect(run.journal().find(e => e.type === 'baseline')).toMatchObject({ findings: [{ verdict: 'fail' }] })
    expect(run.read('test/run.sh')).toBe('exit 1\n')
  })

  it('of one check may run on while another ends, whatever its marks', async () => {
    const child = `(for i in 1 2 3 4 5 6 7 8; do sleep 0.1; done; touch ../lived) & wait`
    const run = setPrompt({
      calls: [DONE],
      settings: {
        guardrailParallelism: 3,
        guardrails: [
          { command: 'sleep 0.1' },
          { command: 'sleep 0.2; true' },
          { command: `env -u RALPH_CALL RALPH_STEP=7 sh -c '${child}'; test -e ../lived` },
          { command: 'sleep 0.3' },
        ],
      },
    })
    expect(await run.host()).toBe(0)
    expect(run.ending()).toMatchObject({ result: 'complete', proof: 'verified' })
  })
})

describe('the tree that is committed', () => {
  const scm = { tasks: ['commit'] }
  const green = [{ command: 'grep -q ok a.txt && ! grep -q bad a.txt' }]
  const committed = (run: ReturnType<typeof setPrompt>) => run.git('show', 'HEAD:a.txt')

  const once = (act: string) => `[ -e ../once ] || { touch ../once; ${act}; }`
  it.each([
    ['itself', once('echo bad > a.txt'), 'bad\n'],
    ['by a process that it leaves', once('setsid sh -c "sleep 0.1; echo bad > a.txt" & sleep 0.3'), 'bad\n'],
    ['in a commit of its own', once('echo bad > a.txt; git commit -qam mine'), 'bad\n'],
    ['by removing it', once('rm a.txt'), null],
  ])('is checked again if the call for its message changes it: %s', async (_, message, left) => {
    const run = setPrompt({
      files: { 'a.txt': 'ok\n' },
      calls: [`echo ok, changed > a.txt; ${DONE}`, `echo 'echo no more'`],
      message: `${message}; echo Change a`,
      settings: { guardrails: green, scm },
    })
    expect(await run.host()).toBe(1)
    expect(run.settled()).toMatchObject([{ move: 'fail' }])
    expect(run.read('a.txt')).toBe(left)
    expect(run.journal().filter(e => e.type === 'committed' && e.by === 'ralph')).toEqual([])
  })

  it('is what the checks left, checked once more, if they change it, as a formatter does', async () => {
    const format = `tr a-z A-Z < a.txt > ../b; cmp -s ../b a.txt || cp ../b a.txt; echo >> ../runs`
    const run = setPrompt({
      calls: [`echo x > a.txt; ${DONE}`],
      settings: { guardrails: [{ command: format }], scm },
    })
    expect(await run.host()).toBe(0)
    expect(run.ending()).toMatchObject({ result: 'complete', proof: 'verified' })
    expect([committed(run), run.read('../runs')]).toEqual(['X\n', '\n\n'])
  })

  it('is checked again by all checks: one that was green before the change may be red after it', async () => {
    const run = setPrompt({
      calls: [`echo ok > a.txt; ${DONE}`],
      settings: { guardrails: [...green, { command: 'echo bad >> a.txt' }], scm },
    })
    expect(await run.host()).toBe(1)
    expect(run.settled()).toMatchObject([{ move: 'fail', findings: [{}, { verdict: 'fail' }, {}] }])
  })

  it('has nothing that the checks change each time, and then the run proves nothing', async () => {
    const run = setPrompt({
      files: { 'log.txt': 'start\n' },
      calls: [`echo ok > a.txt; ${DONE}`],
      settings: { guardrails: [...green, { command: 'echo run >> log.txt' }], scm },
    })
    expect(await run.host()).toBe(0)
    expect(run.ending()).toMatchObject({ proof: 'claimed', why: expect.stringContaining('log.txt') })
    expect([committed(run), run.git('show', 'HEAD:log.txt')]).toEqual(['ok\n', 'start\n'])
    expect(run.read('log.txt')).toBe('start\nrun\nrun\n')
    expect(run.journal().filter(e => e.type === 'warned')).toMatchObject([
      { note: expect.stringMatching(/^left uncommitted, .*: log\.txt$/) },
    ])
  })

  it('has no message if the agent failed', async () => {
    const run = setPrompt({
      calls: ['echo x > a.txt; exit 3'],
      message: 'echo >> ../asked; echo Add a',
      settings: { guardrails: [{ command: 'true' }], scm },
    })
    expect(await run.host()).toBe(1)
    expect(run.read('../asked')).toBeNull()
  })

  it('asks for its message once, however often the checks run', async () => {
    const run = setPrompt({
      calls: [`echo x > a.txt; ${DONE}`],
      message: 'echo >> ../asked; echo Add a',
      settings: { guardrails: [{ command: '[ -e b.txt ] || echo y > b.txt' }], scm },
    })
    expect(await run.host()).toBe(0)
    expect(run.read('../asked')).toBe('\n')
    expect(run.git('show', '--format=%s', '--name-only').trim().split('\n')).toEqual([
      'Add a',
      '',
      'a.txt',
      'b.txt',
    ])
  })
})

describe('a check that is red, then green on the same tree', () => {
  /** Red the first time. */
  const flaky = '[ -e ../seen ] || { touch ../seen; exit 1; }'
  const moves = (run: ReturnType<typeof setPrompt>) => run.settled().map(({ move }) => move)

  it('is flaky: it is told, and counts once it is green again', async () => {
    const run = setPrompt({
      calls: [`echo x > a.txt; ${DONE}`, DONE, DONE],
      settings: { maximumIterations: 3, guardrails: [{ command: flaky }] },
    })
    expect(await run.host()).toBe(0)
    expect(moves(run)).toEqual(['fail', 'more', 'pass'])
    expect(run.settled()[1]!.findings).toMatchObject([{ check: flaky, verdict: 'unsure', flaky: true }])
    expect(run.read('../prompt')).toContain('it failed before and passes now, on the same tree')
    expect(run.ending()).toMatchObject({ proof: 'verified' })
  })

  it('is flaky after the baseline too', async () => {
    const run = setPrompt({
      calls: [DONE],
      settings: { baseline: true, maximumIterations: 2, guardrails: [{ command: flaky }] },
    })
    expect(await run.host()).toBe(0)
    expect(moves(run)).toEqual(['more', 'pass'])
  })

  it.each([
    ['the agent changed a file', `echo y > a.txt; ${DONE}`],
    ['the agent added a file', `echo y > b.txt; ${DONE}`],
    ['the agent committed', `git add -A; git commit -qm mine; ${DONE}`],
  ])('is not flaky if %s', async (_, second) => {
    const run = setPrompt({
      calls: [`echo x > a.txt; ${DONE}`, second],
      settings: { maximumIterations: 2, guardrails: [{ command: flaky }] },
    })
    expect(await run.host()).toBe(0)
    expect(moves(run)).toEqual(['fail', 'pass'])
  })
})

describe('a program that the agent puts on PATH', () => {
  const plant = (name: string, script: string) =>
    `printf '#!/bin/sh\\n%s\\n' '${script}' > ../bin/${name}; chmod +x ../bin/${name}`
  it.each([
    ['sh', plant('sh', 'touch ../forged; exit 0')],
    ['git', plant('git', 'touch ../forged; exit 0')],
    ['both', `${plant('sh', 'exit 0')}; ${plant('git', 'touch ../forged')}`],
  ])('is not run by ralph itself: %s', async (_, planted) => {
    const run = setPrompt({
      calls: [`${planted}; echo x > a.txt; ${DONE}`],
      message: 'echo Add a',
      settings: { guardrails: [{ command: 'exit 1' }], scm: { tasks: ['commit'] }, maximumIterations: 2 },
    })
    expect(await run.host()).toBe(1)
    expect(run.settled().map(({ move }) => move)).toEqual(['fail', 'fail'])
    expect(run.read('../forged')).toBeNull()
  })

  it('is not what commits', async () => {
    const run = setPrompt({
      calls: [`${plant('git', 'touch ../forged; exit 0')}; echo x > a.txt; ${DONE}`],
      message: 'echo Add a',
      settings: { guardrails: [{ command: 'true' }], scm: { tasks: ['commit'] } },
    })
    expect(await run.host()).toBe(0)
    expect(run.read('../forged')).toBeNull()
    expect(run.git('log', '-1', '--format=%s')).toBe('Add a\n')
  })
})

describe("a person's edit of a protected file", () => {
  it('stays if it is made between two iterations', async () => {
    const run = setPrompt({
      files: { 'test/run.sh': 'exit 1\n' },
      calls: ['echo more', DONE],
      settings: { maximumIterations: 2, protect: ['test/**'], guardrails: [{ command: 'true' }] },
    })
    const onEvent = ({ type }: RunEvent) => {
      if (type === 'applied') run.write('test/run.sh', 'mine\n')
    }
    expect(await run.host([{ onEvent }])).toBe(0)
    expect(run.read('test/run.sh')).toBe('mine\n')
  })
})
