import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { known } from '../../../src/agents/index.ts'
import type { Setup } from '../../../src/cli/commands/doctor/finding.ts'
import { howToInstall } from '../../../src/cli/commands/doctor/programs.ts'
import { findProtect } from '../../../src/cli/commands/doctor/project.ts'
import { toolRows } from '../../../src/cli/commands/doctor/tools.ts'
import { rememberCheck } from '../../../src/host/docker/record.ts'
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
    const { agents } = await scene.examine()
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
    const { agents } = await setDoctorScene([name], { [name]: prints('1.0') }).examine()
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
    const facts = await scene.examine({
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
    const { agents, lines } = await scene.examine()
    expect(lines).toContain(
      `✗ codex ${scene.bin}/codex · \`codex --version\` failed: exit code 3, TypeError: no such thing`,
    )
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
    const { agents } = await setDoctorScene(['claude'], { claude: prints('hello') }).examine()
    expect(agents[0]).toMatchObject({ version: null, trouble: null })
  })

  it('are asked in the environment that a run would give them, in the project', async () => {
    const scene = setDoctorScene(['claude', 'codex'], ANSWERS, { env: { drop: ['LANG'] } })
    await scene.examine({ env: { ANTHROPIC_API_KEY: 'a', CODEX_API_KEY: 'c', AWS_SECRET: 's', LANG: 'C' } })
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
    const { agents } = await setDoctorScene([name], ANSWERS).examine({ env })
    expect(agents.find(agent => agent.name === name)).toMatchObject({ paidBy })
  })

  it('do not pay with a key that the settings hold back', async () => {
    const scene = setDoctorScene(['claude'], ANSWERS, { env: { drop: ['ANTHROPIC_*'] } })
    const { agents } = await scene.examine({ env: { ANTHROPIC_API_KEY: 'x' } })
    expect(agents[0]!.paidBy).toBe('its own login')
  })
})

const INSIDE = ['srt', 'bwrap', 'socat', 'rg']

/** Programs that are all there. */
const there = (...names: string[]) => Object.fromEntries(names.map(name => [name, prints('1.0')]))

it('everything is on one screen, grouped, each row with its mark', async () => {
  const checks = { guardrails: [{ command: 'npm test' }, { command: 'npm run lint' }] }
  const programs = ['claude', 'git', 'tmux', 'docker', 'socat', 'rg']
  const scene = setDoctorScene(programs, there(...programs), checks)
  const { screen } = await scene.examine({ env: { RALPH_TRUST: '1', TMPDIR: scene.bin } })
  expect(screen.join('\n').replaceAll(scene.root, '')).toBe(`agents
  ✓ claude      1.0 · /bin/claude · its own login: login not checked · \`ralph run\` uses this one
  – codex       not found → npm install -g @openai/codex
  – amp         not found → npm install -g @sourcegraph/amp
  – opencode    not found → npm install -g opencode-ai
  – gemini      not found → npm install -g @google/gemini-cli
  – copilot     not found → npm install -g @github/copilot
tools
  ✓ git         1.0 · /bin/git
  ✓ repository  1.0
  ✓ sh          /bin/sh
  ✓ tmux        1.0 · /bin/tmux
  ✓ docker      1.0 · /bin/docker · the daemon answers (1.0)
sandbox
  – sbx         not found · docker is, but sbx replaced its command \`docker sandbox\` → https://docs.docker.com/ai/sandboxes/
  – srt         not found → npm install -g @anthropic-ai/sandbox-runtime
  – bwrap       not found → install the package bubblewrap
  ✓ socat       1.0 · /bin/socat
  ✓ rg          1.0 · /bin/rg
  – sandbox     none: agents may read, change and run whatever you can → install what srt needs
project /project
  ✓ settings    .ralph/settings.json
  ✓ trust       given by RALPH_TRUST=1
  ✓ checks      npm test · npm run lint
  ✓ lock        free
  ✓ runs        none that was left unfinished
ralph
  ✓ version     0.1.0
  ✓ node        22.1.0
  ✓ platform    linux x64
folders
  ✓ home        /home
  ✓ project     /project
  ✓ temporary   /bin

✓ ralph can run here`)
})

describe('whether runs can work in a sandbox', () => {
  type Changed = {
    settings?: object
    missing?: { what: string; remedy: string }[]
    isRoot?: boolean
    checked?: string
  }
  /** The rows of the sandbox. */
  const rows = async (
    { settings, missing = [], isRoot = false, checked }: Changed,
    programs = INSIDE,
    platform = 'linux',
  ) => {
    const sbx = { 'sbx version --json': prints('{"version": "1.0"}') }
    const scene = setDoctorScene(
      ['claude', ...programs],
      { ...there(...programs, 'claude'), ...sbx },
      settings,
    )
    if (checked) rememberCheck(scene.home, checked)
    const checkSrt = async () => missing
    const { lines, obstacles } = await scene.examine({ checkSrt, isRoot, machine: { ...MACHINE, platform } })
    const from = lines.indexOf('sandbox') + 1
    return { rows: lines.slice(from, lines.indexOf(`project ${scene.project}`)), obstacles, bin: scene.bin }
  }
  const why = { what: 'nothing can be run inside: no; this is a container', remedy: 'start it otherwise' }
  const mode = (mode: string) => ({ sandbox: { mode } })

  it.each<[string, Changed, string]>([
    ['it works', {}, '✓ sandbox srt: `true` was run inside, and `ralph run` uses it'],
    [
      'as root',
      { isRoot: true },
      '– sandbox srt works, but it does not contain root, who can write to /proc/sys inside → run ralph as another user',
    ],
    [
      'the settings want none',
      { settings: mode('none') },
      '– sandbox none: agents may read, change and run whatever you can (sandbox.mode)',
    ],
    [
      'nothing runs inside',
      { missing: [why] },
      '– sandbox nothing can be run inside: no; this is a container → start it otherwise',
    ],
    [
      'nothing runs inside, and the settings name it',
      { missing: [why], settings: mode('srt') },
      '✗ sandbox nothing can be run inside: no; this is a container → start it otherwise',
    ],
  ])('%s', async (_, changed, line) => {
    expect((await rows(changed)).rows.at(-1)).toBe(line)
  })

  it('a program that is missing has its own row and remedy', async () => {
    const missing = [{ what: 'rg is not on PATH', remedy: 'install the package ripgrep' }]
    const others = ['srt', 'bwrap', 'socat']
    expect((await rows({ missing }, others)).rows.slice(-2)).toEqual([
      '– rg not found → install the package ripgrep',
      '– sandbox none: agents may read, change and run whatever you can → install what srt needs',
    ])
    expect((await rows({ missing, isRoot: true }, others)).rows.at(-1)).toMatch(
      / → install what srt needs, and run ralph as another user$/,
    )
    expect((await rows({}, INSIDE, 'darwin')).rows).toHaveLength(3)
  })

  const OLD =
    '– sbx not found · docker is, but sbx replaced its command `docker sandbox` → https://docs.docker.com/ai/sandboxes/'
  const SRT = '✓ sandbox srt: `true` was run inside, and `ralph run` uses it'
  it.each<[string, Changed, string[], string, string]>([
    ['only the old docker is there', {}, ['docker'], OLD, SRT],
    ['neither is there', {}, [], '– sbx not found → https://docs.docker.com/ai/sandboxes/', SRT],
    [
      'sbx was not tried with this version',
      { checked: '0.9' },
      ['sbx'],
      '– sbx 1.0 · BIN/sbx · not tried with this version → ralph sandbox check docker',
      SRT,
    ],
    [
      'sbx was tried',
      { checked: '1.0' },
      ['sbx'],
      '✓ sbx 1.0 · BIN/sbx · it was tried and works',
      '✓ sandbox docker: `ralph run` uses it (experimental)',
    ],
    [
      'the settings want docker, and sbx is not there',
      { settings: mode('docker') },
      ['docker'],
      OLD,
      '✗ sandbox docker (sandbox.mode), but sbx is not there → install sbx',
    ],
  ])("docker's: %s", async (_, changed, more, first, last) => {
    const found = await rows(changed, [...INSIDE, ...more])
    expect([found.rows[0]!.replace(found.bin, 'BIN'), found.rows.at(-1)]).toEqual([first, last])
  })

  it('one that the settings name and that does not work keeps ralph from running', async () => {
    expect((await rows({ settings: mode('srt'), missing: [why] })).obstacles).toEqual([
      `sandbox srt: ${why.what}`,
    ])
    expect((await rows({ settings: mode('docker') })).obstacles).toEqual([
      'sandbox docker: sbx is not on PATH',
    ])
  })
})

describe('what `ralph run` would take', () => {
  it('is the first known one on PATH', async () => {
    const { pick } = await setDoctorScene(['codex', 'copilot'], ANSWERS).examine()
    expect(pick).toEqual({ type: 'agent', name: 'codex', command: 'codex', from: 'PATH' })
  })

  it('is what the settings say, also by a path', async () => {
    const scene = setDoctorScene(['claude', 'mine'], ANSWERS)
    mkdirSync(join(scene.project, '.ralph'))
    const command = join(scene.bin, 'mine')
    writeFileSync(join(scene.project, '.ralph/settings.json'), JSON.stringify({ agent: { command } }))
    const facts = await scene.examine()
    expect(facts.pick).toEqual({ type: 'agent', name: 'mine', command, from: 'settings' })
    expect(facts.obstacles).toEqual([])
    expect(facts.lines).toContain(`✓ ${command} \`ralph run\` uses this one: the settings say so`)
    expect(scene.calls.map(({ argv }) => argv[0])).not.toContain(command)
  })

  it('is nothing, with the reason, where there is none', async () => {
    const facts = await setDoctorScene([]).examine()
    expect(facts.pick).toMatchObject({ type: 'none', why: expect.stringContaining('no agent found on PATH') })
    expect(facts.obstacles).toEqual([expect.stringContaining('no agent found on PATH')])
    expect(facts.lines).toContain('✗ ralph run can use none of these')
  })

  it('is nothing while the settings cannot be read, and those are the one reason', async () => {
    const facts = await setDoctorScene(['claude'], ANSWERS, { maximumIteration: 3 }).examine()
    expect(facts.pick.type).toBe('none')
    expect(facts.obstacles).toEqual([expect.stringContaining('did you mean "maximumIterations"?')])
    expect(facts.lines).toContain(`✗ settings ${facts.obstacles[0]}`)
  })

  it('is used even if it is slow to tell its version', async () => {
    const slow = { ...ANSWERS, claude: { end: 'timeout' as const } }
    const facts = await setDoctorScene(['claude', 'codex'], slow).examine()
    expect([facts.pick, facts.obstacles]).toEqual([
      { type: 'agent', name: 'claude', command: 'claude', from: 'PATH' },
      [],
    ])
    expect(facts.agents[0]).toMatchObject({ name: 'claude', trouble: null, slow: true })
    expect(facts.lines[1]).toMatch(
      /^✓ claude slow: did not report its version within 5 s · \S+ · its own login: login not checked · `ralph run` uses this one$/,
    )
  })
})

const SESSION = '1:name=systemd:/user.slice/user-1000.slice/session-3.scope\n0::/\n'
const MANAGED = '0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-terminal.scope\n'

const ENDS =
  '– logout ends all workers (KillUserProcesses=yes) → loginctl enable-linger, then start workers with: systemd-run --user --scope ralph spawn …'

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
    const { tools, lines } = await alone.examine()
    expect(tools.docker).toMatchObject({ version: '28.2.2', server: null })
    expect(lines).toContain(
      `– docker 28.2.2 · ${alone.bin}/docker · only a client: no daemon answers → start the daemon`,
    )
    const whole = setDoctorScene(['docker'], {
      docker: prints('Docker version 28.2.2, build e6534b4'),
      [daemon]: prints('27.0.1\n'),
    })
    expect((await whole.examine()).tools.docker).toMatchObject({ version: '28.2.2', server: '27.0.1' })
  })

  it.each([
    [
      'in a login session, with KillUserProcesses',
      SESSION,
      'yes',
      'no',
      { ends: true, by: 'KillUserProcesses' },
      ENDS,
    ],
    [
      'in a login session, lingering or not',
      SESSION,
      'yes',
      'yes',
      { ends: true, by: 'KillUserProcesses' },
      ENDS,
    ],
    [
      'in a login session, without it',
      SESSION,
      'no',
      'no',
      { ends: false, by: 'KillUserProcesses' },
      '✓ logout workers keep running',
    ],
    [
      "in the user's manager, not lingering",
      MANAGED,
      'no',
      'no',
      { ends: true, by: 'linger' },
      '– logout ends all workers (your user does not linger) → loginctl enable-linger',
    ],
    [
      "in the user's manager, lingering",
      MANAGED,
      'yes',
      'yes',
      { ends: false, by: 'linger' },
      '✓ logout workers keep running',
    ],
    ['in neither', '0::/system.slice/cron.service\n', 'yes', 'no', null, undefined],
  ])('tell whether logging out ends the workers: %s', async (_, cgroup, kills, linger, fate, line) => {
    const scene = setDoctorScene(['loginctl'], loginctl(`KillUserProcesses=${kills}\n`, linger))
    const { logout, lines } = await scene.examine({ machine: { ...MACHINE, cgroup } })
    expect([logout, lines.find(shown => shown.includes(' logout '))]).toEqual([fate, line])
  })

  it('know whom logging out spares, and do not guess without a login manager', async () => {
    const user = userInfo().username
    const fate = async (manager: string, cgroup: string | null = SESSION) =>
      (
        await setDoctorScene(['loginctl'], loginctl(manager, 'no')).examine({
          machine: { ...MACHINE, cgroup },
        })
      ).logout?.ends
    const kills = 'KillUserProcesses=yes\n'
    expect(await fate(`${kills}KillOnlyUsers=${user} other\nKillExcludeUsers=nobody\n`)).toBe(true)
    expect(await fate(`${kills}KillOnlyUsers=other\nKillExcludeUsers=\n`)).toBe(false)
    expect(await fate(`${kills}KillOnlyUsers=${user}\nKillExcludeUsers=other ${user}\n`)).toBe(false)
    expect(await fate('')).toBeUndefined()
    expect(await fate(kills, null)).toBeUndefined()
    expect((await setDoctorScene([]).examine({ machine: { ...MACHINE, cgroup: SESSION } })).logout).toBeNull()
  })

  it('say whether the folder is in a repository', async () => {
    const answers = { 'git --version': prints('git version 2.39.5') }
    const { tools, lines } = await setDoctorScene(['git'], answers).examine()
    expect(tools.git).toMatchObject({ version: '2.39.5', repository: null })
    expect(lines).toContain('– repository none around this folder: ralph cannot see changes → git init')
    const inside = { ...answers, git: prints('/some where/repo\n') }
    expect((await setDoctorScene(['git'], inside).examine()).tools.git.repository).toBe('/some where/repo')
  })

  it('that are not there are not asked', async () => {
    const scene = setDoctorScene([])
    const { tools } = await scene.examine()
    expect([tools.tmux.path, tools.srt.path, tools.bwrap.path, tools.rg.path]).toEqual([
      null,
      null,
      null,
      null,
    ])
    // Not searched: ralph runs this one, whatever PATH has.
    expect(tools.sh.path).toBe('/bin/sh')
    expect(toolRows({ ...tools, sh: { ...tools.sh, path: null } }, 'linux')[1]).toEqual({
      mark: 'no',
      name: 'sh',
      value: 'not found',
      fix: 'install the package dash',
    })
    expect(toolRows(tools, 'darwin')[2]).toMatchObject({ name: 'tmux', fix: 'brew install tmux' })
    expect(scene.calls).toEqual([])
  })
})

describe('the project', () => {
  it('is shown with its files, guardrails and trust', async () => {
    const settings = { guardrails: [{ command: 'npm test' }] }
    const scene = setDoctorScene(['claude'], ANSWERS, settings)
    writeFileSync(join(scene.project, '.ralph/settings.local.json'), '{"maximumIterations": 3}')
    const state = async (env = {}) => (await scene.examine({ env })).project
    expect((await scene.examine()).lines).toContain(
      '– trust not given for guardrails[0].command, maximumIterations → ralph trust',
    )
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
    const { project, lines } = await setDoctorScene(
      [],
      {},
      { protect: ['.ralph/*.json', '*.{snap}'] },
    ).examine()
    expect(project.protect).toEqual({
      patterns: ['.ralph/*.json', '*.{snap}'],
      notes: ['"*.{snap}" matches no file; correct it, or keep it if agents must not add such files'],
      trouble: null,
    })
    expect(lines).toContain(`– protect ${project.protect.notes[0]}`)
    const good = await setDoctorScene([], {}, { protect: ['.ralph/*.json', '.ralph'] }).examine()
    expect(good.lines).toContain('✓ protect .ralph/*.json · .ralph')
  })

  it('cannot run where the files to protect cannot be found', () => {
    const unreadable = { cwd: '\0', settings: { protect: ['*.json'] } } as unknown as Setup
    const { fact, rows, obstacle } = findProtect(unreadable)
    expect(obstacle).toContain('cannot be read, and a pattern in "protect" may match files in it')
    expect(fact).toEqual({ patterns: ['*.json'], notes: [], trouble: obstacle })
    expect(rows).toEqual([{ mark: 'no', name: 'protect', value: obstacle }])
  })

  it('is judged with the settings of the machine, too', async () => {
    const scene = setDoctorScene(['claude'], ANSWERS)
    mkdirSync(scene.home)
    writeFileSync(join(scene.home, 'settings.json'), '{"sandbox": {"mode": "none"}}')
    const { project, sandbox } = await scene.examine()
    expect(project.settings).toEqual({ valid: true, files: [join(scene.home, 'settings.json')] })
    expect(project.trust).toEqual({ state: 'not needed' })
    expect(sandbox.wanted).toBe('none')
  })

  it('with nothing in it needs no trust', async () => {
    const { project, lines } = await setDoctorScene([]).examine()
    expect(lines).toEqual(
      expect.arrayContaining([
        '✓ settings none: the defaults',
        '✓ trust nothing here needs it',
        '– checks none: the result of a run is only claimed → ralph init, or --check "npm test"',
      ]),
    )
    expect(project).toMatchObject({
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
    const facts = await scene.examine()
    expect(facts.obstacles).toEqual([expect.stringContaining('trust.json cannot be used')])
  })

  it('is locked only by a run that lives', async () => {
    const scene = setDoctorScene([])
    const me = processRef(process.pid)
    const lock = acquireLock(scene.home, scene.project, { ...me, run: 'living' }, () => true)
    const { project, lines } = await scene.examine()
    expect(project.lock).toEqual({ run: 'living', pid: me.pid, host: me.host })
    expect(lines).toContain(
      `– lock run living is at work here (pid ${me.pid} on ${me.host}) → wait for it, or use --shared`,
    )
    lock.release()
    acquireLock(scene.home, scene.project, { ...me, startTime: 'another', run: 'dead' }, () => true)
    expect((await scene.examine()).project.lock).toBeNull()
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
    const { project, lines } = await scene.examine()
    expect(project).toMatchObject({
      unfinished: { run: '20260301-221530-k3f', iterations: 0, goOn: 'ralph resume x' },
      runsTrouble: null,
    })
    expect(lines).toContain('– runs 20260301-221530-k3f is unfinished after 0 iterations → ralph resume x')
    const lock = { ...processRef(process.pid), run: '20260301-221530-k3f' }
    const { release } = acquireLock(scene.home, scene.project, lock, () => true)
    expect((await scene.examine()).lines).toContain('✓ runs none that was left unfinished')
    release()
    writeFileSync(join(dir, 'journal.ndjson'), `${JSON.stringify({ ...began, v: 3 })}\n`)
    expect((await scene.examine()).project).toMatchObject({
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
    const facts = await setDoctorScene(['claude'], ANSWERS).examine({ machine: { ...MACHINE, node } })
    expect(facts.ralph.node).toEqual({ version: node, needs: '20.19', enough })
    const line = enough ? `✓ node ${node}` : `✗ node ${node} is too old → install 20.19 or newer`
    expect([facts.obstacles.length, facts.lines.find(shown => shown.includes(' node '))]).toEqual([
      enough ? 0 : 1,
      line,
    ])
  })

  it('does not promise every platform', async () => {
    const { lines } = await setDoctorScene([]).examine({ machine: { ...MACHINE, platform: 'win32' } })
    expect(lines).toContain('✗ platform win32 x64 → Linux, macOS or WSL')
  })

  it('has a home that can be written, also one that is not there yet, and makes none', async () => {
    const scene = setDoctorScene(['claude'], ANSWERS)
    const home = join(scene.root, 'a', 'b')
    expect((await scene.examine({ env: { RALPH_HOME: home } })).ralph.home).toEqual({
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
    const facts = await scene.examine({ env: { RALPH_HOME: home } })
    expect(facts.ralph.home.writable).toBe(false)
    expect(facts.obstacles).toEqual([`${home} cannot be written: a file is in its place`])
  })
})

describe('the environment', () => {
  const env = { ANTHROPIC_API_KEY: 'sk-1', OPENAI_API_KEY: 'sk-2', LANG: 'value-3', RALPH_TRUST: 'value-4' }

  it('is shown by names, sorted, for the agent that would be used and for guardrails', async () => {
    const { environment } = await setDoctorScene(['claude'], ANSWERS).examine({ env }, true)
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
      return (await scene.examine({ env: more, checkSrt }, true)).environment
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
    expect(await scene.examine({ env })).not.toHaveProperty('environment')
    const told = JSON.stringify(await scene.examine({ env }, true))
    for (const value of ['sk-1', 'sk-2', 'value-3', 'value-4']) expect(told).not.toContain(value)
  })
})
