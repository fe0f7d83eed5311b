import { createHook } from 'node:async_hooks'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { AgentEvent, RunEvent } from '../../src/core/events.ts'
import {
  type ConsoleListener,
  consoleListener,
  type OutputOptions,
  type OutputSettings,
  terminalStyle,
} from '../../src/terminal/console.ts'
import { scratch } from '../support/scratch.ts'
import { until } from '../support/until.ts'
import { agentSays, checked as checkedAs, started as startedAt } from '../view/run-events.ts'
import { openTerminal } from '../view/terminal.ts'

const OUTPUT = { emoji: true, color: 'auto', timestamps: false, maxLines: 12, maxChars: 2000 } as const
const LOUD: OutputOptions = { json: false, quiet: false, streamAgent: true, limit: 10, output: OUTPUT }

/** Standard output that remembers what was written, and what a terminal of that width shows of it. */
function fakeOut(isTTY: boolean, columns = 80) {
  const screen = openTerminal(columns)
  const out = {
    isTTY,
    columns,
    written: '',
    writes: 0,
    write(data: string | Uint8Array, done?: () => void) {
      const text = typeof data === 'string' ? data : Buffer.from(data).toString()
      out.written += text
      out.writes++
      void screen.write(text)
      done?.()
    },
    on: () => {},
  }
  const rows = async () => {
    await screen.write('')
    return screen.rows()
  }
  return { out, screen, rows }
}

type Env = Record<string, string>

function listen(
  out: Parameters<typeof consoleListener>[0],
  loud: Partial<OutputOptions> = {},
  env: Env = {},
) {
  const show = consoleListener(out, { TERM: 'xterm', ...env }, { ...LOUD, ...loud })
  onTestFinished(() => show.close())
  return show
}

const agent = (event: AgentEvent): RunEvent => agentSays(event, 1, Date.now())
const started = (): RunEvent => startedAt(1, Date.now())
const checking = (check = 'npm test'): RunEvent => ({ type: 'checking', at: Date.now(), id: 1, check })
const checked = (check = 'npm test'): RunEvent => checkedAs({ check, verdict: 'pass', note: '' })
const over = (): RunEvent => ({ type: 'stopped', at: Date.now(), why: 'x' })
const told = (text: string): RunEvent => ({ type: 'instructed', at: 0, text })
const waiting = (): RunEvent => ({ type: 'waiting', at: 0, until: Date.now() + 65_000, why: 'limited' })

describe('colour', () => {
  it.each<[string, boolean, 'auto' | 'always' | 'never', Env, boolean]>([
    ['on a terminal', true, 'auto', {}, true],
    ['not in a pipe', false, 'auto', {}, false],
    ['not with NO_COLOR', true, 'auto', { NO_COLOR: '1' }, false],
    ['with an empty NO_COLOR', true, 'auto', { NO_COLOR: '' }, true],
    ['not on a dumb terminal', true, 'auto', { TERM: 'dumb' }, false],
    ['in a pipe with FORCE_COLOR', false, 'auto', { FORCE_COLOR: '1' }, true],
    ['with FORCE_COLOR in spite of NO_COLOR', true, 'auto', { FORCE_COLOR: '3', NO_COLOR: '1' }, true],
    ['not with FORCE_COLOR=0', true, 'auto', { FORCE_COLOR: '0' }, false],
    ['always, in a pipe', false, 'always', { NO_COLOR: '1' }, true],
    ['never, on a terminal', true, 'never', { FORCE_COLOR: '1' }, false],
  ])('%s', (_, isTTY, color, env, wanted) => {
    const { out } = fakeOut(isTTY)
    const { colors } = terminalStyle(out, { TERM: 'xterm', ...env }, { color, emoji: true })
    expect(colors.red('x') !== 'x').toBe(wanted)
  })
})

describe('the output settings', () => {
  const shown = (output: Partial<OutputSettings>, ...events: RunEvent[]) => {
    const { out } = fakeOut(false)
    const show = listen(out, { output: { ...OUTPUT, ...output } })
    for (const event of events) show(event)
    show.close()
    return out.written
  }
  const result = (output: string, ok = true): RunEvent => agent({ type: 'toolResult', id: '1', ok, output })

  it('choose between emoji and text', () => {
    expect(shown({}, result(''))).toBe('  ✓ Result ← tool (no output)\n')
    expect(shown({ emoji: false }, result(''))).toBe('  [OK] Result ← tool (no output)\n')
  })

  it('put the local time before every line', () => {
    const at = new Date(2026, 2, 1, 9, 5, 7).getTime()
    expect(shown({ timestamps: true }, { type: 'instructed', at, text: 'careful' })).toBe(
      '[09:05:07]   instruction: careful\n',
    )
  })

  it('bound what is shown of a tool', () => {
    expect(shown({ maxLines: 1 }, result('a\nb\nc', false))).toContain('⎿  a\n       … 2 more lines\n')
    expect(shown({ maxChars: 2 }, result('abcdef', false))).toContain('⎿  ab\n       … 4 more characters\n')
    expect(shown({ maxChars: 2 }, result('abcdef'))).toContain('(1 line, 6 chars) ⎿ a…\n')
  })

  it('colour a pipe if it must be', () => {
    expect(shown({ color: 'always' }, told('x'))).toContain('\x1b[2m')
    expect(shown({}, told('x'))).not.toContain('\x1b')
  })
})

describe('in a pipe', () => {
  it('lines of any length come whole and in order', () => {
    const { out } = fakeOut(false)
    const show = listen(out)
    const texts = Array.from({ length: 300 }, (_, i) => `${i} ${'ä語x'.repeat(i * i)}`)
    for (const text of texts) show(agent({ type: 'text', text }))
    show.close()
    expect(out.written).toBe(texts.map(text => `  ${text}\n`).join(''))
    expect(out.writes).toBeLessThan(300)
  })

  it('what was written is not overwritten while it is still on its way', async () => {
    const sent: Uint8Array[] = []
    const out = {
      isTTY: false,
      write: (data: string | Uint8Array) => sent.push(data as Uint8Array),
      on: () => {},
    }
    const show = listen(out)
    for (let i = 0; i < 100; i++) {
      show(agent({ type: 'text', text: `${i}` }))
      await new Promise(setImmediate)
    }
    const lines = Buffer.concat(sent).toString().trim().split(/\s+/)
    expect(lines).toEqual(Array.from({ length: 100 }, (_, i) => `${i}`))
  })

  it('what is under way is shown once, as a line', () => {
    const { out } = fakeOut(false)
    const show = listen(out, { streamAgent: false })
    for (const event of [started(), checking(), checked()]) show(event)
    expect(out.written).toBe('\niteration 1 of 10\n  … npm test\n  ✓ npm test 0.0s\n')
  })
})

describe('a live status', () => {
  it('stands for a check while it runs, and its result takes its place', async () => {
    const { out, screen, rows } = fakeOut(true)
    const show = listen(out)
    show(told('before'))
    show(checking())
    await until(async () => / {2}\S check npm test · 0s$/.test((await rows()).at(-1) ?? ''))
    show(checked())
    show(over())
    expect(await rows()).toEqual(['  instruction: before', '  ✓ npm test 0.0s'])
    expect(screen.isAtLineStart()).toBe(true)
  })

  it.each([true, false])(
    'stands for an agent, streamed (%s) or not, and moves while nothing happens',
    async streamAgent => {
      const { out, rows } = fakeOut(true)
      const show = listen(out, { streamAgent })
      show(started())
      show(agent({ type: 'tool', id: '1', name: 'Edit', summary: 'cart.js' }))
      const last = async () => (await rows()).at(-1) ?? ''
      await until(async () => (await last()).includes('iteration 1 of 10 · 0s · Edit(cart.js)'))
      const first = await last()
      await until(async () => (await last()) !== first)
      show(agent({ type: 'ended', ok: true, text: '' }))
      show(over())
      const call = streamAgent ? ' {2}⏺ Edit\\(cart\\.js\\)\\n' : ''
      expect((await rows()).join('\n')).toMatch(
        new RegExp(`^\\niteration 1 of 10\\n${call} {2}✓ Complete \\(tools: 1, .*\\)$`),
      )
    },
  )

  it('stands for a wait, counting down', async () => {
    const { out, rows } = fakeOut(true)
    listen(out)(waiting())
    await until(async () => /waiting until .* · 1m[0-5]s left \(limited\)/.test((await rows()).at(-1) ?? ''))
  })

  it('makes way for every other line, and comes back below it', async () => {
    const { out, rows } = fakeOut(true)
    const show = listen(out)
    show(checking())
    for (const note of ['one', 'two']) {
      await until(async () => (await rows()).at(-1)?.includes('npm test') ?? false)
      show(told(note))
    }
    await until(async () => (await rows()).at(-1)?.includes('npm test') ?? false)
    expect((await rows()).slice(0, -1)).toEqual(['  instruction: one', '  instruction: two'])
  })

  it('is drawn by the beat, not by the event', () => {
    const { out } = fakeOut(true)
    const show = listen(out, { streamAgent: false })
    show(started())
    const before = out.writes
    for (let i = 0; i < 1000; i++) show(agent({ type: 'tool', id: `${i}`, name: 'Read', summary: `${i}` }))
    expect(out.writes).toBe(before)
  })

  it('takes no other line with it when the terminal becomes narrower', async () => {
    const { out, screen, rows } = fakeOut(true)
    const show = listen(out)
    show(told('before'))
    show(checking('x'.repeat(100)))
    await until(async () => (await rows()).at(-1)?.includes('xxx') ?? false)
    out.columns = 30
    screen.resize(30)
    show(checked('x'.repeat(100)))
    show(over())
    expect(await rows()).toEqual(['  instruction: before', `  ✓ ${'x'.repeat(20)}… 0.0s`])
  })

  it('listens for the end of the process only while it stands', () => {
    const listeners = () => ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP'].map(name => process.listenerCount(name))
    const before = listeners()
    const show = listen(fakeOut(true).out)
    show(told('x'))
    expect(listeners()).toEqual(before)
    show(started())
    expect(listeners()).toEqual(before.map(n => n + 1))
    show(over())
    expect(listeners()).toEqual(before)
  })

  it('stays below a stream, whatever comes', async () => {
    const { out, rows } = fakeOut(true)
    const show = listen(out)
    show(started())
    for (let i = 0; i < 50; i++) {
      show(agent({ type: 'text', text: `word ${i}` }))
      await new Promise(setImmediate)
      await new Promise(setImmediate)
      expect((await rows()).slice(-2)).toEqual([
        `  word ${i}`,
        expect.stringMatching(/iteration 1 of 10 · \d+s · (?:thinking|starting claude)$/),
      ])
    }
  })

  it('is followed by lines that no event brings', async () => {
    const { out, rows } = fakeOut(true)
    const show = listen(out)
    show(checking())
    show.say(['  keys: …'])
    await until(async () => (await rows()).at(-1)?.includes('npm test') ?? false)
    expect((await rows()).slice(0, -1)).toEqual(['  keys: …'])
  })

  it('goes when the console is closed', async () => {
    const { out, rows } = fakeOut(true)
    const show = listen(out)
    show(checking())
    await until(async () => (await rows()).length > 0)
    show.close()
    expect(await rows()).toEqual([])
  })
})

describe('timers', () => {
  /** How many are set while these events are heard. */
  function timersFor(isTTY: boolean, loud: Partial<OutputOptions>, env: Env, events: RunEvent[]): number {
    let timers = 0
    const hook = createHook({
      init(_, type) {
        if (type === 'Timeout') timers++
      },
    })
    const show: ConsoleListener = listen(quietOut(isTTY), loud, env)
    hook.enable()
    for (const event of events) show(event)
    hook.disable()
    return timers
  }
  const quietOut = (isTTY: boolean) => ({ isTTY, columns: 80, write: () => {}, on: () => {} })
  const busy = [started(), checking(), waiting()]

  it.each<[string, boolean, Partial<OutputOptions>, Env]>([
    ['in a pipe', false, { streamAgent: false }, {}],
    ['with --json', true, { streamAgent: false, json: true }, {}],
    ['with --quiet', true, { streamAgent: false, quiet: true }, {}],
    ['in CI', true, { streamAgent: false }, { CI: 'true' }],
    ['on a dumb terminal', true, { streamAgent: false }, { TERM: 'dumb' }],
  ])('there are none %s', (_, isTTY, loud, env) => {
    expect(timersFor(isTTY, loud, env, busy)).toBe(0)
  })

  it('there is one on a terminal, and only while something is under way', () => {
    expect(timersFor(true, {}, {}, [told('x'), agent({ type: 'text', text: 'x' })])).toBe(0)
    expect(timersFor(true, {}, {}, busy)).toBe(1)
    expect(timersFor(true, {}, { CI: 'false' }, busy)).toBe(1)
  })
})

describe('however the process ends, the terminal is left as it was', () => {
  async function run(ending: string) {
    const folder = scratch('ralph-console-')
    const outfile = join(folder, 'driver.mjs')
    await build({
      entryPoints: [fileURLToPath(new URL('console-driver.ts', import.meta.url))],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      banner: {
        js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)",
      },
      logLevel: 'error',
    })
    const child = spawn(process.execPath, [outfile, ending], { stdio: ['ignore', 'pipe', 'pipe'] })
    let text = ''
    let error = ''
    child.stdout.setEncoding('utf8').on('data', data => {
      text += data
    })
    child.stderr.setEncoding('utf8').on('data', data => {
      error += data
    })
    const [code, signal] = await new Promise<unknown[]>(resolve =>
      child.on('close', (...how) => resolve(how)),
    )
    const screen = openTerminal(80)
    await screen.write(text)
    return { code, signal, text, error, rows: screen.rows(), isAtLineStart: screen.isAtLineStart() }
  }

  it.each([
    ['exit', 3, null, ''],
    ['throw', 1, null, 'a bug'],
    ['interrupt', null, 'SIGINT', ''],
  ])('%s', async (ending, code, signal, error) => {
    const ran = await run(ending)
    expect([ran.code, ran.signal]).toEqual([code, signal])
    expect(ran.error).toContain(error)
    expect(ran.text).toContain('npm test')
    expect(ran.rows).toEqual(['  instruction: before'])
    expect(ran.isAtLineStart).toBe(true)
    expect(ran.text).not.toContain('\x1b[?25')
  })

  it('a signal is reported on a line of its own', async () => {
    const ran = await run('say')
    expect(ran.code).toBe(130)
    expect(ran.text).toContain('npm test')
    expect(ran.rows).toEqual(['  instruction: before', 'Received signal'])
  })

  it('a status keeps no process alive', async () => {
    expect((await run('leave')).code).toBe(0)
  })
})
