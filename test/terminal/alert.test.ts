import { describe, expect, it } from 'vitest'
import { alertSequences } from '../../src/terminal/alert.ts'
import { setStage } from '../cli/scene.ts'
import { RALPH } from '../support/ralph.ts'
import { hasTmux, openTerminal } from '../support/terminal.ts'

const ALL = { bell: true, title: true, desktop: true }
const NOTICE = { title: 'ralph run in a;b', text: 'done' }

describe('an alert', () => {
  it('is a title and a bell where the terminal shows no notifications', () => {
    expect(alertSequences(NOTICE, ALL, { TERM: 'xterm' })).toEqual({
      sequences: '\x1b]2;ralph run in a;b: done\x07\x07',
      onDesktop: false,
    })
  })

  it.each([
    ['OSC 9', { TERM_PROGRAM: 'iTerm.app' }, '\x1b]9;ralph run in a;b: done\x07'],
    ['OSC 9', { TERM_PROGRAM: 'WezTerm' }, '\x1b]9;ralph run in a;b: done\x07'],
    ['OSC 777', { TERM: 'foot' }, '\x1b]777;notify;ralph run in a,b;done\x07'],
  ])('is one notification by %s in %j', (_, env, sequence) => {
    const wishes = { bell: false, title: false, desktop: true }
    expect(alertSequences(NOTICE, wishes, env)).toEqual({ sequences: sequence, onDesktop: true })
    expect(alertSequences(NOTICE, wishes, { ...env, TMUX: 'x' })).toEqual({ sequences: '', onDesktop: false })
  })

  it('lets the terminal obey nothing in its words', () => {
    const { sequences } = alertSequences({ title: 'a\x07b', text: '\x1b]0;evil\x07' }, ALL, {})
    expect(sequences).toBe('\x1b]2;a\\u{7}b: \\u{1b}]0;evil\\u{7}\x07\x07')
  })

  it('is nothing if nobody wants one', () => {
    const { sequences } = alertSequences(NOTICE, { bell: false, title: false, desktop: false }, {})
    expect(sequences).toBe('')
  })
})

describe.skipIf(!hasTmux)('at a terminal', () => {
  it('the title says how a run ended', async () => {
    const stage = setStage()
    const terminal = await openTerminal([process.execPath, RALPH, 'run', '-p', 'x'], {
      cwd: stage.project,
      env: stage.env,
    })
    expect((await terminal.ended()).code).toBe(0)
    expect(await terminal.title()).toBe('ralph run in project: done as claimed: nothing verified it')
  })
})
