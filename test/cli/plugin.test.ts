import { spawnSync } from 'node:child_process'
import { chmodSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readStories } from '../../src/workflows/stories/rules/story-file.ts'
import { RALPH } from '../support/ralph.ts'
import { setStage } from './scene.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const PLUGIN = join(ROOT, 'plugin')

/** A claude that keeps how it was called, and answers as told. */
function withClaude(script: string) {
  const stage = setStage()
  const path = join(stage.bin, 'claude')
  writeFileSync(path, `#!/bin/sh\necho "$*" >> '${stage.root}/asked'\n${script}\n`)
  chmodSync(path, 0o755)
  return { ...stage, asked: () => readFileSync(join(stage.root, 'asked'), 'utf8').trim().split('\n') }
}

describe('ralph plugin', () => {
  it('path tells the folder, also when ralph is called by a link', async () => {
    const stage = setStage()
    expect(await stage.ralph('plugin', 'path')).toMatchObject({ code: 0, stdout: `${PLUGIN}\n`, stderr: '' })
    const link = join(stage.bin, 'ralph')
    symlinkSync(RALPH, link)
    const ran = spawnSync(process.execPath, [link, 'plugin', 'path'], { encoding: 'utf8' })
    expect(ran.stdout).toBe(`${realpathSync(PLUGIN)}\n`)
  })

  it('install has claude take it in', async () => {
    const stage = withClaude('echo "✔ done: $2"')
    const ran = await stage.ralph('plugin', 'install')
    expect(ran).toMatchObject({ code: 0, stdout: '✔ done: marketplace\n✔ done: install\n', stderr: '' })
    expect(stage.asked()).toEqual([`plugin marketplace add ${ROOT}`, 'plugin install ralph@ralph'])
  })

  it('uninstall has claude forget it', async () => {
    const stage = withClaude('')
    expect((await stage.ralph('plugin', 'uninstall')).code).toBe(0)
    expect(stage.asked()).toEqual(['plugin uninstall ralph@ralph', 'plugin marketplace remove ralph'])
  })

  it('uninstall of what is not there is no failure, and goes on to the end', async () => {
    const stage = withClaude('echo "✘ not found in installed plugins" >&2; exit 1')
    const ran = await stage.ralph('plugin', 'uninstall')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout.match(/not found/g)).toHaveLength(2)
    expect(stage.asked()).toHaveLength(2)
  })

  it('says what claude said when it fails, and stops there', async () => {
    const stage = withClaude('echo "✘ disk is full" >&2; exit 1')
    const ran = await stage.ralph('plugin', 'install')
    expect(ran).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `ralph: error: claude plugin marketplace add ${ROOT} failed: ✘ disk is full\n`,
    })
    expect(stage.asked()).toHaveLength(1)
  })

  it('without claude is refused, with the way out', async () => {
    const stage = setStage()
    const ran = await stage.withEnv({ ...stage.env, PATH: '/nowhere' }, 'plugin', 'install')
    expect(ran.code).toBe(2)
    expect(ran.stderr).toMatch(/^ralph: error: claude is not on PATH; install it .*claude --plugin-dir/)
  })

  it.each([[], ['remove']])('%j is refused', async (...words) => {
    const ran = await setStage().ralph('plugin', ...words)
    expect([ran.code, ran.stderr.split('\n').length]).toEqual([2, 2])
  })
})

describe('every claude that ralph runs', () => {
  it('has the plugin', async () => {
    const stage = setStage()
    expect((await stage.ralph('run', '-p', 'x')).code).toBe(0)
    const { argv } = JSON.parse(stage.session('agent-calls.jsonl').split('\n')[0]!)
    expect(argv.slice(argv.indexOf('--plugin-dir')).slice(0, 2)).toEqual(['--plugin-dir', PLUGIN])
  })

  it('but for those whose flags say which plugins they have', async () => {
    const stage = setStage({ settings: { agent: { command: 'claude', flags: ['--plugin-dir /mine'] } } })
    expect((await stage.ralph('run', '-p', 'x')).code).toBe(0)
    const { argv } = JSON.parse(stage.session('agent-calls.jsonl').split('\n')[0]!)
    expect(argv.filter((word: string) => word === '--plugin-dir')).toHaveLength(1)
    expect(argv).toContain('/mine')
  })
})

describe('the plugin', () => {
  const read = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'))

  it('has the version of ralph, also in its marketplace', () => {
    const { version } = read('package.json')
    expect(read('plugin/.claude-plugin/plugin.json')).toMatchObject({ name: 'ralph', version })
    const { description } = read('plugin/.claude-plugin/plugin.json')
    expect(read('.claude-plugin/marketplace.json').plugins).toEqual([
      { name: 'ralph', source: './plugin', description, version },
    ])
  })

  it('is in the package, with its marketplace', () => {
    expect(read('package.json').files).toEqual(expect.arrayContaining(['plugin', '.claude-plugin']))
  })

  it('calls its hooks at their events', () => {
    const { hooks } = read('plugin/hooks/hooks.json')
    const called = Object.entries(
      hooks as Record<string, { matcher?: string; hooks: { command: string }[] }[]>,
    ).flatMap(([event, groups]) =>
      groups.map(({ matcher, hooks: [hook] }) => [event, matcher, hook?.command]),
    )
    const script = (name: string) => `node "\${CLAUDE_PLUGIN_ROOT}/hooks/${name}.js"`
    expect(called).toEqual([
      ['PreToolUse', 'Bash', script('pre-tool-use')],
      ['PostToolUse', '.*', script('context')],
      ['SessionStart', undefined, script('context')],
      ['Stop', undefined, script('stop')],
    ])
  })
})

describe('the skill ralph-plan', () => {
  const skill = readFileSync(join(PLUGIN, 'skills/ralph-plan/SKILL.md'), 'utf8')
  const flat = skill.replace(/\s+/g, ' ')

  it('shows a list that would itself be taken', () => {
    const [, example = ''] = /```json\n([^`]*)```/.exec(skill) ?? []
    expect(readStories(JSON.parse(example))).toHaveProperty('file')
  })

  it.each(['/ralph-plan', 'plan this feature for ralph', 'create a ralph prd', 'generate tasks for ralph'])(
    'is meant by %j',
    phrase => expect(skill.split('---')[1]).toContain(phrase),
  )

  it.each([
    ['the way out without a folder', 'Run `ralph init stories` first'],
    ['full planning where there is no specification', 'mode 1, full planning'],
    ['derivation from one that is there', 'mode 2, task derivation'],
    ['no limit to questions', 'There is no limit to the questions'],
    [
      'right-sized stories',
      'If you cannot describe the change in two or three sentences, it is too big: split it',
    ],
    [
      'the order',
      'schema and database, then backend logic, then API routes, then frontend components, then integration',
    ],
    [
      'criteria that can be verified',
      '"Filter dropdown has options: All, Active, Done", never "works correctly"',
    ],
    ['explicit dependencies', '`dependsOn` is explicit'],
    ['the project’s own commands', "`verifyCommands` are the project's own"],
    ['fresh stories', '`passes: false`, `reviewStatus: null`, `reviewCount: 0` and empty `reviewFeedback`'],
  ])('has %s', (_, words) => expect(flat).toContain(words))
})
