import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isAlive, processRef } from '../../src/runners/process/proc.ts'
import { loadSettings } from '../../src/settings/load.ts'
import { RALPH, runRalph } from '../support/ralph.ts'
import { hasTmux, openTerminal, type Terminal } from '../support/terminal.ts'
import { setStage } from './scene.ts'

const INIT = [process.execPath, RALPH, 'init']

const AGENT = 'Agent command (e.g., claude, codex, amp, or other LLM CLI)'
const FLAGS = 'Agent flags (comma-separated, optional)'
const ITERATIONS = 'Maximum iterations [10]'
const RESPONSE = 'Completion response [DONE]'
const FOUND = 'Checks found in this project'
const GUARDRAIL = 'Add guardrail command (leave blank to finish)'
const ACTION = 'Fail action (APPEND|PREPEND|REPLACE)'
const HINT = 'Hint (optional, guidance for agent on failure)'
const SCM = 'Configure SCM? (y/N)'
const COMMAND = 'SCM command (e.g., git)'
const TASKS = 'SCM tasks (comma-separated, e.g., commit,push)'
const OVERWRITE = 'Overwrite? (y/N)'

type Answer = [question: string, text: string]

/** A project without settings in which nothing is trusted, and a terminal on which init runs. */
function setScene(files: Record<string, string> = {}, path?: string) {
  const { project, ralphHome, env: given, bin } = setStage({ git: false })
  const { RALPH_TRUST: _, ...env } = given
  if (path !== undefined) env.PATH = path
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(project, name, '..'), { recursive: true })
    writeFileSync(join(project, name), text)
  }
  return {
    project,
    bin,
    ralphHome,
    open: (command = INIT) => openTerminal(command, { cwd: project, env }),
    ralph: (...args: string[]) => runRalph(args, { cwd: project, env }),
    read: (name: string) => readFileSync(join(project, name), 'utf8'),
    settings: () => JSON.parse(readFileSync(join(project, '.ralph/settings.json'), 'utf8')),
    /** Everything there is, but for what was there to begin with. */
    left: () =>
      [...readdirSync(project), ...(existsSync(ralphHome) ? ['ralph home'] : [])].filter(
        name => !(name in files),
      ),
  }
}

/** The mark before the question tells the open one from those that are answered. */
const open = (question: string) => `◆  ${question}`

async function answer(terminal: Terminal, answers: Answer[]): Promise<void> {
  for (const [question, text] of answers) {
    await terminal.waitFor(open(question))
    await terminal.type(text, 'Enter')
  }
}

const SHORT: Answer[] = [
  [AGENT, ''],
  [FLAGS, ''],
  [ITERATIONS, ''],
  [RESPONSE, ''],
  [GUARDRAIL, ''],
  [SCM, ''],
]

/** Every question that there is, but for the one about old settings. */
const LONG: Answer[] = [
  [AGENT, ''],
  [FLAGS, ''],
  [ITERATIONS, ''],
  [RESPONSE, ''],
  [FOUND, ''],
  [ACTION, ''],
  [HINT, ''],
  [GUARDRAIL, 'true'],
  [ACTION, ''],
  [HINT, ''],
  [GUARDRAIL, ''],
  [SCM, 'y'],
  [COMMAND, ''],
  [TASKS, ''],
]

const MANIFEST = JSON.stringify({ scripts: { test: 'node -e 0', lint: 'node -e 0', start: 'node .' } })

describe.skipIf(!hasTmux)('init on a terminal', () => {
  it('writes what was answered, and says so', async () => {
    const scene = setScene()
    const terminal = await scene.open()
    await answer(terminal, [
      [AGENT, 'claude'],
      [FLAGS, '--model , opus'],
      [ITERATIONS, ''],
      [RESPONSE, ''],
      [GUARDRAIL, 'make lint'],
      [ACTION, 'APPEND'],
      [HINT, 'Fix lint errors only. Do not change behavior.'],
      [GUARDRAIL, 'make test'],
      [ACTION, 'replace'],
      [HINT, ''],
      [GUARDRAIL, ''],
      [SCM, 'y'],
      [COMMAND, 'git'],
      [TASKS, 'commit, push'],
    ])
    const { code, screen } = await terminal.ended()
    expect(code).toBe(0)
    expect(screen).toContain(
      '\nSettings written to .ralph/settings.json\nNext: ralph run -p "Make the tests pass"',
    )
    expect(scene.read('.ralph/settings.json')).toBe(`{
  "$schema": "./settings.schema.json",
  "maximumIterations": 10,
  "completionResponse": "DONE",
  "outputTruncateChars": 5000,
  "streamAgentOutput": true,
  "includeIterationCountInPrompt": false,
  "agent": {
    "command": "claude",
    "flags": [
      "--model",
      "opus"
    ]
  },
  "guardrails": [
    {
      "command": "make lint",
      "failAction": "APPEND",
      "hint": "Fix lint errors only. Do not change behavior."
    },
    {
      "command": "make test",
      "failAction": "REPLACE"
    }
  ],
  "scm": {
    "command": "git",
    "tasks": [
      "commit",
      "push"
    ]
  }
}
`)
    expect(() => loadSettings(scene.project)).not.toThrow()
    expect(scene.read('.ralph/.gitignore')).toBe('.gitignore\nsessions/\nsettings.local.json\n')
    const { properties } = JSON.parse(scene.read('.ralph/settings.schema.json'))
    expect(Object.keys(scene.settings()).filter(key => !(key in properties))).toEqual([])
    expect(readdirSync(join(scene.project, '.ralph')).sort()).toEqual([
      '.gitignore',
      'settings.json',
      'settings.schema.json',
    ])
  })

  it('takes blank answers for what it offers: the agent found, the checks found; a run then needs no trust', async () => {
    const scene = setScene({ 'package.json': MANIFEST })
    const terminal = await scene.open()
    expect(await terminal.waitFor(open(AGENT))).toContain('found: claude')
    await answer(terminal, SHORT.slice(0, 4))
    expect(await terminal.waitFor(open(FOUND))).toMatch(/◼ npm test.*\n.*◼ npm run lint/)
    await terminal.press('Down', 'Space')
    await terminal.waitFor('◻ npm run lint')
    await answer(terminal, [[FOUND, ''], [ACTION, ''], [HINT, 'Leave the tests alone.'], ...SHORT.slice(4)])
    expect((await terminal.ended()).code).toBe(0)
    expect(scene.settings()).toMatchObject({ agent: { command: 'claude', flags: [] }, maximumIterations: 10 })
    expect(scene.settings()).not.toHaveProperty('scm')
    expect(scene.settings().guardrails).toEqual([
      { command: 'npm test', failAction: 'APPEND', hint: 'Leave the tests alone.' },
    ])
    expect((await scene.ralph('run', '-p', 'x')).code).toBe(0)
  })

  it('asks again for a blank agent where none is found, and for what makes no sense', async () => {
    const scene = setScene({}, '/nowhere')
    const terminal = await scene.open()
    expect(await terminal.waitFor(open(AGENT))).not.toContain('found:')
    const refused = async (why: string, ...answers: Answer[]) => {
      await answer(terminal, answers)
      await terminal.waitFor(why)
      await terminal.press('C-u')
      await terminal.waitFor(open(answers.at(-1)![0]))
    }
    const NUMBER = 'It must be a whole number of at least 1.'
    const FAILS = 'It must be one of APPEND, PREPEND, REPLACE.'
    await refused('An agent is needed', [AGENT, ' '])
    await refused('its flags are the next question', [AGENT, 'aider --yes'])
    await refused('Every quote must be closed', [AGENT, 'aider'], [FLAGS, "--message 'a"])
    await refused(NUMBER, [FLAGS, ''], [ITERATIONS, '0'])
    await refused(NUMBER, [ITERATIONS, 'ten'])
    await refused(FAILS, [ITERATIONS, '25'], [RESPONSE, 'SHIPPED'], [GUARDRAIL, 'true'], [ACTION, 'add'])
    await refused('It must be y or n.', [ACTION, 'Prepend'], [HINT, ''], [GUARDRAIL, ''], [SCM, 'maybe'])
    await refused('Name at least one task.', [SCM, 'YES'], [COMMAND, ''], [TASKS, ','])
    await answer(terminal, [[TASKS, '']])
    expect((await terminal.ended()).code).toBe(0)
    expect(scene.settings()).toMatchObject({
      maximumIterations: 25,
      completionResponse: 'SHIPPED',
      agent: { command: 'aider', flags: [] },
      guardrails: [{ command: 'true', failAction: 'PREPEND' }],
      scm: { command: 'git', tasks: ['commit'] },
    })
  })

  it.each(LONG.map(([question], place) => [place + 1, question] as const))(
    'Ctrl+C at question %d, "%s", leaves nothing and exits 130',
    async place => {
      const scene = setScene({ 'package.json': MANIFEST })
      const terminal = await scene.open()
      await answer(terminal, LONG.slice(0, place - 1))
      await terminal.waitFor(open(LONG[place - 1]![0]))
      await terminal.press('C-c')
      const { code, screen } = await terminal.ended()
      expect([code, scene.left()]).toEqual([130, []])
      expect(screen).toContain('Interrupted; nothing was written.')
    },
  )

  it.each([
    ['a line', [], ['C-d']],
    ['a line whose text was taken back', [], ['x', 'BSpace', 'C-d']],
    ['a list', LONG.slice(0, 4), ['C-d']],
    ['a list in which something was chosen', LONG.slice(0, 4), ['Space', 'j', 'C-d']],
  ] satisfies [string, Answer[], string[]][])(
    'the end of input at %s exits 130',
    async (_, answers, keys) => {
      const scene = setScene({ 'package.json': MANIFEST })
      const terminal = await scene.open()
      await answer(terminal, answers)
      await terminal.waitFor(open(LONG[answers.length]![0]))
      await terminal.press(...keys)
      expect((await terminal.ended()).code).toBe(130)
      expect(scene.left()).toEqual([])
    },
  )

  it('Ctrl+D within a text is no end', async () => {
    const scene = setScene()
    const terminal = await scene.open()
    await answer(terminal, SHORT.slice(0, 3))
    await terminal.waitFor(open(RESPONSE))
    await terminal.type('DONEX', 'Left', 'C-d')
    await answer(terminal, [[RESPONSE, ''], ...SHORT.slice(4)])
    expect((await terminal.ended()).code).toBe(0)
    expect(scene.settings().completionResponse).toBe('DONE')
  })

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s exits 130', async signal => {
    const scene = setScene()
    const terminal = await scene.open()
    await answer(terminal, SHORT.slice(0, 2))
    await terminal.waitFor(open(ITERATIONS))
    process.kill(terminal.pid(), signal)
    expect((await terminal.ended()).code).toBe(130)
    expect(scene.left()).toEqual([])
  })

  it('ends with its terminal, and leaves nothing', async () => {
    const scene = setScene()
    const terminal = await scene.open()
    await answer(terminal, SHORT.slice(0, 2))
    await terminal.waitFor(open(ITERATIONS))
    const init = processRef(terminal.pid())
    expect(isAlive(init)).toBe(true)
    await terminal.close()
    await expect.poll(() => isAlive(init), { timeout: 10_000 }).toBe(false)
    expect(scene.left()).toEqual([])
  })

  describe('where there are settings', () => {
    const OLD = '{ "maximumIterations": 3, "agent": { "command": "codex", "flags": ["--a"] } }'

    it('shows them and leaves them alone unless told to overwrite', async () => {
      const scene = setScene({ '.ralph/settings.json': OLD })
      const terminal = await scene.open()
      const shown = await terminal.waitFor(open(OVERWRITE))
      expect(shown).toContain(
        `${JSON.stringify(JSON.parse(OLD), null, 2)}\nLoaded from .ralph/settings.json\n`,
      )
      await terminal.press('Enter')
      expect((await terminal.ended()).code).toBe(0)
      expect(scene.read('.ralph/settings.json')).toBe(OLD)
      expect(readdirSync(join(scene.project, '.ralph'))).toEqual(['settings.json'])
    })

    it('shows what they are with the local ones, and Ctrl+C changes nothing', async () => {
      const local = '{ "agent": { "flags": ["--b"], "model": "\\u001b[31mb\\u009b32m\\u200b" } }'
      const scene = setScene({ '.ralph/settings.json': OLD, '.ralph/settings.local.json': local })
      const terminal = await scene.open()
      const shown = await terminal.waitFor(open(OVERWRITE))
      expect(shown).toContain(
        'Loaded from .ralph/settings.json (with local overlay from settings.local.json)\n',
      )
      expect(shown).toContain(
        '"command": "codex",\n    "flags": [\n      "--b"\n    ],\n    "model": "\\u001b[31mb\\u009b32m\\u200b"\n',
      )
      await terminal.press('C-c')
      expect((await terminal.ended()).code).toBe(130)
      expect(scene.read('.ralph/settings.json')).toBe(OLD)
    })

    it('overwrites them when told to, and keeps a .gitignore', async () => {
      const scene = setScene({ '.ralph/settings.json': OLD, '.ralph/.gitignore': 'mine\n' })
      const terminal = await scene.open()
      await answer(terminal, [[OVERWRITE, 'y'], ...SHORT])
      expect((await terminal.ended()).code).toBe(0)
      expect(scene.settings()).toMatchObject({
        maximumIterations: 10,
        agent: { command: 'claude', flags: [] },
      })
      expect(scene.read('.ralph/.gitignore')).toBe('mine\n')
    })

    it('does not ask about local settings alone: nothing is overwritten', async () => {
      const scene = setScene({ '.ralph/settings.local.json': OLD })
      const terminal = await scene.open()
      await answer(terminal, SHORT)
      expect((await terminal.ended()).code).toBe(0)
      expect(scene.read('.ralph/settings.local.json')).toBe(OLD)
    })
  })

  describe('exits 2 with one line', () => {
    it.each([
      ['broken settings', { '.ralph/settings.json': '{' }, /^ralph: error: \.ralph\/settings\.json:1:2: /],
      ['a file in the place of .ralph', { '.ralph': '' }, /^ralph: error: \.ralph is a file, not a folder/],
    ])('for %s, before any question', async (_, files, words) => {
      const terminal = await setScene(files).open()
      const { code, screen } = await terminal.ended()
      expect([code, screen]).toEqual([2, expect.stringMatching(words)])
      expect(screen).not.toContain('◆')
    })

    it('for a file that cannot be written, with the old settings as they were', async () => {
      const scene = setScene({ '.ralph/settings.schema.json/inside': '', '.ralph/settings.json': '{}' })
      const terminal = await scene.open()
      await answer(terminal, [[OVERWRITE, 'y'], ...SHORT])
      const { code, screen } = await terminal.ended()
      expect(code).toBe(2)
      expect(screen).toMatch(/\nralph: error: cannot write \.ralph\/settings\.json: EISDIR/)
      expect(scene.read('.ralph/settings.json')).toBe('{}')
      expect(readdirSync(join(scene.project, '.ralph')).sort()).toEqual([
        '.gitignore',
        'settings.json',
        'settings.schema.json',
      ])
    })

    it.each(['< /dev/null', '> out'])('for a terminal on one side only, %s', async redirection => {
      const scene = setScene()
      const terminal = await scene.open(['sh', '-c', `exec "$0" "$@" ${redirection}`, ...INIT])
      const { code, screen } = await terminal.ended()
      expect([code, screen]).toEqual([2, expect.stringContaining('init asks questions and needs a terminal')])
    })
  })

  it('warns where trust cannot be remembered, and has written the settings', async () => {
    const scene = setScene()
    mkdirSync(scene.ralphHome)
    writeFileSync(join(scene.ralphHome, 'trust.json'), 'mine')
    const terminal = await scene.open()
    await answer(terminal, SHORT)
    const { code, screen } = await terminal.ended()
    expect([code, screen]).toEqual([
      0,
      expect.stringContaining('ralph: warning: the settings are not trusted yet'),
    ])
    expect(scene.settings().agent.command).toBe('claude')
  })
})

it('init without a terminal exits 2 and names the way out', async () => {
  const scene = setScene()
  const { code, stdout, stderr } = await scene.ralph('init')
  expect([code, stdout, scene.left()]).toEqual([2, '', []])
  expect(stderr).toBe(
    'ralph: error: init asks questions and needs a terminal; without one use --yes, or write .ralph/settings.json by hand (docs/settings.md)\n',
  )
})

describe('init --yes', () => {
  const PACKAGE = { 'package.json': JSON.stringify({ scripts: { test: 'vitest', lint: 'biome' } }) }

  it('asks nothing: the first agent found, and the checks of the project, which need no trust then', async () => {
    const scene = setScene(PACKAGE)
    const ran = await scene.ralph('init', '--yes')
    expect([ran.code, ran.stderr]).toEqual([0, ''])
    expect(ran.stdout).toBe(
      `Settings written to .ralph/settings.json
  agent    claude
  checks   npm test · npm run lint
Next: ralph run -p "Make the tests pass"
`,
    )
    expect(scene.settings()).toMatchObject({
      agent: { command: 'claude' },
      guardrails: [
        { command: 'npm test', failAction: 'APPEND' },
        { command: 'npm run lint', failAction: 'APPEND' },
      ],
    })
    const dry = await scene.ralph('run', '-p', 'x', '--dry-run')
    expect(dry.code).toBe(0)
  })

  it('overwrites nothing', async () => {
    const scene = setScene(PACKAGE)
    await scene.ralph('init', '--yes')
    const ran = await scene.ralph('init', '--yes')
    expect([ran.code, ran.stderr]).toEqual([
      2,
      'ralph: error: .ralph/settings.json already exists; change it, or remove it first\n',
    ])
  })
})
