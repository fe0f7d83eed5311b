import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { RALPH } from '../support/ralph.ts'
import { hasTmux, openTerminal } from '../support/terminal.ts'
import { refusal, setUntrusted } from './scene.ts'

const settings = { guardrails: [{ command: 'touch ran' }] }

const untrusted = (more: unknown = settings) => setUntrusted(more)

describe('trust', () => {
  it('is needed before a command of the project runs; without a terminal that is an error that names it', async () => {
    const stage = untrusted()
    const ran = await stage.ralph('run', '-p', 'x')
    expect(ran.code).toBe(2)
    expect(ran.stderr).toMatch(/guardrails\[0\]\.command: touch ran.*ralph trust/)
    expect(() => stage.read('ran')).toThrow()
  })

  it('is not needed where the project has no commands', async () => {
    expect((await untrusted({ output: { emoji: false } }).ralph('run', '-p', 'x')).code).toBe(0)
  })

  it('is given by `ralph trust`, and asked for again when a command changes', async () => {
    const stage = untrusted()
    const trusted = await stage.ralph('trust')
    expect(trusted.stdout).toContain('guardrails[0].command  touch ran')
    expect((await stage.ralph('run', '-p', 'x')).code).toBe(0)
    stage.write('.ralph/settings.json', JSON.stringify({ ...settings, output: { emoji: false } }))
    expect((await stage.ralph('run', '-p', 'x')).code).toBe(0)
    stage.write('.ralph/settings.json', JSON.stringify({ guardrails: [{ command: 'touch other' }] }))
    expect((await stage.ralph('run', '-p', 'x')).code).toBe(2)
  })

  it('counts what settings.local.json adds', async () => {
    const stage = untrusted({})
    stage.write('.ralph/settings.local.json', JSON.stringify({ env: { pass: ['MY_TOKEN'] } }))
    expect(await stage.ralph('run', '-p', 'x')).toMatchObject(refusal('env.pass[0]: MY_TOKEN'))
  })

  it('--trust gives it and remembers; RALPH_TRUST=1 gives it for once', async () => {
    const flagged = untrusted()
    expect((await flagged.ralph('run', '-p', 'x', '--trust')).code).toBe(0)
    expect((await flagged.ralph('run', '-p', 'x')).code).toBe(0)
    const once = untrusted()
    expect((await once.withEnv({ ...once.env, RALPH_TRUST: '1' }, 'run', '-p', 'x')).code).toBe(0)
    expect((await once.ralph('run', '-p', 'x')).code).toBe(2)
  })

  it.each([
    [
      '.claude/settings.json',
      '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"touch ran"}]}]}}',
      'touch ran',
    ],
    ['.mcp.json', '{"mcpServers":{"m":{"command":"touch","args":["ran"]}}}', 'touch ran'],
    ['.codex/config.toml', 'notify = ["touch", "ran"]', 'notify = ["touch", "ran"]'],
    ['.gemini/settings.json', '{"tools":{"discoveryCommand":"touch ran"}}', 'touch ran'],
    ['.opencode/plugin/p.js', 'touch("ran")', 'is loaded'],
    ['.github/hooks/h.json', '{"hooks":{"sessionStart":[{"bash":"touch ran"}]}}', 'touch ran'],
    ['.amp/settings.json', '{"amp.mcpServers":{"m":{"command":"touch ran"}}}', 'touch ran'],
  ])(
    'is needed for what an agent loads by itself, %s, and again when that changes',
    async (file, text, what) => {
      const stage = untrusted({})
      mkdirSync(join(stage.project, file, '..'), { recursive: true })
      stage.write(file, text)
      for (const words of [
        ['run', '-p', 'x'],
        ['build', 'x', '--yes'],
      ]) {
        const ran = await stage.ralph(...words)
        expect(ran).toMatchObject(refusal(`nobody has allowed yet (${file}`))
        expect(ran.stderr).toContain(what)
      }
      expect((await stage.ralph('doctor')).stdout).toContain(`not given for ${file}`)
      expect((await stage.ralph('run', '-p', 'x', '--dry-run')).stdout).toContain(`  loads    ${file}\n`)
      expect((await stage.ralph('trust')).stdout).toContain(`  ${file} (agents load it)\n`)
      expect((await stage.ralph('run', '-p', 'x')).code).toBe(0)
      stage.write(file, text.replace('ran', 'other'))
      expect((await stage.ralph('run', '-p', 'x')).code).toBe(2)
    },
  )

  it('is needed again when what was allowed is gone', async () => {
    const stage = untrusted()
    await stage.ralph('trust')
    for (const gone of [{}, { guardrails: [] }]) {
      stage.write('.ralph/settings.json', JSON.stringify(gone))
      const ran = await stage.ralph('run', '-p', 'x')
      expect(ran).toMatchObject(refusal('is gone, with its checks'))
      expect((await stage.ralph('doctor')).stdout).toContain('not given for what was removed since')
    }
    expect((await stage.ralph('trust')).stdout).toContain('has nothing that needs trust')
    expect((await stage.ralph('run', '-p', 'x')).code).toBe(0)
  })

  it('of a project with nothing to trust says so', async () => {
    expect((await untrusted({}).ralph('trust')).stdout).toContain('has nothing that needs trust')
  })
})

describe.skipIf(!hasTmux)('at a terminal, trust', () => {
  const open = (stage: ReturnType<typeof untrusted>, before = 'true') =>
    openTerminal(['sh', '-c', `${before}; "${process.execPath}" "${RALPH}" run -p x`], {
      cwd: stage.project,
      env: stage.env,
    })

  it.each([
    ['n', ['n']],
    ['the end of input', ['C-d']],
    ['the end of input after a key', ['Left', 'x', 'C-d']],
    ['Ctrl+C', ['C-c']],
  ])('is asked for, and not given by %s: nothing is run', async (_, keys) => {
    const stage = untrusted()
    const terminal = await open(stage)
    expect(await terminal.waitFor('Trust these?')).toContain('guardrails[0].command  touch ran')
    await terminal.press(...keys)
    const { code, screen } = await terminal.ended()
    expect([code, screen]).toEqual([2, expect.stringContaining('not trusted; nothing was run')])
    expect(() => stage.read('ran')).toThrow()
  })

  it('is given by y', async () => {
    const stage = untrusted()
    const terminal = await open(stage)
    await terminal.waitFor('Trust these?')
    await terminal.press('y')
    expect((await terminal.ended()).code).toBe(0)
    expect(stage.read('ran')).toBe('')
  })

  it('is asked for in whole lines where the terminal says that it has no width', async () => {
    const terminal = await open(untrusted(), 'stty cols 0')
    await terminal.waitFor('Trust these? Ralph asks again when they change.')
    await terminal.press('C-d')
    expect((await terminal.ended()).code).toBe(2)
  })
})
