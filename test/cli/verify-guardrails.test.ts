import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DONE } from '../support/agent-script.ts'
import { addJudge, verdicts } from '../support/judge.ts'
import { setStage } from './scene.ts'

const settledIn = (stage: ReturnType<typeof setStage>) =>
  stage.journal().flatMap(event => (event.type === 'settled' ? [event] : []))

describe('a guardrail that names a method', () => {
  it('runs a command and looks at its exit code and its output', async () => {
    const stage = setStage({
      settings: {
        guardrails: [
          { verify: 'external', config: { command: 'cat out', output_contains: 'green' } },
          { verify: 'external', config: { command: 'exit 3', success_exit_code: 3, working_dir: 'sub' } },
          { verify: 'file-exists', config: { path: 'out' } },
        ],
      },
      calls: [
        [['file', 'out', 'red'], ['file', 'sub/x', ''], DONE],
        [['file', 'out', 'green'], DONE],
      ],
    })
    stage.write('out', '')
    mkdirSync(join(stage.project, 'sub'))
    const ran = await stage.ralph('run', '-p', 'x', '-m', '3')
    expect(ran.code).toBe(0)
    const [first, second] = settledIn(stage)
    expect(first!.findings.map(({ check, verdict }) => [check, verdict])).toEqual([
      ['cat out', 'fail'],
      ['exit 3', 'pass'],
      ["test -f 'out'", 'pass'],
    ])
    expect(first!.findings[0]!.note).toMatch(
      /^Guardrail "cat out" failed: Output doesn't contain: green \(cat out\)/,
    )
    expect(second!.findings.every(({ verdict }) => verdict === 'pass')).toBe(true)
    expect(stage.journal().at(-1)).toMatchObject({ result: 'complete', proof: 'verified' })
  })

  it('does not run a command again that a guardrail has run on the same tree', async () => {
    const stage = setStage({
      settings: {
        baseline: false,
        guardrails: [
          { command: `printf x >> "$HOME/ran"` },
          { verify: 'external', config: { command: `printf x >> "$HOME/ran"` } },
        ],
      },
    })
    expect((await stage.ralph('run', '-p', 'x')).code).toBe(0)
    expect(readFileSync(join(stage.env.HOME, 'ran'), 'utf8')).toBe('x')
    expect(settledIn(stage)[0]!.findings).toHaveLength(2)
  })

  it('asks a judge in an empty folder once all else is green, and believes only what is in the diff', async () => {
    const stage = setStage({
      settings: {
        baseline: false,
        agents: { judge: { command: 'judge' } },
        guardrails: [
          { command: 'test -e auth.js' },
          { verify: 'semantic', config: { check_for: 'tokens are validated' } },
        ],
      },
      calls: [
        [DONE],
        [['file', 'auth.js', 'return true\n'], DONE],
        [['file', 'auth.js', 'verify(token)\n'], DONE],
      ],
    })
    const judge = addJudge(stage.bin, 'judge', verdicts(['pass', 'verify(token)']))
    const ran = await stage.ralph('run', '-p', 'x', '-m', '5')
    expect(ran.code).toBe(0)
    const notes = settledIn(stage).map(({ findings }) => findings.map(({ verdict }) => verdict))
    expect(notes).toEqual([['fail'], ['pass', 'fail'], ['pass', 'pass']])
    expect(settledIn(stage)[1]!.findings[1]!.note).toContain('a line that is not there: verify(token)')
    const [place, entries] = readFileSync(`${judge}.place`, 'utf8').trim().split('\n')
    expect(place).not.toContain(stage.project)
    expect(entries!.trim()).toBe('0')
    expect(existsSync(place!)).toBe(false)
    const question = readFileSync(`${judge}.2`, 'utf8')
    expect(question).toContain('+verify(token)')
    expect(question).not.toContain('Done. <response>')
    expect(stage.journal().filter(event => event.type === 'asked')).toHaveLength(2)
    expect(stage.journal().at(-1)).toMatchObject({ result: 'complete', proof: 'verified' })
  })

  it('that no judge decides spends nothing of the agent, and ends with a person', async () => {
    const stage = setStage({
      settings: {
        baseline: false,
        agents: { judge: { command: 'judge' } },
        guardrails: [{ verify: 'semantic', config: { check_for: 'tokens are validated' } }],
      },
    })
    addJudge(stage.bin, 'judge', verdicts(['cannot_tell', 'nothing is shown']))
    const ran = await stage.ralph('run', '-p', 'x')
    expect(ran.code).toBe(1)
    expect(ran.stderr + ran.stdout).toContain('no check could decide 3 times in a row')
    expect(settledIn(stage).map(({ state }) => state.tries)).toEqual([0, 0, 0])
  })

  it.each([
    [{ verify: 'external' }, 'guardrails[0].config.command is missing'],
    [
      { verify: 'external', config: { command: 'x', tiemout: 3 } },
      'guardrails[0].config.tiemout is not a key',
    ],
    [{ verify: 'semantic' }, 'guardrails[0].config.check_for is missing'],
    [{ verify: 'string_match' }, 'guardrails[0].config.promise is missing'],
    [{ verify: 'http-ok', config: { url: 'localhost' } }, 'guardrails[0].config.url must be an address'],
    [{ verify: 'tests' }, 'guardrails[0].verify must be "string_match"'],
    [
      { verify: 'external', config: { command: 'x', working_dir: '../y' } },
      'guardrails[0].config.working_dir must be a folder inside the project',
    ],
  ])('is refused as %j', async (guardrail, words) => {
    const stage = setStage({ settings: { guardrails: [guardrail] } })
    const ran = await stage.ralph('run', '-p', 'x')
    expect([ran.code, ran.stdout]).toEqual([2, ''])
    expect(ran.stderr).toContain(words)
  })

  it('refuses a judge that is not installed before anything runs', async () => {
    const stage = setStage({ settings: { agents: { judge: { command: 'nobody' } } } })
    const ran = await stage.ralph('run', '-p', 'x')
    expect([ran.code, ran.stderr]).toEqual([
      2,
      'ralph: error: agents.judge: "nobody" is not on PATH; install it, or choose another\n',
    ])
  })
})
