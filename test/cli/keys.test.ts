import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { type Act, DONE } from '../support/agent-script.ts'
import { RALPH } from '../support/ralph.ts'
import { hasTmux, openTerminal } from '../support/terminal.ts'
import { until } from '../support/until.ts'
import { setStage } from './scene.ts'

const LIMITED: Act[] = [
  ['claude', 'API Error: Request rejected (429)', { is_error: true, api_error_status: 429 }],
  ['exit', 1],
]
const COUNTDOWN = /waiting until \S+ · \d+s left · Enter tries now \(claude limited\)/

/** Runs a line of shell on a terminal, in which `ralph` is the program that was built. */
async function onTerminal(calls: Act[][], line: string, shell: string[] = ['sh', '-c']) {
  const stage = setStage({ calls })
  const ralph = `${process.execPath} ${RALPH}`
  const terminal = await openTerminal([...shell, line.replaceAll('ralph', ralph)], {
    cwd: stage.project,
    env: { ...stage.env, PS1: '$ ', HISTFILE: '/dev/null' },
  })
  const pid = () => {
    const began = stage.journal().find(e => e.type === 'began')
    return began?.type === 'began' ? began.by!.pid : Number.NaN
  }
  return { stage, terminal, pid, line: (text: string) => text.replaceAll('ralph', ralph) }
}

const stateOf = (pid: number) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]![0]

describe.skipIf(!hasTmux)('while a run waits', () => {
  it('Enter makes it try now', async () => {
    const { terminal, stage } = await onTerminal([LIMITED, LIMITED, [DONE]], 'ralph run -p x')
    await terminal.waitFor(COUNTDOWN)
    await pause(300)
    await terminal.press('Enter')
    await terminal.waitFor(/waiting until \S+ · 1m\d+s left/)
    await pause(300)
    await terminal.press('Enter')
    expect((await terminal.ended()).code).toBe(0)
    const controls = stage.journal().filter(e => e.type === 'control')
    expect(controls).toMatchObject([{ hold: null }, { hold: null }])
  })

  it.each([
    ['Ctrl+C', 130],
    ['SIGTERM', 130],
    ['SIGHUP', 130],
    ['SIGKILL', 137],
  ] as const)('%s ends it, and the terminal is as it was', async (how, code) => {
    const { terminal, pid } = await onTerminal(
      [LIMITED],
      // Of a process that was killed, another one sets the terminal back.
      'stty -g > before; trap : INT; ralph run -p x; echo "code $?"; until [ "$(stty -g)" = "$(cat before)" ]; do :; done',
    )
    await terminal.waitFor(COUNTDOWN)
    if (how === 'Ctrl+C') await terminal.press('C-c')
    else process.kill(pid(), how)
    const { screen } = await terminal.ended()
    expect(screen).toContain(`code ${code}`)
  })

  it('it can be stopped, left in the background and taken up again', async () => {
    const { terminal, pid, line } = await onTerminal([LIMITED, [DONE]], '--norc', ['bash', '--noprofile'])
    await terminal.type(line('ralph run -p x; echo "code $?"'), 'Enter')
    await terminal.waitFor(COUNTDOWN)
    await terminal.press('C-z')
    await terminal.waitFor('Stopped')
    await terminal.type('bg; echo in the background', 'Enter')
    await terminal.waitFor(/^in the background/m)
    await pause(300)
    await terminal.type('echo typed for the shell', 'Enter')
    await terminal.waitFor(/^.*typed for the shell\n[\s\S]*typed for the shell/m)
    expect(stateOf(pid())).not.toBe('T')
    await terminal.type('fg', 'Enter')
    await pause(2500)
    await terminal.press('Enter')
    // Until the shell asks again, what is typed is still ralph's.
    await terminal.waitFor(/done as claimed[\s\S]*\n\$$/)
    await terminal.type('exit', 'Enter')
    await terminal.ended()
  })
})

/** An agent at work until the test lets it go on. */
const WORKS: Act[] = [
  ['file', 'begun', ''],
  ['await', 'go'],
]

describe.skipIf(!hasTmux)('while an agent works', () => {
  async function whileItWorks(calls: Act[][], line = 'ralph run -p x; echo "code $?"', shell?: string[]) {
    const run = await onTerminal(calls, line, shell)
    await until(() => existsSync(join(run.stage.project, 'begun')))
    await run.terminal.waitFor(/\S iteration 1 of 10 · \d+s · .* · \? keys/)
    // What is typed sooner counts as typed before the run listened.
    await pause(300)
    const letGo = () => writeFileSync(join(run.stage.project, 'go'), '')
    const holds = () => run.stage.journal().flatMap(e => (e.type === 'control' ? [e.hold] : []))
    return { ...run, letGo, holds }
  }

  it('a line tells so from the first second, though the agent says nothing', async () => {
    const { terminal, letGo } = await whileItWorks([[...WORKS, DONE]])
    await terminal.waitFor(/iteration 1 of 10 · [1-9]\d*s · starting claude · \? keys/)
    letGo()
    expect((await terminal.ended()).screen).not.toContain('starting claude')
  })

  it('? shows the keys, and nothing else that is typed is shown or left for the shell', async () => {
    const { terminal, letGo } = await whileItWorks(
      [[...WORKS, DONE]],
      'ralph run -p x; read -t 1 word; echo "got: [$word]"',
      ['bash', '-c'],
    )
    await terminal.type('rm -rf nothing', 'Enter')
    await terminal.type('?', 'x')
    const screen = await terminal.waitFor('p pauses after this iteration')
    expect(screen).not.toContain('rm -rf')
    letGo()
    const ended = await terminal.ended()
    expect(ended.screen).toContain('got: []')
    expect(ended.screen).not.toContain('rm -rf')
  })

  it('p pauses after the iteration, and p goes on', async () => {
    const more: Act = ['claude', 'Not yet.']
    const { terminal, letGo, holds } = await whileItWorks([[...WORKS, more], [DONE]])
    await terminal.press('p')
    await terminal.waitFor(/pausing after this iteration/)
    letGo()
    await terminal.waitFor(/^ {2}paused · \d+s · p continues · .*\? keys/m)
    await terminal.press('p')
    await terminal.waitFor('code 0')
    expect(holds()).toEqual(['pause', null])
  })

  it('q stops after the iteration, however long it is held down', async () => {
    const { terminal, letGo, stage } = await whileItWorks([[...WORKS, ['file', 'finished', ''], DONE]])
    await terminal.type('qqq', 'q')
    await terminal.waitFor('Stopping after this iteration. Ctrl+C to stop now.')
    letGo()
    const { screen } = await terminal.ended()
    expect(screen).toContain('code 130')
    // On a line of its own: the live line is removed first.
    expect(screen.match(/.*Stopping after.*/g)).toEqual([
      'Stopping after this iteration. Ctrl+C to stop now.',
    ])
    expect(existsSync(join(stage.project, 'finished'))).toBe(true)
    expect(stage.journal().at(-1)).toMatchObject({ type: 'stopped', why: 'interrupted' })
  })

  it('Ctrl+Z leaves the terminal as it was, and fg takes the keys up again', async () => {
    const { terminal, letGo, stage } = await whileItWorks(
      [[...WORKS, DONE]],
      'set -m; stty -g > before; ralph run -p x; stty -g > stopped; echo stopped; until [ -e back ]; do sleep 0.1; done; fg; stty -g > after',
    )
    await terminal.press('C-z')
    const screen = await terminal.waitFor(/^stopped/m)
    expect(screen).not.toMatch(/\? keys/)
    expect(stage.read('stopped')).toBe(stage.read('before'))
    writeFileSync(join(stage.project, 'back'), '')
    await terminal.waitFor(/\? keys/)
    await pause(300)
    await terminal.press('?')
    await terminal.waitFor('p pauses after this iteration')
    letGo()
    await terminal.ended()
    expect(stage.read('after')).toBe(stage.read('before'))
  })
})
