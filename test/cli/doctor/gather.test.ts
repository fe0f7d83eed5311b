import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { known } from '../../../src/agents/index.ts'
import { findObstacles } from '../../../src/cli/commands/doctor/facts.ts'
import { howToInstall } from '../../../src/cli/commands/doctor/how-to-install.ts'
import { rememberTrust } from '../../../src/host/trust.ts'
import { processRef } from '../../../src/runners/process/proc.ts'
import { makeRunDir } from '../../../src/runs/find.ts'
import { loadSettings } from '../../../src/settings/load.ts'
import { risks } from '../../../src/settings/trust.ts'
import { acquireLock } from '../../../src/store/lock.ts'
import { fails, MACHINE, prints, setDoctorScene } from './scene.ts'

const ANSWERS = {
  claude: prints('2.1.325 (Claude Code)\n'),
  codex: prints('codex-cli 0.166.0\n'),
  copilot: prints('GitHub Copilot CLI 1.0.102.\nRun `copilot update`.\n'),
}

describe('the agents', () => {
  it('are all the known ones, found or not, with their versions', async () => {
    const scene = setDoctorScene(['claude', 'codex', 'copilot'], ANSWERS)
    const { agents } = await scene.gather()
    expect(agents.map(agent => agent.name)).toEqual([...known.keys()])
    const found = agents.filter(agent => agent.path !== null)
    expect(found.map(({ name, path, version, trouble }) => [name, path, version, trouble])).toEqual([
      ['claude', join(scene.bin, 'claude'), '2.1.325', null],
      ['codex', join(scene.bin, 'codex'), '0.166.0', null],
      ['copilot', join(scene.bin, 'copilot'), '1.0.102', null],
    ])
  })

  it.each([...known.keys()])('%s: doctor knows how to get it and how it is paid', async name => {
    expect(howToInstall(name, 'linux')).toMatch(/^npm install -g /)
    const { agents } = await setDoctorScene([name], { [name]: prints('1.0') }).gather()
    expect(agents.find(agent => agent.name === name)).toMatchObject({ paidBy: 'its own login' })
  })

  it('are asked all at once, with the tools: none waits for another', async () => {
    const programs = [...known.keys(), 'git', 'tmux', 'docker', 'sbx', 'srt', 'bwrap', 'socat', 'rg']
    const scene = setDoctorScene(programs)
    let release = () => {}
    const allAsked = new Promise<void>(resolve => {
      release = resolve
    })
    const asked: string[] = []
    const facts = await scene.gather({
      run: async ([program]) => {
        asked.push(program!)
        // A version of each, the repository, and the daemon.
        if (asked.length === programs.length + 2) release()
        await allAsked
        return prints('1.0')
      },
    })
    expect(facts.agents.map(agent => agent.version)).toEqual([...known.keys()].map(() => '1.0'))
  })

  it('may crash or not start: each is a line; one that hangs gets five seconds, and is only slow', async () => {
    const scene = setDoctorScene(['claude', 'codex', 'amp', 'gemini'], {
      claude: { end: 'timeout' },
      codex: fails(3, 'first\nTypeError: no such thing\n'),
      amp: { end: 'unstartable', why: 'cannot start amp: its interpreter does not exist' },
      gemini: { end: 'exited', exit: { code: null, signal: 'SIGSEGV' }, stdout: '', stderr: '' },
    })
    const { agents } = await scene.gather()
    expect(agents.filter(agent => agent.path !== null).map(agent => agent.trouble)).toEqual([
      null,
      '`codex --version` failed: exit code 3, TypeError: no such thing',
      'cannot start amp: its interpreter does not exist',
      '`gemini --version` failed: killed by SIGSEGV',
    ])
    expect(agents.every(agent => agent.version === null)).toBe(true)
    expect(scene.calls.find(call => call.argv[0]!.endsWith('/claude'))?.timeoutMs).toBe(5000)
  })

  it('that answer without a number are there, their version unknown', async () => {
    const { agents } = await setDoctorScene(['claude'], { claude: prints('hello') }).gather()
    expect(agents[0]).toMatchObject({ version: null, trouble: null })
  })

  it('are asked in the environment that a run would give them, in the project', async () => {
    const scene = setDoctorScene(['claude', 'codex'], ANSWERS, { env: { drop: ['LANG'] } })
    await scene.gather({ env: { ANTHROPIC_API_KEY: 'a', CODEX_API_KEY: 'c', AWS_SECRET: 's', LANG: 'C' } })
    const namesFor = (name: string) => {
      const call = scene.calls.find(({ argv }) => argv[0] === join(scene.bin, name))!
      expect(call.cwd).toBe(scene.project)
      return Object.keys(call.env).sort()
    }
    expect(namesFor('claude')).toEqual(['ANTHROPIC_API_KEY', 'PATH', 'RALPH_HOME'])
    expect(namesFor('codex')).toEqual(['CODEX_API_KEY', 'PATH', 'RALPH_HOME'])
  })

  it.each([
    ['claude', { ANTHROPIC_API_KEY: 'x' }, 'API key (ANTHROPIC_API_KEY)'],
    ['claude', { ANTHROPIC_API_KEY: '' }, 'its own login'],
    [
      'claude',
      { ANTHROPIC_API_KEY: 'x', CLAUDE_CODE_USE_BEDROCK: '1' },
      'Amazon Bedrock (CLAUDE_CODE_USE_BEDROCK)',
    ],
    ['claude', { CLAUDE_CODE_OAUTH_TOKEN: 'x' }, 'subscription token (CLAUDE_CODE_OAUTH_TOKEN)'],
    ['claude', { OPENAI_API_KEY: 'x' }, 'its own login'],
    ['codex', { CODEX_API_KEY: 'x' }, 'API key (CODEX_API_KEY)'],
    ['codex', { OPENAI_API_KEY: 'x' }, 'its own login'],
    ['copilot', { GITHUB_TOKEN: 'x', GH_TOKEN: 'y' }, 'GitHub token (GH_TOKEN)'],
  ])('%s with %j is paid by: %s', async (name, env, paidBy) => {
    const { agents } = await setDoctorScene([name], ANSWERS).gather({ env })
    expect(agents.find(agent => agent.name === name)).toMatchObject({ paidBy })
  })

  it('do not pay with a key that the settings hold back', async () => {
    const scene = setDoctorScene(['claude'], ANSWERS, { env: { drop: ['ANTHROPIC_*'] } })
    const { agents } = await scene.gather({ env: { ANTHROPIC_API_KEY: 'x' } })
    expect(agents[0]!.paidBy).toBe('its own login')
  })
})

describe('what `ralph run` would take', () => {
  it('is the first known one on PATH', async () => {
    const { pick } = await setDoctorScene(['codex', 'copilot'], ANSWERS).gather()
    expect(pick).toEqual({ type: 'agent', name: 'codex', command: 'codex', from: 'PATH' })
  })

  it('is what the settings say, also by a path', async () => {
    const scene = setDoctorScene(['claude', 'mine'], ANSWERS)
    mkdirSync(join(scene.project, '.ralph'))
    const command = join(scene.bin, 'mine')
    writeFileSync(join(scene.project, '.ralph/settings.json'), JSON.stringify({ agent: { command } }))
    const facts = await scene.gather()
    expect(facts.pick).toEqual({ type: 'agent', name: 'mine', command, from: 'settings' })
    expect(findObstacles(facts)).toEqual([])
    expect(scene.calls.map(({ argv }) => argv[0])).not.toContain(command)
  })

  it('is nothing, with the reason, where there is none', async () => {
    const facts = await setDoctorScene([]).gather()
    expect(facts.pick).toMatchObject({ type: 'none', why: expect.stringContaining('no agent found on PATH') })
    expect(findObstacles(facts)).toEqual([expect.stringContaining('no agent found on PATH')])
  })

  it('is nothing while the settings cannot be read, and those are the one reason', async () => {
    const facts = await setDoctorScene(['claude'], ANSWERS, { maximumIteration: 3 }).gather()
    expect(facts.pick.type).toBe('none')
    expect(findObstacles(facts)).toEqual([expect.stringContaining('did you mean "maximumIterations"?')])
  })

  it('is used even if it is slow to tell its version', async () => {
    const slow = { ...ANSWERS, claude: { end: 'timeout' as const } }
    const facts = await setDoctorScene(['claude', 'codex'], slow).gather()
    expect([facts.pick, findObstacles(facts)]).toEqual([
      { type: 'agent', name: 'claude', command: 'claude', from: 'PATH' },
      [],
    ])
    expect(facts.agents[0]).toMatchObject({ name: 'claude', trouble: null, slow: true })
  })
})

const SESSION = '1:name=systemd:/user.slice/user-1000.slice/session-3.scope\n0::/\n'
const MANAGED = '0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-terminal.scope\n'

const loginctl = (manager: string, linger: string) => ({
  loginctl: prints(manager),
  [`loginctl show-user ${userInfo().uid} --property=Linger`]: prints(`Linger=${linger}\n`),
})

describe('the tools', () => {
  it('are told apart: a docker client alone, and one whose daemon answers', async () => {
    const daemon = 'docker version --format {{.Server.Version}}'
    const alone = setDoctorScene(['docker'], {
      docker: prints('Docker version 28.2.2, build e6534b4'),
      [daemon]: fails(1, 'Cannot connect to the Docker daemon', '<no value>'),
    })
    expect((await alone.gather()).tools.docker).toMatchObject({ version: '28.2.2', server: null })
    const whole = setDoctorScene(['docker'], {
      docker: prints('Docker version 28.2.2, build e6534b4'),
      [daemon]: prints('27.0.1\n'),
    })
    expect((await whole.gather()).tools.docker).toMatchObject({ version: '28.2.2', server: '27.0.1' })
  })

  it.each([
    [
      'in a login session, with KillUserProcesses',
      SESSION,
      'yes',
      'no',
      { ends: true, by: 'KillUserProcesses' },
    ],
    ['in a login session, lingering or not', SESSION, 'yes', 'yes', { ends: true, by: 'KillUserProcesses' }],
    ['in a login session, without it', SESSION, 'no', 'no', { ends: false, by: 'KillUserProcesses' }],
    ["in the user's manager, not lingering", MANAGED, 'no', 'no', { ends: true, by: 'linger' }],
    ["in the user's manager, lingering", MANAGED, 'yes', 'yes', { ends: false, by: 'linger' }],
    ['in neither', '0::/system.slice/cron.service\n', 'yes', 'no', null],
  ])('tell whether logging out ends the workers: %s', async (_, cgroup, kills, linger, fate) => {
    const scene = setDoctorScene(['loginctl'], loginctl(`KillUserProcesses=${kills}\n`, linger))
    expect((await scene.gather({ machine: { ...MACHINE, cgroup } })).logout).toEqual(fate)
  })

  it('know whom logging out spares, and do not guess without a login manager', async () => {
    const user = userInfo().username
    const fate = async (manager: string, cgroup: string | null = SESSION) =>
      (
        await setDoctorScene(['loginctl'], loginctl(manager, 'no')).gather({
          machine: { ...MACHINE, cgroup },
        })
      ).logout?.ends
    const kills = 'KillUserProcesses=yes\n'
    expect(await fate(`${kills}KillOnlyUsers=${user} other\nKillExcludeUsers=nobody\n`)).toBe(true)
    expect(await fate(`${kills}KillOnlyUsers=other\nKillExcludeUsers=\n`)).toBe(false)
    expect(await fate(`${kills}KillOnlyUsers=${user}\nKillExcludeUsers=other ${user}\n`)).toBe(false)
    expect(await fate('')).toBeUndefined()
    expect(await fate(kills, null)).toBeUndefined()
    expect((await setDoctorScene([]).gather({ machine: { ...MACHINE, cgroup: SESSION } })).logout).toBeNull()
  })

  it('say whether the folder is in a repository', async () => {
    const answers = { 'git --version': prints('git version 2.39.5') }
    expect((await setDoctorScene(['git'], answers).gather()).tools.git).toMatchObject({
      version: '2.39.5',
      repository: null,
    })
    const inside = { ...answers, git: prints('/some where/repo\n') }
    expect((await setDoctorScene(['git'], inside).gather()).tools.git.repository).toBe('/some where/repo')
  })

  it('that are not there are not asked', async () => {
    const scene = setDoctorScene([])
    const { tools } = await scene.gather()
    expect([tools.tmux.path, tools.srt.path, tools.bwrap.path, tools.rg.path]).toEqual([
      null,
      null,
      null,
      null,
    ])
    // Not searched: ralph runs this one, whatever PATH has.
    expect(tools.sh.path).toBe('/bin/sh')
    expect(scene.calls).toEqual([])
  })
})

describe('the project', () => {
  it('is shown with its files, guardrails and trust', async () => {
    const settings = { guardrails: [{ command: 'npm test' }] }
    const scene = setDoctorScene(['claude'], ANSWERS, settings)
    writeFileSync(join(scene.project, '.ralph/settings.local.json'), '{"maximumIterations": 3}')
    const state = async (env = {}) => (await scene.gather({ env })).project
    expect(await state()).toMatchObject({
      settings: { valid: true, files: ['.ralph/settings.json', '.ralph/settings.local.json'] },
      guardrails: ['npm test'],
      trust: { state: 'missing', where: ['guardrails[0].command', 'maximumIterations'] },
    })
    expect((await state({ RALPH_TRUST: '1' })).trust).toEqual({ state: 'by RALPH_TRUST' })
    rememberTrust(scene.home, scene.project, risks(loadSettings(scene.project).fromFiles))
    expect((await state()).trust).toEqual({ state: 'given' })
  })

  it('is shown with the patterns that protect nothing', async () => {
    const { project } = await setDoctorScene([], {}, { protect: ['.ralph/*.json', '*.{snap}'] }).gather()
    expect(project.protect).toEqual({
      patterns: ['.ralph/*.json', '*.{snap}'],
      notes: ['"*.{snap}" matches no file; correct it, or keep it if agents must not add such files'],
      trouble: null,
    })
  })

  it('is judged with the settings of the machine, too', async () => {
    const scene = setDoctorScene(['claude'], ANSWERS)
    mkdirSync(scene.home)
    writeFileSync(join(scene.home, 'settings.json'), '{"sandbox": {"mode": "none"}}')
    const { project, sandbox } = await scene.gather()
    expect(project.settings).toEqual({ valid: true, files: [join(scene.home, 'settings.json')] })
    expect(project.trust).toEqual({ state: 'not needed' })
    expect(sandbox.wanted).toBe('none')
  })

  it('with nothing in it needs no trust', async () => {
    expect((await setDoctorScene([]).gather()).project).toMatchObject({
      settings: { valid: true, files: [] },
      guardrails: [],
      trust: { state: 'not needed' },
      lock: null,
      unfinished: null,
    })
  })

  it('with a broken file of trusted projects cannot run, and the file is named', async () => {
    const scene = setDoctorScene(['claude'], ANSWERS, { guardrails: [{ command: 'true' }] })
    mkdirSync(scene.home)
    writeFileSync(join(scene.home, 'trust.json'), '{')
    const facts = await scene.gather()
    expect(findObstacles(facts)).toEqual([expect.stringContaining('trust.json cannot be used')])
  })

  it('is locked only by a run that lives', async () => {
    const scene = setDoctorScene([])
    const me = processRef(process.pid)
    const lock = acquireLock(scene.home, scene.project, { ...me, run: 'living' }, () => true)
    expect((await scene.gather()).project.lock).toEqual({ run: 'living', pid: me.pid, host: me.host })
    lock.release()
    acquireLock(scene.home, scene.project, { ...me, startTime: 'another', run: 'dead' }, () => true)
    expect((await scene.gather()).project.lock).toBeNull()
  })

  it('is shown with its latest unfinished run, and trouble with its runs', async () => {
    const scene = setDoctorScene([])
    const dir = makeRunDir(scene.home, '20260301-221530-k3f')
    const began = {
      type: 'began',
      at: 1,
      v: 2,
      id: 'x',
      project: scene.project,
      workflow: 'run',
      tasks: [],
    }
    writeFileSync(join(dir, 'journal.ndjson'), `${JSON.stringify({ ...began, limits: {}, pins: {} })}\n`)
    expect((await scene.gather()).project).toMatchObject({
      unfinished: { run: '20260301-221530-k3f', iterations: 0, goOn: 'ralph resume x' },
      runsTrouble: null,
    })
    writeFileSync(join(dir, 'journal.ndjson'), `${JSON.stringify({ ...began, v: 3 })}\n`)
    expect((await scene.gather()).project).toMatchObject({
      unfinished: null,
      runsTrouble: expect.stringContaining('was made by a newer ralph'),
    })
  })
})

describe('ralph itself', () => {
  it.each([
    ['20.19.0', true],
    ['20.18.9', false],
    ['18.20.0', false],
    ['22.0.0', true],
  ])('Node %s is enough: %s', async (node, enough) => {
    const facts = await setDoctorScene(['claude'], ANSWERS).gather({ machine: { ...MACHINE, node } })
    expect(facts.ralph.node).toEqual({ version: node, needs: '20.19', enough })
    expect(findObstacles(facts)).toHaveLength(enough ? 0 : 1)
  })

  it('has a home that can be written, also one that is not there yet, and makes none', async () => {
    const scene = setDoctorScene(['claude'], ANSWERS)
    const home = join(scene.root, 'a', 'b')
    expect((await scene.gather({ env: { RALPH_HOME: home } })).ralph.home).toEqual({
      path: home,
      writable: true,
    })
    expect(existsSync(join(scene.root, 'a'))).toBe(false)
  })

  it.each(['in its place', 'in its way'])('has none where a file is %s', async where => {
    const scene = setDoctorScene(['claude'], ANSWERS)
    const file = join(scene.root, 'file')
    writeFileSync(file, '', { mode: 0o755 })
    const home = where === 'in its place' ? file : join(file, 'home')
    const facts = await scene.gather({ env: { RALPH_HOME: home } })
    expect(facts.ralph.home.writable).toBe(false)
    expect(findObstacles(facts)).toEqual([`${home} cannot be written: a file is in its place`])
  })
})

describe('the environment', () => {
  const env = { ANTHROPIC_API_KEY: 'sk-1', OPENAI_API_KEY: 'sk-2', LANG: 'value-3', RALPH_TRUST: 'value-4' }

  it('is shown by names, sorted, for the agent that would be used and for guardrails', async () => {
    const { environment } = await setDoctorScene(['claude'], ANSWERS).gather({ env }, true)
    expect(environment).toEqual([
      {
        of: 'claude',
        gets: ['ANTHROPIC_API_KEY', 'LANG', 'PATH', 'RALPH_HOME'],
        leftOut: ['OPENAI_API_KEY', 'RALPH_TRUST'],
      },
      {
        of: 'guardrails',
        gets: ['LANG', 'PATH', 'RALPH_HOME'],
        leftOut: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'RALPH_TRUST'],
      },
    ])
  })

  it('is less in a sandbox: keys and proxies are replaced, and a push runs outside', async () => {
    const more = { ...env, HTTPS_PROXY: 'http://proxy.example', PORT: '1', SSH_AUTH_SOCK: '/s' }
    const inside = async (settings: object, missing: { what: string; remedy: string }[] = []) => {
      const scene = setDoctorScene(['claude'], ANSWERS, settings)
      const checkSrt = async () => missing
      return (await scene.gather({ env: more, checkSrt }, true)).environment
    }
    const claude = {
      of: 'claude',
      gets: ['LANG', 'PATH', 'RALPH_HOME'],
      replaced: ['ANTHROPIC_API_KEY', 'HTTPS_PROXY'],
      leftOut: ['OPENAI_API_KEY', 'PORT', 'RALPH_TRUST', 'SSH_AUTH_SOCK'],
    }
    const outside = ['HTTPS_PROXY', 'LANG', 'PATH', 'PORT', 'RALPH_HOME', 'SSH_AUTH_SOCK']
    expect(await inside({})).toMatchObject([
      claude,
      { of: 'guardrails', gets: ['LANG', 'PATH', 'RALPH_HOME'], replaced: ['HTTPS_PROXY'] },
      { of: 'push', gets: outside },
    ])
    expect(await inside({ sandbox: { checks: 'outside' } })).toMatchObject([
      claude,
      { of: 'guardrails', gets: outside },
    ])
    expect(await inside({}, [{ what: 'x', remedy: 'y' }])).toMatchObject([
      { of: 'claude', gets: ['ANTHROPIC_API_KEY', ...outside].sort() },
      { of: 'guardrails', gets: outside },
    ])
  })

  it('is not shown unasked, and no value ever is', async () => {
    const scene = setDoctorScene(['claude'], ANSWERS)
    expect(await scene.gather({ env })).not.toHaveProperty('environment')
    const told = JSON.stringify(await scene.gather({ env }, true))
    for (const value of ['sk-1', 'sk-2', 'value-3', 'value-4']) expect(told).not.toContain(value)
  })
})
