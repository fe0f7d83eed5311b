import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { DONE } from '../support/agent-script.ts'
import { setStage } from './scene.ts'

describe('what is protected', () => {
  it('is put back when the agent changes, removes or adds it, and counts as a failed check', async () => {
    const settings = { protect: ['tests/**', 'package.json'] }
    const stage = setStage({
      settings,
      calls: [
        [
          ['file', '.ralph/settings.json', '{"guardrails":[]}'],
          ['file', '.ralph/settings.local.json', '{}'],
          ['file', 'package.json', 'hacked'],
          ['file', '.git/hooks/pre-commit', '#!/bin/sh\nevil'],
          ['file', 'free.txt', 'fine'],
          DONE,
        ],
        [['stdin', '../got'], DONE],
      ],
    })
    stage.write('package.json', '{}')
    chmodSync(join(stage.project, 'package.json'), 0o640)
    symlinkSync('free.txt', join(stage.project, '.ralph', 'settings.link'))
    const ran = await stage.ralph('run', '-p', 'x', '-m', '2')
    expect(ran.code).toBe(0)
    expect(stage.read('.ralph/settings.json')).toBe(JSON.stringify(settings))
    expect(existsSync(join(stage.project, '.ralph/settings.local.json'))).toBe(false)
    expect(existsSync(join(stage.project, '.git/hooks/pre-commit'))).toBe(false)
    expect(stage.read('package.json')).toBe('{}')
    expect(statSync(join(stage.project, 'package.json')).mode & 0o777).toBe(0o640)
    expect(lstatSync(join(stage.project, '.ralph/settings.link')).isSymbolicLink()).toBe(true)
    expect(stage.read('free.txt')).toBe('fine')
    expect(stage.settled().map(e => e.move)).toEqual(['fail', 'pass'])
    for (const path of [
      '.ralph/settings.json',
      '.ralph/settings.local.json',
      'package.json',
      '.git/hooks/pre-commit',
    ])
      expect(stage.read('../got')).toContain(path)
  })

  it('includes what git would execute, and leaves the rest of its configuration alone', async () => {
    const hacked =
      '[core]\n\trepositoryformatversion = 0\n\teditor = evil\n[alias]\n\tst = !evil\n[branch "x"]\n\tremote = origin\n'
    const stage = setStage({ calls: [[['file', '.git/config', hacked], DONE], [DONE]] })
    const git = (...args: string[]) =>
      execFileSync('git', args, { cwd: stage.project, encoding: 'utf8' }).trim()
    git('config', 'core.editor', 'mine')
    git('remote', 'add', 'origin', 'https://example.invalid/x')
    expect((await stage.ralph('run', '-p', 'x', '-m', '2')).code).toBe(0)
    const value = (key: string) => git('config', '--default', '', key)
    expect([value('core.editor'), value('alias.st'), value('branch.x.remote')]).toEqual([
      'mine',
      '',
      'origin',
    ])
  })

  it('is put back after a crash, too', async () => {
    const stage = setStage({
      settings: {},
      calls: [
        [['file', '.ralph/settings.json', '{"maximumIterations":99}'], ['file', 'begun', ''], ['hang']],
        [DONE],
      ],
    })
    const ralph = stage.start('run', '-p', 'x')
    while (!existsSync(join(stage.project, 'begun'))) await delay(20)
    ralph.kill('SIGKILL')
    await ralph.ended
    await delay(700)
    expect((await stage.ralph('resume')).code).toBe(0)
    expect(stage.read('.ralph/settings.json')).toBe('{}')
  })

  it("leaves a person's edit between incarnations alone", async () => {
    const stage = setStage({ settings: { baseline: false }, calls: [[['claude', 'more']], [DONE]] })
    await stage.ralph('run', '-p', 'x', '-m', '1')
    const mine = JSON.stringify({ baseline: true })
    stage.write('.ralph/settings.json', mine)
    const ran = await stage.ralph('resume', '-m', '3')
    expect([ran.code, stage.read('.ralph/settings.json')]).toEqual([0, mine])
    expect(ran.stdout).not.toContain('protect')
  })

  it('is never restored through a link: what lies behind one is left alone', async () => {
    const stage = setStage()
    const outside = join(stage.root, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'precious'), 'precious')
    stage.write('.git/hooks/pre-push', '#!/bin/sh\n')
    const hooks = readdirSync(join(stage.project, '.git/hooks'))
    const agent = `rm -rf .git/hooks; ln -s '${outside}' .git/hooks; echo hi`
    await stage.ralph('run', '-p', 'x', '-m', '1', '--', 'sh', '-c', agent)
    expect(readdirSync(outside)).toEqual(['precious'])
    expect(lstatSync(join(stage.project, '.git/hooks')).isDirectory()).toBe(true)
    expect(readdirSync(join(stage.project, '.git/hooks'))).toEqual(hooks)
  })

  it.each([
    ['a folder became a file', 'rm -rf tests; echo hi > tests'],
    ['a file became a folder', 'rm tests/t; mkdir tests/t; echo x > tests/t/x'],
    ['a folder became a link', 'rm -rf tests; ln -s /nonexistent tests'],
    ['a folder went', 'rm -rf tests'],
  ])('comes back when %s', async (_, agent) => {
    const stage = setStage({ settings: { protect: ['tests'] } })
    mkdirSync(join(stage.project, 'tests'))
    stage.write('tests/t', 'kept')
    const ran = await stage.ralph('run', '-p', 'x', '-m', '1', '--', 'sh', '-c', `${agent}; echo hi`)
    expect([ran.code, ran.stderr]).toEqual([1, expect.not.stringContaining('error')])
    expect(stage.read('tests/t')).toBe('kept')
    expect(stage.journal().find(e => e.type === 'settled')).toMatchObject({ move: 'fail' })
  })

  it('is a failed check also when a signal came between the agent and its checks', async () => {
    const stage = setStage({
      settings: { protect: ['t'], guardrails: [{ command: 'true' }], baseline: false },
      calls: [[['file', 't', 'bad'], ['file', 'begun', ''], ['sleep', 600], DONE], [DONE]],
    })
    stage.write('t', 'good')
    const ralph = stage.start('run', '-p', 'x')
    while (!existsSync(join(stage.project, 'begun'))) await delay(20)
    ralph.kill('SIGINT')
    expect((await ralph.ended).code).toBe(130)
    expect((await stage.ralph('resume')).code).toBe(0)
    expect(stage.settled().map(e => e.move)).toEqual(['fail', 'pass'])
  })
})

describe('a pattern of files to protect', () => {
  it('may have braces: a test that the agent changes is put back, and counts as a failed check', async () => {
    const stage = setStage({
      settings: { protect: ['**/*.{test,spec}.ts'] },
      calls: [
        [
          ['file', 'src/a.test.ts', 'expect(true).toBe(true)'],
          ['file', 'src/b.spec.ts', 'new'],
          ['file', 'src/a.ts', 'mine'],
          DONE,
        ],
        [['stdin', '../got'], DONE],
      ],
    })
    mkdirSync(join(stage.project, 'src'))
    stage.write('src/a.test.ts', 'expect(a()).toBe(1)')
    const ran = await stage.ralph('run', '-p', 'x', '-m', '2')
    expect([ran.code, ran.stderr]).toEqual([0, expect.not.stringContaining('matches no file')])
    expect(stage.read('src/a.test.ts')).toBe('expect(a()).toBe(1)')
    expect(existsSync(join(stage.project, 'src/b.spec.ts'))).toBe(false)
    expect(stage.read('src/a.ts')).toBe('mine')
    const [first, second] = stage.settled()
    expect(first).toMatchObject({ move: 'fail', findings: [{ check: 'protect', verdict: 'fail' }] })
    expect(second).toMatchObject({ move: 'pass' })
    expect(stage.read('../got')).toContain(
      'Protected files were changed and have been put back: src/a.test.ts, src/b.spec.ts.',
    )
  })

  it('that matches nothing is told before the first iteration, and agents must not add what it means', async () => {
    const stage = setStage({
      settings: { protect: ['tests/*.{ts}', 'kept', '*.snap'] },
      calls: [[['file', 'a.snap', 'new'], DONE], [DONE]],
    })
    stage.write('kept', '')
    const told = (pattern: string) =>
      `protect: "${pattern}" matches no file; correct it, or keep it if agents must not add such files`
    const ran = await stage.ralph('run', '-p', 'x', '-m', '2')
    expect(ran.code).toBe(0)
    expect(ran.stderr).toContain(`ralph: warning: ${told('tests/*.{ts}')}\n`)
    const events = stage.journal()
    const before = events.slice(
      0,
      events.findIndex(e => e.type === 'started'),
    )
    expect(
      before.flatMap(e => (e.type === 'warned' && e.note.startsWith('protect') ? [e.note] : [])),
    ).toEqual([told('tests/*.{ts}'), told('*.snap')])
    expect(existsSync(join(stage.project, 'a.snap'))).toBe(false)
    expect(events.find(e => e.type === 'settled')).toMatchObject({ move: 'fail' })
  })

  it('that matches nothing is told in a dry run, too', async () => {
    const stage = setStage({ settings: { protect: ['no/such/**'] } })
    const told =
      'protect: "no/such/**" matches no file; correct it, or keep it if agents must not add such files'
    const text = await stage.ralph('run', '-p', 'x', '--dry-run')
    expect([text.code, text.stderr]).toEqual([0, `ralph: warning: ${told}\n`])
    const json = await stage.ralph('run', '-p', 'x', '--dry-run', '--json')
    expect([JSON.parse(json.stdout).warnings, json.stderr]).toEqual([[told], ''])
  })

  it('that matches more than can be protected ends with one line and 2', async () => {
    const stage = setStage({ settings: { protect: ['many'] } })
    mkdirSync(join(stage.project, 'many'))
    for (let n = 0; n < 5001; n++) stage.write(`many/${n}`, '')
    for (const flags of [['--dry-run'], []]) {
      const ran = await stage.ralph('run', '-p', 'x', ...flags)
      expect([ran.code, ran.stdout]).toEqual([2, ''])
      expect(ran.stderr).toBe(
        'ralph: error: the patterns in "protect" match 5001 files, and at most 5000 can be protected; narrow them\n',
      )
    }
    expect(existsSync(join(stage.root, 'claude.calls'))).toBe(false)
  })

  it('that nobody can read ends with one line and 2', async () => {
    const stage = setStage({ settings: { protect: ['src/[ab'] } })
    const ran = await stage.ralph('run', '-p', 'x')
    expect([ran.code, ran.stdout]).toEqual([2, ''])
    expect(ran.stderr).toMatch(/^ralph: error: protect\[0\] must have matching brackets .*\n$/)
  })

  describe('that would take for ever to match', () => {
    const NAME = `${'a'.repeat(200)}b`
    const TOO_LONG = 'the pattern "+(a*|b)c" in "protect" takes too long to match the files in'

    it('ends with one line and 2 before anything is done', async () => {
      const stage = setStage({ settings: { protect: ['+(a*|b)c'] } })
      stage.write(NAME, '')
      const ran = await stage.ralph('run', '-p', 'x')
      expect([ran.code, ran.stdout]).toEqual([2, ''])
      expect(ran.stderr).toBe(`ralph: error: ${TOO_LONG} ${stage.project}; make it simpler\n`)
      expect(existsSync(join(stage.root, 'claude.calls'))).toBe(false)
    })

    it('only once the agent made a file for it stops the run, which can be resumed without that file', async () => {
      const stage = setStage({
        settings: { protect: ['+(a*|b)c'] },
        calls: [[['file', NAME, ''], DONE], [DONE]],
      })
      const ran = await stage.ralph('run', '-p', 'x')
      expect(ran.code).toBe(1)
      expect(stage.journal().at(-1)).toMatchObject({
        type: 'stopped',
        why: expect.stringContaining(TOO_LONG),
      })
      rmSync(join(stage.project, NAME))
      expect((await stage.ralph('resume')).code).toBe(0)
    })
  })
})
