import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { RALPH, type Ran } from '../support/ralph.ts'
import { hasTmux, openTerminal } from '../support/terminal.ts'
import { hinted, setUntrusted } from './scene.ts'

/** Nothing that is invisible, or that a terminal would obey. */
const SEEN = /^[^\p{C}\p{Zl}\p{Zp}\xa0\p{Default_Ignorable_Code_Point}]*$/u

const shown = ({ stdout, stderr }: Ran): string => {
  const text = stdout + stderr
  for (const line of text.split('\n')) expect(line).toMatch(SEEN)
  return text
}

const ATTACKS: [string, string, string][] = [
  ['a title that is a command', 'true \x1b]0;touch ran #\x07', 'U+001B at character 6'],
  ['a colour that hides', 'true \x1b[8m; touch ran', 'U+001B at character 6'],
  ['a line written over', 'touch ran #\rtrue       ', 'U+000D at character 12'],
  ['backspaces', 'touch ran;\b\b\b\btrue', 'U+0008 at character 11'],
  ['a look-alike of zero width', 'sh r\u200bun.sh', 'U+200B at character 5'],
  ['a direction override', 'touch ran # \u202eeurt', 'U+202E at character 13'],
  ['a direction isolate', 'true \u2066; touch ran\u2069', 'U+2066 at character 6'],
  ['another space', 'true\xa0; touch ran', 'U+00A0 at character 5'],
  ['a filler', 'touch\u3164 ran', 'U+3164 at character 6'],
  ['tags', 'true \u{e0072}\u{e006d}', 'U+E0072 at character 6'],
  ['a variation selector', 'sh run.sh\ufe00', 'U+FE00 at character 10'],
]

describe('a command of the settings with something hidden', () => {
  it.each(ATTACKS)('is refused wherever it could be agreed to or run: %s', async (_, command, where) => {
    const stage = setUntrusted({ guardrails: [{ command }] })
    stage.write('r\u200bun.sh', 'touch ran\n')
    const sentence = `guardrails[0].command must be text without invisible characters (${where}), not "`
    const calls = [['run'], ['run', '--trust'], ['run', '--dry-run'], ['build', '--dry-run']]
    const rans = [
      await stage.ralph('trust'),
      await stage.withEnv({ ...stage.env, RALPH_TRUST: '1' }, 'run', '-p', 'x'),
    ]
    for (const [name, ...words] of calls)
      rans.push(await stage.ralph(name!, ...(name === 'run' ? ['-p', 'x'] : ['x']), ...words))
    for (const ran of rans) {
      expect([ran.code, shown(ran)]).toEqual([2, expect.stringContaining(`ralph: error: ${sentence}`)])
      expect(ran.stderr).toMatch(/ \(\.ralph\/settings\.json\)\n$/)
    }
    const doctor = await stage.ralph('doctor')
    expect([doctor.code, shown(doctor)]).toEqual([1, expect.stringContaining(`✗ settings    ${sentence}`)])
    expect(() => stage.read('ran')).toThrow()
  })

  it('is refused in a story file, and `ralph trust` shows it whole', async () => {
    const stage = setUntrusted({})
    const tasks = {
      project: 'p',
      branchName: 'b',
      description: 'd',
      verifyCommands: ['true', 'true \x1b]0;touch ran #\x07'],
      userStories: [],
    }
    mkdirSync(join(stage.project, 'ralph'))
    stage.write('ralph/tasks.json', JSON.stringify(tasks))
    expect(shown(await stage.ralph('trust'))).toContain(
      'ralph/tasks.json verifyCommands[1]  true \\u{1b}]0;touch ran #\\u{7}',
    )
    const story = { id: 'US-1', title: 't', acceptanceCriteria: ['a'], priority: 1, passes: false }
    const fresh = { ...story, reviewStatus: null, reviewCount: 0, reviewFeedback: '' }
    stage.write('ralph/tasks.json', JSON.stringify({ ...tasks, userStories: [fresh] }))
    const ran = await stage.ralph('stories', '--trust')
    expect([ran.code, shown(ran)]).toEqual([
      2,
      'ralph: error: ralph/tasks.json: verifyCommands[1] must be text without invisible characters (U+001B at character 6)\n',
    ])
  })
})

/** What may be in the settings, and a person must see. */
const LONG = `test ${'x'.repeat(3000)} = y # the end`
const SCRIPT = 'touch ran\n  guardrails[1].command  true\\u{a}'
const SETTINGS = {
  agent: { model: 'op\u200bus' },
  guardrails: [{ command: SCRIPT }, { command: LONG }],
  protect: ['te\u202est/**', ' x'],
  env: { pass: ['AWS_\u200b*'] },
  blocklist: { allow: ['rm\u2028*'] },
}
const RISKS = `
  agent.model            op\\u{200b}us
  guardrails[0].command  touch ran\\u{a}
                           guardrails[1].command  true\\u{5c}u{a}
  guardrails[1].command  ${LONG}
  env.pass[0]            AWS_\\u{200b}*
  protect[0]             te\\u{202e}st/**
  protect[1]             \\u{20}x
  blocklist.allow[0]     rm\\u{2028}*
`
const CHECKS = `touch ran\\u{a}  guardrails[1].command  true\\u{5c}u{a} · ${LONG}`

describe('every character is shown', () => {
  it('by the error where nobody can be asked', async () => {
    const ran = await setUntrusted(SETTINGS).ralph('run', '-p', 'x')
    expect([ran.code, shown(ran)]).toEqual([
      2,
      expect.stringContaining('(agent.model: op\\u{200b}us, and 6 more)'),
    ])
  })

  it('by `ralph trust`', async () => {
    expect(shown(await setUntrusted(SETTINGS).ralph('trust'))).toContain(RISKS)
  })

  it('of a folder’s name', async () => {
    const stage = setUntrusted({})
    const dir = join(stage.project, 'a\x1b[2K\n\u200bb')
    mkdirSync(join(dir, '.ralph'), { recursive: true })
    stage.write(
      'a\x1b[2K\n\u200bb/.ralph/settings.json',
      JSON.stringify({ guardrails: [{ command: 'true' }] }),
    )
    const name = 'project/a\\u{1b}[2K\\u{a}\\u{200b}b'
    expect(shown(await stage.ralph('run', '-p', 'x', '-C', dir))).toContain(`${name} ask for something`)
    expect(shown(await stage.ralph('trust', '-C', dir))).toContain(`${name}, until it changes`)
    expect(shown(await stage.ralph('doctor', '-C', dir))).toContain(`${name}\n`)
    const json = shown(await stage.ralph('doctor', '-C', dir, '--json'))
    expect(JSON.parse(json).project.path).toMatch(/\/a\x1b\[2K\n\u200bb$/)
  })

  it('by --dry-run: of the checks, the model, the words after -- and all of the prompt', async () => {
    const stage = setUntrusted(SETTINGS)
    stage.write('P\u200b.md', 'Do it.\u{e0041}\n\n\tcode\u202e\n')
    const ran = await stage.ralph('run', '-f', 'P\u200b.md', '--dry-run')
    const text = ran.stdout.replace('\n\tcode', '\n    code')
    expect(shown({ ...ran, stdout: text })).toContain(`  checks   ${CHECKS}\n`)
    for (const words of ['· op\\u{200b}us\n', '/P\\u{200b}.md\n', ' --model op\\u{200b}us'])
      expect(text).toContain(words)
    expect(text).toMatch(
      /\nDo it\.\\u\{e0041\}\n\n {4}code\\u\{202e\}\n\n\nWhen everything asked for is done.*\n$/,
    )
    const explicit = setUntrusted({})
    const typed = ['--', 'sh', '-c', 'true\u2066', '\xa0']
    const own = shown(await explicit.ralph('run', '-p', '\u200bx', '-c', 'D\xadONE', '--dry-run', ...typed))
    for (const row of [
      '  prompt   \\u{200b}x\n',
      '  until    <response>D\\u{ad}ONE</response>\n',
      '  command  sh -c true\\u{2066} \\u{a0}\n',
    ])
      expect(own).toContain(row)
  })

  it('by --dry-run and doctor for programs, in JSON that says the same', async () => {
    const stage = setUntrusted(SETTINGS)
    const dry = await stage.ralph('run', '-p', '\u200bx', '--dry-run', '--json')
    const { checks, model, prompt, subject } = JSON.parse(shown(dry))
    expect({ checks, model, prompt, subject }).toEqual({
      checks: [SCRIPT, LONG],
      model: SETTINGS.agent.model,
      prompt: hinted('\u200bx', { checks: true }),
      subject: { type: 'prompt', name: '\u200bx' },
    })
    const doctor = await stage.ralph('doctor', '--json')
    expect(JSON.parse(shown(doctor)).project.guardrails).toEqual([SCRIPT, LONG])
  })

  it('by the head of a run, and what --verbose adds to it', async () => {
    const stage = setUntrusted({ ...SETTINGS, guardrails: [{ command: SCRIPT.replace(/\\.*/, '') }] })
    const words = ['-p', '\ufeffx\r\n\u200by', '-m', '1', '--trust', '-V']
    const { stdout, stderr } = await stage.ralph('run', ...words)
    const head = stdout.slice(0, stdout.indexOf('\n\n'))
    for (const row of [
      '  agent    claude · op\\u{200b}us\n',
      '  prompt   \\u{feff}x\n',
      '  checks   touch ran\\u{a}  guardrails[1].command  true\n',
    ])
      expect(shown({ stdout: head, stderr: '' } as Ran)).toContain(row)
    expect(stderr).toMatch(/^\[ralph\] Agent command: .* --model op\\u\{200b\}us/m)
    expect(stderr).toContain('[ralph] Prompt: \\u{feff}x\r\n\\u{200b}y')
  })

  it('by doctor', async () => {
    const ran = await setUntrusted(SETTINGS).ralph('doctor')
    expect(shown(ran)).toContain(`  ✓ checks      ${CHECKS}\n`)
  })
})

describe.skipIf(!hasTmux)('at a terminal', () => {
  const open = (stage: ReturnType<typeof setUntrusted>, ...words: string[]) =>
    openTerminal([process.execPath, RALPH, ...words], { cwd: stage.project, env: stage.env })

  it('the question shows every character of what it asks about', async () => {
    const stage = setUntrusted({})
    mkdirSync(join(stage.project, 'p\u202e', '.ralph'), { recursive: true })
    stage.write('p\u202e/.ralph/settings.json', JSON.stringify(SETTINGS))
    const terminal = await open(stage, 'run', '-p', 'x', '-C', 'p\u202e')
    const screen = await terminal.waitFor('Trust these?')
    expect(screen).toContain('/p\\u{202e} decide what runs and what counts:\n')
    const dense = (text: string) => text.replace(/\s+/g, '')
    expect(dense(screen)).toContain(dense(RISKS))
    // A text that fills its row goes on below its beginning, so nothing of it looks like another risk.
    expect(screen).toMatch(/\n {25}x+\n {25}x/)
    await terminal.press('n')
    expect((await terminal.ended()).code).toBe(2)
    expect(() => stage.read('ran')).toThrow()
  })

  it('a command with something hidden is refused before anything is asked', async () => {
    const stage = setUntrusted({ guardrails: [{ command: 'true \x1b]0;touch ran #\x07' }] })
    const { code, screen } = await (await open(stage, 'run', '-p', 'x')).ended()
    expect([code, screen]).toEqual([
      2,
      expect.stringContaining('invisible characters (U+001B at character 6)'),
    ])
    expect(screen).not.toContain('Trust these?')
  })
})
