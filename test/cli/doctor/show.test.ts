import { describe, expect, it } from 'vitest'
import type { AgentFact, Facts, ProgramFact } from '../../../src/cli/commands/doctor/facts.ts'
import { showFacts } from '../../../src/cli/commands/doctor/show.ts'
import { visible } from '../../../src/core/visible.ts'
import { styleOf } from '../../../src/view/style.ts'

const PLAIN = styleOf({ color: false, emoji: true })

const there = (name: string, version: string | null = '1.0'): ProgramFact => ({
  name,
  path: `/bin/${name}`,
  version,
  trouble: null,
})
const absent = (name: string): ProgramFact => ({ name, path: null, version: null, trouble: null })
const agent = (fact: ProgramFact): AgentFact => ({ ...fact, paidBy: 'its own login' })

const GOOD: Facts = {
  agents: [agent(there('claude')), agent(absent('codex'))],
  pick: { type: 'agent', name: 'claude', command: 'claude', from: 'PATH' },
  fallbacks: [],
  tools: {
    git: { ...there('git'), repository: '/p' },
    sh: there('sh', null),
    tmux: there('tmux'),
    docker: { ...there('docker'), server: '2.0' },
    sbx: absent('sbx'),
    srt: absent('srt'),
    bwrap: absent('bwrap'),
    socat: there('socat'),
    rg: there('rg'),
  },
  sandbox: {
    wanted: 'auto',
    missing: [{ what: 'srt is not on PATH', remedy: 'x' }],
    isRoot: false,
    checked: null,
  },
  logout: null,
  project: {
    path: '/p',
    settings: { valid: true, files: ['.ralph/settings.json'] },
    trust: { state: 'given' },
    guardrails: ['npm test', 'npm run lint'],
    protect: { patterns: [], notes: [], trouble: null },
    lock: null,
    unfinished: null,
    runsTrouble: null,
  },
  ralph: {
    version: '0.1.0',
    node: { version: '22.1.0', needs: '20.19', enough: true },
    home: { path: '/h', writable: true },
    platform: { name: 'linux', arch: 'x64', supported: true },
  },
  folders: [
    { name: 'home', path: '/h', trouble: null, doubt: null },
    { name: 'project', path: '/p', trouble: null, doubt: null },
    { name: 'temporary', path: '/tmp', trouble: null, doubt: null },
  ],
}

const CLOSED: Facts['folders'][number] = {
  name: 'home',
  path: '/h',
  trouble: 'cannot be written: permission denied',
  doubt: null,
}

const show = (change: Partial<Facts> = {}, columns: number | null = null) =>
  showFacts({ ...GOOD, ...change }, PLAIN, columns)
const project = (change: Partial<Facts['project']>) => show({ project: { ...GOOD.project, ...change } })
const tools = (change: Partial<Facts['tools']>) => show({ tools: { ...GOOD.tools, ...change } })
const ralph = (change: Partial<Facts['ralph']>) => show({ ralph: { ...GOOD.ralph, ...change } })

it('fits the terminal, and breaks at words', () => {
  const long = [
    'npm run a-very-long-name-of-a-script -- --with=several --options',
    'npm run lint -- --strict',
  ]
  const lines = show({ project: { ...GOOD.project, guardrails: long } }, 80)
  expect(lines.filter(line => line.length > 80)).toEqual([])
  expect(lines).toContain('  ✓ claude      1.0 · /bin/claude · its own login: login not checked · `ralph')
  expect(lines).toContain('                run` uses this one')
})

it('a CLI that is slow to tell its version can be used all the same', () => {
  const slow: AgentFact = { ...agent(there('claude', null)), slow: true }
  const lines = show({ agents: [slow] })
  expect(lines[1]).toBe(
    '  ✓ claude      slow: did not report its version within 5 s · /bin/claude · its own login: login not checked · `ralph run` uses this one',
  )
  expect(lines.at(-1)).toBe('✓ ralph can run here')
})

describe('whether runs can work in a sandbox', () => {
  const inPlace = { srt: there('srt'), bwrap: there('bwrap'), socat: there('socat'), rg: there('rg') }
  const sandbox = (
    change: Partial<Facts['sandbox']>,
    programs: Partial<Facts['tools']> = inPlace,
    platform = 'linux',
  ) => {
    const lines = show({
      tools: { ...GOOD.tools, ...programs },
      sandbox: { wanted: 'auto', missing: [], isRoot: false, checked: null, ...change },
      ralph: { ...GOOD.ralph, platform: { name: platform, arch: 'x64', supported: true } },
    })
    const from = lines.indexOf('sandbox') + 1
    return lines.slice(from, lines.indexOf('project /p'))
  }
  const why = { what: 'nothing can be run inside: no; this is a container', remedy: 'start it otherwise' }
  it.each<[string, Parameters<typeof sandbox>[0], string]>([
    ['it works', {}, '  ✓ sandbox     srt: `true` was run inside, and `ralph run` uses it'],
    [
      'as root',
      { isRoot: true },
      '  – sandbox     srt works, but it does not contain root, who can write to /proc/sys inside → run ralph as another user',
    ],
    [
      'the settings want none',
      { wanted: 'none' },
      '  – sandbox     none: agents may read, change and run whatever you can (sandbox.mode)',
    ],
    [
      'nothing runs inside',
      { missing: [why] },
      '  – sandbox     nothing can be run inside: no; this is a container → start it otherwise',
    ],
    [
      'nothing runs inside, and the settings name it',
      { missing: [why], wanted: 'srt' },
      '  ✗ sandbox     nothing can be run inside: no; this is a container → start it otherwise',
    ],
  ])('%s', (_, change, line) => {
    expect(sandbox(change).at(-1)).toBe(line)
  })

  it('a program that is missing has its own row and remedy', () => {
    const missing = [{ what: 'rg is not on PATH', remedy: 'install the package ripgrep' }]
    expect(sandbox({ missing }, { ...inPlace, rg: absent('rg') }).slice(-2)).toEqual([
      '  – rg          not found → install the package ripgrep',
      '  – sandbox     none: agents may read, change and run whatever you can → install what srt needs',
    ])
    expect(sandbox({ missing, isRoot: true }, { ...inPlace, rg: absent('rg') }).at(-1)).toMatch(
      / → install what srt needs, and run ralph as another user$/,
    )
    expect(sandbox({}, inPlace, 'darwin')).toHaveLength(3)
  })

  it.each<[string, Parameters<typeof sandbox>[0], Partial<Facts['tools']>, string, string]>([
    [
      'only the old docker is there',
      {},
      {},
      '  – sbx         not found · docker is, but sbx replaced its command `docker sandbox` → https://docs.docker.com/ai/sandboxes/',
      '  ✓ sandbox     srt: `true` was run inside, and `ralph run` uses it',
    ],
    [
      'neither is there',
      {},
      { docker: { ...absent('docker'), server: null } },
      '  – sbx         not found → https://docs.docker.com/ai/sandboxes/',
      '  ✓ sandbox     srt: `true` was run inside, and `ralph run` uses it',
    ],
    [
      'sbx was not tried with this version',
      { checked: '0.9' },
      { sbx: there('sbx') },
      '  – sbx         1.0 · /bin/sbx · not tried with this version → ralph sandbox check docker',
      '  ✓ sandbox     srt: `true` was run inside, and `ralph run` uses it',
    ],
    [
      'sbx was tried',
      { checked: '1.0' },
      { sbx: there('sbx') },
      '  ✓ sbx         1.0 · /bin/sbx · it was tried and works',
      '  ✓ sandbox     docker: `ralph run` uses it (experimental)',
    ],
    [
      'the settings want docker, and sbx is not there',
      { wanted: 'docker' },
      {},
      '  – sbx         not found · docker is, but sbx replaced its command `docker sandbox` → https://docs.docker.com/ai/sandboxes/',
      '  ✗ sandbox     docker (sandbox.mode), but sbx is not there → install sbx',
    ],
  ])("docker's: %s", (_, change, programs, first, last) => {
    const lines = sandbox(change, { ...inPlace, ...programs })
    expect([lines[0], lines.at(-1)]).toEqual([first, last])
  })

  it('one that the settings name and that does not work keeps ralph from running', () => {
    const lines = show({ sandbox: { wanted: 'srt', missing: [why], isRoot: false, checked: null } })
    expect(lines.at(-1)).toBe(`✗ ralph cannot run here: sandbox srt: ${why.what}`)
    const docker = show({ sandbox: { ...GOOD.sandbox, wanted: 'docker' } })
    expect(docker.at(-1)).toBe('✗ ralph cannot run here: sandbox docker: sbx is not on PATH')
  })
})

it('shows everything on one screen, grouped, each line with its mark', () => {
  expect(show().join('\n')).toBe(`agents
  ✓ claude      1.0 · /bin/claude · its own login: login not checked · \`ralph run\` uses this one
  – codex       not found → npm install -g @openai/codex
tools
  ✓ git         1.0 · /bin/git
  ✓ repository  /p
  ✓ sh          /bin/sh
  ✓ tmux        1.0 · /bin/tmux
  ✓ docker      1.0 · /bin/docker · the daemon answers (2.0)
sandbox
  – sbx         not found · docker is, but sbx replaced its command \`docker sandbox\` → https://docs.docker.com/ai/sandboxes/
  – srt         not found → npm install -g @anthropic-ai/sandbox-runtime
  – bwrap       not found → install the package bubblewrap
  ✓ socat       1.0 · /bin/socat
  ✓ rg          1.0 · /bin/rg
  – sandbox     none: agents may read, change and run whatever you can → install what srt needs
project /p
  ✓ settings    .ralph/settings.json
  ✓ trust       given
  ✓ checks      npm test · npm run lint
  ✓ lock        free
  ✓ runs        none that was left unfinished
ralph
  ✓ version     0.1.0
  ✓ node        22.1.0
  ✓ platform    linux x64
folders
  ✓ home        /h
  ✓ project     /p
  ✓ temporary   /tmp

✓ ralph can run here`)
})

describe('what is wrong or missing has a line that says so, and the way out', () => {
  const holder = { run: 'r1', pid: 7, host: 'box' }
  it.each<[string, string[], string]>([
    [
      'an agent that hangs',
      show({ agents: [agent({ ...there('claude', null), trouble: 'it hung' })] }),
      '  ✗ claude      /bin/claude · it hung · `ralph run` uses this one',
    ],
    [
      'a logout that ends everything',
      show({ logout: { ends: true, by: 'KillUserProcesses' } }),
      '  – logout      ends all workers (KillUserProcesses=yes) → loginctl enable-linger, then start workers with: systemd-run --user --scope ralph spawn …',
    ],
    [
      'a logout that ends the manager of the user',
      show({ logout: { ends: true, by: 'linger' } }),
      '  – logout      ends all workers (your user does not linger) → loginctl enable-linger',
    ],
    ['a logout', show({ logout: { ends: false, by: 'linger' } }), '  ✓ logout      workers keep running'],
    [
      'no agent at all',
      show({ agents: [agent(absent('claude'))], pick: { type: 'none', why: 'nothing on PATH' } }),
      '  ✗ ralph run   can use none of these',
    ],
    [
      "the settings' own agent",
      show({ pick: { type: 'agent', name: 'mine', command: './mine', from: 'settings' } }),
      '  ✓ ./mine      `ralph run` uses this one: the settings say so',
    ],
    [
      'a docker client alone',
      tools({ docker: { ...there('docker'), server: null } }),
      '  – docker      1.0 · /bin/docker · only a client: no daemon answers → start the daemon',
    ],
    [
      'no repository',
      tools({ git: { ...there('git'), repository: null } }),
      '  – repository  none around this folder: ralph cannot see changes → git init',
    ],
    ['no shell', tools({ sh: absent('sh') }), '  ✗ sh          not found → install the package dash'],
    [
      'broken settings',
      project({ settings: { valid: false, error: 'unknown key "x"' } }),
      '  ✗ settings    unknown key "x"',
    ],
    ['no settings', project({ settings: { valid: true, files: [] } }), '  ✓ settings    none: the defaults'],
    [
      'no trust',
      project({ trust: { state: 'missing', where: ['agent.command', 'env.pass[0]'] } }),
      '  – trust       not given for agent.command, env.pass[0] → ralph trust',
    ],
    [
      'no checks',
      project({ guardrails: [] }),
      '  – checks      none: the result of a run is only claimed → ralph init, or --check "npm test"',
    ],
    [
      'protected files',
      project({ protect: { patterns: ['test/**', '*.snap'], notes: [], trouble: null } }),
      '  ✓ protect     test/** · *.snap',
    ],
    [
      'a pattern without effect',
      project({ protect: { patterns: ['x'], notes: ['"x" matches no file; correct it'], trouble: null } }),
      '  – protect     "x" matches no file; correct it',
    ],
    [
      'a pattern that takes too long',
      project({ protect: { patterns: ['x'], notes: [], trouble: 'the pattern "x" takes too long' } }),
      '✗ ralph cannot run here: the pattern "x" takes too long',
    ],
    [
      'a run at work',
      project({ lock: holder }),
      '  – lock        run r1 is at work here (pid 7 on box) → wait for it, or use --shared',
    ],
    [
      'an unfinished run',
      project({ unfinished: { run: 'r1', iterations: 1, goOn: 'ralph resume r1 -m 2' } }),
      '  – runs        r1 is unfinished after 1 iteration → ralph resume r1 -m 2',
    ],
    [
      'an unfinished run that is at work',
      project({ unfinished: { run: 'r1', iterations: 1, goOn: null }, lock: holder }),
      '  ✓ runs        none that was left unfinished',
    ],
    [
      'an old Node',
      ralph({ node: { version: '18.0.0', needs: '20.19', enough: false } }),
      '  ✗ node        18.0.0 is too old → install 20.19 or newer',
    ],
    [
      'a home that cannot be written',
      show({ folders: [CLOSED] }),
      '  ✗ home        /h cannot be written: permission denied → RALPH_HOME=<a folder of yours>',
    ],
    [
      'a disk that is nearly full',
      show({
        folders: [{ name: 'project', path: '/p', trouble: null, doubt: 'only 9 MB are free on its disk' }],
      }),
      '  – project     /p only 9 MB are free on its disk → make room there, and let your user write to it',
    ],
    [
      'a platform that is not promised',
      ralph({ platform: { name: 'win32', arch: 'x64', supported: false } }),
      '  ✗ platform    win32 x64 → Linux, macOS or WSL',
    ],
    [
      'a tool on macOS',
      showFacts(
        {
          ...GOOD,
          tools: { ...GOOD.tools, tmux: absent('tmux') },
          ralph: { ...GOOD.ralph, platform: { name: 'darwin', arch: 'arm64', supported: true } },
        },
        PLAIN,
        80,
      ),
      '  – tmux        not found → brew install tmux',
    ],
  ])('%s', (_, lines, expected) => {
    expect(lines).toContain(expected)
  })

  it('and all that keeps ralph from running comes once more at the end', () => {
    const settings = { valid: false, error: 'bad settings' } as const
    const lines = show({
      project: { ...GOOD.project, settings },
      folders: [CLOSED],
    })
    expect(lines.at(-1)).toBe(
      '✗ ralph cannot run here: bad settings; /h cannot be written: permission denied',
    )
  })
})

it('lists names of variables in lines that fit, and says where there is none', () => {
  const names = ['AAAA_AAAA', 'BBBB_BBBB', 'CCCC_CCCC', 'DDDD_DDDD']
  const lines = show({ environment: [{ of: 'claude', gets: names, leftOut: [] }] }, 40)
  expect(lines.slice(lines.indexOf('environment of claude'), -2)).toEqual([
    'environment of claude',
    '  gets      AAAA_AAAA BBBB_BBBB',
    '            CCCC_CCCC DDDD_DDDD',
    '  left out  none',
  ])
})

it('shows every character of what programs and files say, and none raw', () => {
  const nasty = '\x1b]0;title\x07\x1b[31mred\n\x07'
  const lines = show({
    agents: [agent({ ...there('claude', null), trouble: nasty })],
    project: { ...GOOD.project, path: nasty, guardrails: [nasty], settings: { valid: false, error: nasty } },
    environment: [{ of: nasty, gets: [nasty], leftOut: [nasty] }],
  })
  for (const line of lines) expect(line).toMatch(/^[^\x00-\x1f\x7f]*$/)
  expect(lines).toContain(`  ✓ checks      ${visible(nasty)}`)
  expect(lines).toContain(`project ${visible(nasty)}`)
})

it('colours the marks where colour is wanted', () => {
  const { colors } = styleOf({ color: true, emoji: true })
  const lines = showFacts(GOOD, { ...PLAIN, colors }, 80)
  expect(lines[1]).toContain(colors.green('✓'))
  expect(lines.at(-1)).toBe(colors.green('✓ ralph can run here'))
})
