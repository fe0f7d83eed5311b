import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { DONE } from '../support/agent-script.ts'
import { leftovers, soon } from '../support/killing.ts'
import { RALPH } from '../support/ralph.ts'
import { hasTmux, openTerminal } from '../support/terminal.ts'
import { setStage } from './scene.ts'

/** A stage with `ralph` itself on the PATH, and an agent that waits for the test. */
function setNight() {
  const stage = setStage({
    settings: { killGrace: 0.2 },
    calls: [[['file', '../begun', ''], ['await', '../go'], DONE]],
  })
  symlinkSync(RALPH, join(stage.bin, 'ralph'))
  const last = () => stage.journal().at(-1)
  return {
    ...stage,
    begun: () => soon(() => existsSync(join(stage.root, 'begun'))),
    letGo: () => writeFileSync(join(stage.root, 'go'), ''),
    last,
    finished: () => soon(() => last()?.type === 'finished'),
  }
}

describe.skipIf(!hasTmux)('when its terminal closes, a run', () => {
  /** The shell of the terminal is the parent, as at work: it ends with the terminal, and the run does or does not. */
  async function closeTerminal(command: string) {
    const stage = setNight()
    const terminal = await openTerminal(['sh', '-c', `${command}\nwait`], {
      cwd: stage.project,
      env: stage.env,
    })
    expect(await stage.begun()).toBe(true)
    await terminal.close()
    return stage
  }

  it('stops cleanly and can be resumed', async () => {
    const stage = await closeTerminal('ralph run -p x')
    expect(await soon(() => stage.last()?.type === 'stopped')).toBe(true)
    expect(stage.last()).toMatchObject({ type: 'stopped', why: 'interrupted', cleanly: true })
    expect(await soon(() => leftovers(stage.ralphHome).length === 0)).toBe(true)
    stage.letGo()
    expect(await stage.ralph('resume')).toMatchObject({ code: 0 })
  })

  it.each([
    ['nohup', 'nohup ralph run -p x > ../log 2>&1 &'],
    ['nohup with its own log', 'nohup ralph run -p x &'],
    ['setsid', 'setsid ralph run -p x > ../log 2>&1 < /dev/null &'],
  ])('goes on under %s', async (_, command) => {
    const stage = await closeTerminal(command)
    stage.letGo()
    expect(await stage.finished()).toBe(true)
    expect(stage.last()).toMatchObject({ result: 'complete' })
    expect(await soon(() => leftovers(stage.ralphHome).length === 0)).toBe(true)
  })
})

describe('SIGHUP', () => {
  const start = (stage: ReturnType<typeof setNight>, words: string[]) => {
    const child = spawn(words[0]!, words.slice(1), { cwd: stage.project, env: stage.env, stdio: 'ignore' })
    const ended = new Promise<number | null>(resolve => child.on('close', resolve))
    onTestFinished(() => void child.kill('SIGKILL'))
    return { child, ended }
  }

  it('that was ignored before stays ignored, and other signals do what they do', async () => {
    const stage = setNight()
    const { child, ended } = start(stage, ['nohup', 'ralph', 'run', '-p', 'x'])
    expect(await stage.begun()).toBe(true)
    child.kill('SIGHUP')
    child.kill('SIGHUP')
    child.kill('SIGTERM')
    stage.letGo()
    expect(await ended).toBe(130)
    expect(stage.journal().some(event => event.type === 'ended')).toBe(true)
  })

  it('that was not ignored ends the agent now', async () => {
    const stage = setNight()
    const { child, ended } = start(stage, ['ralph', 'run', '-p', 'x'])
    expect(await stage.begun()).toBe(true)
    child.kill('SIGHUP')
    expect(await ended).toBe(130)
    expect(stage.journal().some(event => event.type === 'ended')).toBe(false)
  })
})

describe('the launcher', () => {
  it('passes every word on as it is, from a folder with a space in its name, and its exit code', () => {
    const stage = setStage()
    const folder = join(stage.root, 'a folder')
    mkdirSync(folder)
    symlinkSync(RALPH, join(folder, 'ralph'))
    const call = (...words: string[]) =>
      execFileSync(join(folder, 'ralph'), words, { cwd: stage.project, env: stage.env, encoding: 'utf8' })
    const words = 'it\'s "so" $HOME `x` \\ *'
    expect(call('run', '--dry-run', '-c', '', '-p', words)).toContain(`\nprompt\n${words}\n`)
    expect(() => call('rum')).toThrow(/unknown command 'rum'/)
  })
})
