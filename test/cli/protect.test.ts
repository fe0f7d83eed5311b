import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, lstatSync, statSync, symlinkSync } from 'node:fs'
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
})
