import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { saying } from '../support/agent-script.ts'
import { setStage } from './scene.ts'

describe('ralph init prompt', () => {
  it('Scenario: Initialize prompt file', async () => {
    const stage = setStage()
    expect(await stage.ralph('init', 'prompt')).toMatchObject({ code: 0, stdout: 'created PROMPT.md\n' })
    expect(stage.read('PROMPT.md')).toBe((await stage.ralph('template')).stdout)
  })

  it('Scenario: Init refuses to overwrite', async () => {
    const stage = setStage()
    stage.write('PROMPT.md', 'mine')
    expect(await stage.ralph('init', 'prompt')).toMatchObject({
      code: 2,
      stderr: 'ralph: error: PROMPT.md already exists (use --force to overwrite)\n',
    })
    expect(stage.read('PROMPT.md')).toBe('mine')
  })

  it('Scenario: Init with force flag', async () => {
    const stage = setStage()
    stage.write('PROMPT.md', 'mine')
    expect(await stage.ralph('init', 'prompt', '--force')).toMatchObject({
      code: 0,
      stdout: 'created PROMPT.md (overwritten)\n',
    })
    expect(stage.read('PROMPT.md')).not.toBe('mine')
  })
})

describe('ralph template', () => {
  it('Scenario: Output template to stdout', async () => {
    const stage = setStage()
    const ran = await stage.ralph('template')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout.split('\n').length).toBeLessThan(15)
    expect(readdirSync(stage.project)).toEqual(['.git'])
  })

  it('Scenario: Pipe template to custom file', async () => {
    const stage = setStage({
      calls: [[['stdin', 'got.txt'], saying('ok')]],
    })
    writeFileSync(join(stage.project, 'BUILD_PROMPT.md'), (await stage.ralph('template')).stdout)
    await stage.ralph('run', '-f', 'BUILD_PROMPT.md', '-c', '', '--once')
    expect(stage.read('got.txt')).toBe(stage.read('BUILD_PROMPT.md'))
  })

  it.each(['prd', 'tasks', 'progress', 'prompt-stories'])('prints %s', async name => {
    const stage = setStage()
    expect((await stage.ralph('template', name)).stdout.length).toBeGreaterThan(40)
    expect(existsSync(join(stage.project, 'ralph'))).toBe(false)
  })
})
