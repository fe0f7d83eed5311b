import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Act } from '../support/agent-script.ts'
import { RALPH } from '../support/ralph.ts'
import { hasTmux, openTerminal } from '../support/terminal.ts'
import { setStage } from './scene.ts'

const DONE: Act = ['claude', 'Done. <response>DONE</response>']
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

async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 500; i++) {
    if (condition()) return
    await pause(20)
  }
  throw new Error('waited in vain')
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
    const { terminal, stage, pid } = await onTerminal(
      [LIMITED],
      'stty -g > before; trap : INT; ralph run -p x; echo "code $?"; stty -g > after',
    )
    await terminal.waitFor(COUNTDOWN)
    if (how === 'Ctrl+C') await terminal.press('C-c')
    else process.kill(pid(), how)
    const { screen } = await terminal.ended()
    expect(screen).toContain(`code ${code}`)
    expect(stage.read('after')).toBe(stage.read('before'))
  })

  it('Ctrl+C while an agent works lets it finish, twice ends it, as ever', async () => {
    const calls: Act[][] = [LIMITED, [['file', 'begun', ''], ['hang']]]
    const { terminal, stage } = await onTerminal(calls, 'ralph run -p x')
    await terminal.waitFor(COUNTDOWN)
    await pause(300)
    await terminal.press('Enter')
    await until(() => existsSync(join(stage.project, 'begun')))
    await terminal.press('C-c')
    await terminal.waitFor('Received signal, shutting down...')
    await terminal.press('C-c')
    expect((await terminal.ended()).code).toBe(130)
  })

  it('nothing typed at another time is taken from who reads next', async () => {
    const calls: Act[][] = [[['file', 'begun', ''], ['sleep', 700], DONE]]
    const { terminal, stage } = await onTerminal(calls, 'ralph run -p x; read word; echo "got: $word"')
    await until(() => existsSync(join(stage.project, 'begun')))
    await terminal.type('ahead', 'Enter')
    expect((await terminal.ended()).screen).toContain('got: ahead')
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
    await terminal.waitFor('done as claimed')
    await terminal.type('exit', 'Enter')
    await terminal.ended()
  })
})
