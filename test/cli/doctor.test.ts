import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { startTime } from '../../src/runners/process/proc.ts'
import { ending, setStage } from './scene.ts'

/** A stage whose `claude` runs this line of shell. */
function setUp(claude: string, settings?: unknown) {
  const stage = setStage({ settings })
  writeFileSync(join(stage.bin, 'claude'), `#!/bin/sh\n${claude}\n`)
  chmodSync(join(stage.bin, 'claude'), 0o755)
  return stage
}

const ANSWERS = 'test "$1" = --version && echo "2.1.325 (Claude Code)"'

describe('ralph doctor', () => {
  it('says that ralph can run, with what, and leaves nothing behind', async () => {
    const stage = setUp(ANSWERS)
    const ran = await stage.ralph('doctor')
    expect([ran.code, ran.stderr]).toEqual([0, ''])
    expect(ran.stdout).toContain(
      `2.1.325 · ${stage.bin}/claude · its own login: login not checked · \`ralph run\` uses this one`,
    )
    expect(ran.stdout).toMatch(/✓ git +\d+\.\d+[^\n]*\n {2}✓ repository +\/[^\n]*project\n/)
    expect(ran.stdout).toMatch(/\n✓ ralph can run here\n$/)
    expect(existsSync(stage.ralphHome)).toBe(false)
    expect(existsSync(join(stage.project, '.ralph'))).toBe(false)
  })

  it('says the same in JSON, with the names of variables and never a value', async () => {
    const stage = setUp(ANSWERS, { guardrails: [{ command: 'npm test' }] })
    const env = { ...stage.env, ANTHROPIC_API_KEY: 'a-secret', DEPLOY_TOKEN: 'another-one' }
    const ran = await stage.withEnv(env, 'doctor', '--json', '--env')
    expect(JSON.parse(ran.stdout)).toMatchObject({
      ok: true,
      obstacles: [],
      pick: { command: 'claude', from: 'PATH' },
      project: { path: stage.project, guardrails: ['npm test'], trust: { state: 'by RALPH_TRUST' } },
      ralph: { version: '0.1.0', node: { enough: true }, home: { path: stage.ralphHome, writable: true } },
      environment: [
        { of: 'claude', leftOut: ['DEPLOY_TOKEN', 'RALPH_TRUST'] },
        { of: 'guardrails', leftOut: ['ANTHROPIC_API_KEY', 'DEPLOY_TOKEN', 'RALPH_TRUST'] },
      ],
    })
    expect(ran.stdout).toContain('API key (ANTHROPIC_API_KEY)')
    expect(ran.stdout).not.toMatch(/a-secret|another-one/)
  })

  it('ends with 1 where ralph cannot run, and the last line says why', async () => {
    const none = setUp(ANSWERS)
    const bare = await none.withEnv({ ...none.env, PATH: '/nowhere' }, 'doctor')
    expect(bare).toMatchObject(ending(1, /cannot run here: no agent found on PATH/))
    const broken = await setUp(ANSWERS, '{"guardrails": [}').ralph('doctor')
    expect(broken).toMatchObject(ending(1, /✗ settings +\.ralph\/settings\.json:1:17/))
    const crashed = await setUp('echo boom >&2; exit 4').ralph('doctor')
    expect(crashed).toMatchObject(ending(1, /failed: exit code 4, boom/))
    expect([bare.stderr, broken.stderr, crashed.stderr]).toEqual(['', '', ''])
  })

  it('looks at another folder with -C, and refuses one that is none', async () => {
    const stage = setUp(ANSWERS)
    const other = join(stage.root, 'other')
    mkdirSync(other)
    expect((await stage.ralph('doctor', '-C', other)).stdout).toContain(`project ${other}\n`)
    const nowhere = await stage.ralph('doctor', '-C', 'nowhere')
    expect([nowhere.code, nowhere.stderr]).toEqual([
      2,
      'ralph: error: --project-dir: nowhere does not exist\n',
    ])
  })

  it('opens no credential file', async () => {
    const stage = setUp(ANSWERS)
    // Who opens one of these waits for a writer that never comes.
    for (const file of ['.claude/.credentials.json', '.claude.json', '.codex/auth.json', '.netrc']) {
      const path = join(stage.env.HOME, file)
      mkdirSync(dirname(path), { recursive: true })
      execFileSync('mkfifo', [path])
    }
    expect((await stage.ralph('doctor', '--env')).code).toBe(0)
  })

  it('interrupted, takes along an agent that hangs', async () => {
    const stage = setUp('echo $$ > asked; exec sleep 60')
    const doctor = stage.start('doctor')
    const asked = join(stage.project, 'asked')
    for (let look = 0; look < 500 && !existsSync(asked); look++) await delay(10)
    doctor.kill('SIGINT')
    expect(await doctor.ended).toMatchObject({ code: 130, stdout: '' })
    const pid = Number(readFileSync(asked, 'utf8'))
    for (let look = 0; look < 100 && startTime(pid) !== null; look++) await delay(20)
    expect(startTime(pid)).toBeNull()
  })
})
