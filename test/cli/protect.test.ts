import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { setStage } from './scene.ts'

type Act = [string, ...unknown[]]
const DONE: Act = ['claude', 'Done. <response>DONE</response>']

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
    expect(
      stage
        .journal()
        .filter(e => e.type === 'settled')
        .map(e => e.move),
    ).toEqual(['fail', 'pass'])
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

  it("leaves a person's edit between sittings alone", async () => {
    const stage = setStage({ settings: { baseline: false }, calls: [[['claude', 'more']], [DONE]] })
    await stage.ralph('run', '-p', 'x', '-m', '1')
    const mine = JSON.stringify({ baseline: true })
    stage.write('.ralph/settings.json', mine)
    const ran = await stage.ralph('resume', '-m', '3')
    expect([ran.code, stage.read('.ralph/settings.json')]).toEqual([0, mine])
    expect(ran.stdout).not.toContain('protect')
  })

  it("leaves a person's edit between iterations alone", async () => {
    const stage = setStage({
      settings: {
        baseline: false,
        guardrails: [{ command: 'echo \'{"maximumIterations": 7}\' > .ralph/settings.json' }],
      },
      calls: [[['claude', 'more']], [DONE]],
    })
    expect((await stage.ralph('run', '-p', 'x', '-m', '2')).code).toBe(0)
    expect(stage.read('.ralph/settings.json')).toContain('7')
  })

  it('is never restored through a link: what lies behind one is left alone', async () => {
    const stage = setStage()
    const outside = join(stage.root, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'precious'), 'precious')
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
    expect(
      stage
        .journal()
        .filter(e => e.type === 'settled')
        .map(e => e.move),
    ).toEqual(['fail', 'pass'])
  })
})
