import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Command, Sink } from '../../src/core/ports.ts'
import { processRunner } from '../../src/runners/process/process.ts'
import { paneRunner } from '../../src/runners/tmux/pane-runner.ts'
import { tmuxServer } from '../../src/runners/tmux/server.ts'
import { agentScript } from '../../src/runners/tmux/shim.ts'
import { openView } from '../../src/runners/tmux/window.ts'
import { hasTmux } from '../support/terminal.ts'
import { type Act, carriers, collect, lives, readText, setScene, until } from './scene.ts'

/** A window of a worker on a tmux server of the test's own, in a folder whose name is hard to quote. */
function setPane(options: { graceMs?: number } = {}) {
  const scene = setScene({
    ...options,
    make: folder => {
      home = join(folder, "it's 50%d #{pane_id}")
      mkdirSync(home)
      const view = join(home, 'view.log')
      writeFileSync(view, 'the view\n')
      window = { server: tmuxServer(home, process.env), name: 'agent', view }
      return paneRunner(processRunner, window, () => join(home, 'pane'))
    },
  })
  const tmux = (...words: string[]) =>
    execFileSync('tmux', ['-S', window.server.socket, ...words], { encoding: 'utf8', stdio: 'pipe' }).trim()
  onTestFinished(() => {
    try {
      tmux('kill-server')
    } catch {
      // It was not started, or a test ended it.
    }
  })
  const watched = collect()
  const echoes: boolean[] = []
  const seen: string[] = []
  const sink: Sink = {
    ...watched.sink,
    line: (line, cut, echo = false) => {
      watched.sink.line(line, cut)
      echoes.push(echo)
    },
    activity: by => seen.push(by),
  }
  return {
    ...scene,
    ...watched,
    echoes,
    seen,
    tmux,
    window,
    home,
    files: () => readdirSync(join(home, 'pane')),
    screen: () => tmux('capture-pane', '-p', '-t', '=ralph:=agent'),
    /** Starts a scripted agent in the window. */
    start: (acts: Act[], more: Partial<Command> = {}) =>
      scene.runner.start({ ...scene.command(acts, more), plain: true }, 1, sink),
    /** Starts a shell script. */
    sh: (script: string, more: Partial<Command> = {}) =>
      scene.runner.start({ ...scene.command([], more), argv: ['sh', '-c', script], plain: true }, 1, sink),
  }
}

let home = ''
let window: Parameters<typeof openView>[0]

describe.skipIf(!hasTmux)('a command in a pane', () => {
  test('gets its prompt, folder, environment and marks, and its output and exit code come back', async () => {
    const { start, run, path, lines, bytes, files } = setPane()
    const prompt = `do it\n${'é'.repeat(500_000)}`
    const env = { PATH: process.env.PATH ?? '', KEY: 'it\'s "$HOME" `x` \\ \n second', 'odd.name': 'yes' }
    const acts = [
      ['stdin', 'got'],
      ['env', 'env'],
      ['print', 'first', 'second'],
      ['exit', 7],
    ] as Act[]
    const live = await start(acts, { stdin: prompt, env: { ...env, FAKE_AGENT: JSON.stringify(acts) } })
    expect(live.watched).toBe('screen')
    expect(await live.exit).toEqual({ code: 7, signal: null })
    expect(readText(path('got'))).toBe(prompt)
    expect(JSON.parse(readText(path('env')))).toMatchObject({
      ...env,
      RALPH_RUN: run,
      RALPH_STEP: '1',
      TERM: expect.stringMatching(/^(?:tmux|screen)/),
    })
    expect(JSON.parse(readText(path('env')))).not.toHaveProperty('TMUX')
    expect(lines).toEqual(['first', 'second'])
    expect(bytes().toString()).toBe('first\r\nsecond\r\n')
    expect(files()).toEqual([])
  })

  test('shows its first output, whatever is printed at once, and then the view', async () => {
    const { sh, lines, screen } = setPane()
    for (let n = 1; n <= 20; n++) {
      const live = await sh(`echo first ${n}; exit 0`)
      await live.exit
      expect(lines.splice(0)).toEqual([`first ${n}`])
    }
    await until(() => screen() === 'the view')
  })

  test('carries the marks of the run, and the server, the shim and the view do not', async () => {
    const { start, run, runner, tmux, path } = setPane()
    const live = await start([['pid', 'up'], ['hang']])
    await until(() => readText(path('up')) !== '')
    expect(carriers(`RALPH_RUN=${run}`)).toEqual([live.ref.pid])
    expect(readText(`/proc/${live.ref.pid}/limits`)).toMatch(/Max file locks +\d{10,} /)
    await live.stop()
    expect((await live.exit).signal).toBe('SIGTERM')
    await runner.sweep(1)
    expect(tmux('list-panes', '-a', '-F', '#{pane_dead} #{window_name}')).toBe('0 agent')
  })

  test('keeps its environment and prompt in files that only the user may read', async () => {
    const { start, home, path, files } = setPane()
    const live = await start([['pid', 'up'], ['hang']], { stdin: 'secret' })
    await until(() => readText(path('up')) !== '')
    const folder = join(home, 'pane', files()[0]!)
    for (const file of ['prompt', 'agent.sh']) expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    await live.stop()
  })

  test('comes in plain lines: without escapes, and with what was written last', async () => {
    const { sh, lines, bytes } = setPane()
    const shown =
      '\\033[1;31mrot\\033[0m 漢字テスト 🎉\\n\\033]0;title\\007a\\rbb\\rccc\\nx\\by\\n\\033[2Jend'
    await (await sh(`printf '${shown}'`)).exit
    expect(lines).toEqual(['rot 漢字テスト 🎉', 'ccc', 'y', 'end'])
    expect(bytes().toString()).toContain('\u001b[1;31mrot\u001b[0m 漢字テスト 🎉\r\n')
  })

  test('tells which lines are those of its prompt', async () => {
    const { sh, lines, echoes } = setPane()
    await (await sh('cat; echo mine', { stdin: 'one\n\n  two\n' })).exit
    expect(lines).toEqual(['one', '', '  two', 'mine'])
    expect(echoes).toEqual([true, false, true, false])
  })

  test('may print 10 MB at once', async () => {
    const { sh, lines, bytes } = setPane()
    const live = await sh('yes 0123456789012345678901234567890123456789 | head -n 250000; echo last')
    await live.exit
    expect(lines.length).toBe(250_001)
    expect(lines.at(-1)).toBe('last')
    expect(bytes().length).toBe(250_000 * 42 + 6)
  })

  test('that prints nothing has no activity and no lines', async () => {
    const { sh, lines, seen } = setPane()
    expect(await (await sh('exit 3')).exit).toEqual({ code: 3, signal: null })
    expect([lines, seen]).toEqual([[], []])
  })

  test.each([
    ['SIGKILL', 'kill -KILL $$'],
    ['SIGTERM', 'kill $$'],
  ])('reports its end by %s', async (signal, script) => {
    const { sh } = setPane()
    expect(await (await sh(script)).exit).toEqual({ code: null, signal })
  })

  test('that cannot be started is named, with the reason', async () => {
    const { start } = setPane()
    await expect(start([], { argv: ['no-such-agent'] })).rejects.toThrow(
      /^cannot start no-such-agent: not found on PATH$/,
    )
  })
})

describe.skipIf(!hasTmux)('ending what runs in a pane', () => {
  test('ends one that ignores SIGTERM, and what it started', async () => {
    const { start, run, path, numbers } = setPane({ graceMs: 100 })
    const acts = [
      ['ignore', 'SIGTERM'],
      ['child', { detached: true, ignoresTerm: true, pid: 'child' }],
      ['child', { clean: true, ignoresTerm: true, pid: 'child' }],
      ['pid', 'up'],
      ['hang'],
    ] as Act[]
    const live = await start(acts)
    await until(() => readText(path('up')) !== '')
    await live.stop()
    expect(await live.exit).toEqual({ code: null, signal: 'SIGKILL' })
    expect((await numbers('child', 2)).some(lives)).toBe(false)
    expect(carriers(`RALPH_RUN=${run}`)).toEqual([])
  })

  test('sweeps what it left in the background, which does not keep it from being over', async () => {
    const { start, runner, numbers, tmux } = setPane()
    const live = await start([
      ['child', { holds: true, pid: 'child' }],
      ['child', { detached: true, floods: true, pid: 'child' }],
      ['print', 'bye'],
    ])
    expect(await live.exit).toEqual({ code: 0, signal: null })
    await runner.sweep(1)
    expect((await numbers('child', 2)).some(lives)).toBe(false)
    // The shim is not swept with them: the window still shows something.
    expect(tmux('list-panes', '-a', '-F', '#{pane_dead} #{window_name}')).toBe('0 agent')
  })

  test.each([
    ['its window', ['kill-window', '-t', '=ralph:=agent']],
    ['the server', ['kill-server']],
  ])('by closing %s is no exit of its own, and the next one has a new window', async (_, words) => {
    const { start, sh, runner, run, path, tmux, lines } = setPane()
    const live = await start([['ignore', 'SIGHUP'], ['print', 'up'], ['pid', 'up'], ['hang']])
    await until(() => readText(path('up')) !== '')
    tmux(...words)
    expect(await live.exit).toMatchObject({ lost: expect.stringContaining('window') })
    await runner.sweep(1)
    expect(carriers(`RALPH_RUN=${run}`)).toEqual([])
    expect(await (await sh('echo again')).exit).toEqual({ code: 0, signal: null })
    expect(lines).toEqual(['up', 'again'])
    expect(tmux('list-windows', '-a', '-F', '#{window_name}')).toBe('agent')
  })

  test('by ending the shim is no exit of its own either', async () => {
    const { start, runner, run, tmux, path } = setPane()
    const live = await start([['pid', 'up'], ['hang']])
    await until(() => readText(path('up')) !== '')
    process.kill(Number(tmux('list-panes', '-a', '-F', '#{pane_pid}')), 'SIGKILL')
    expect(await live.exit).toMatchObject({ lost: expect.stringContaining('window') })
    await runner.sweep(1)
    expect(carriers(`RALPH_RUN=${run}`)).toEqual([])
  })

  test('goes on with one that a person has suspended', async () => {
    const { start, path, tmux } = setPane()
    const live = await start([
      ['pid', 'up'],
      ['await', 'go'],
      ['exit', 4],
    ])
    await until(() => readText(path('up')) !== '')
    tmux('send-keys', '-t', '=ralph:=agent', 'C-z')
    writeFileSync(path('go'), '')
    expect(await live.exit).toEqual({ code: 4, signal: null })
  })

  test('leaves the other panes of its window and other windows alone', async () => {
    const { sh, tmux, screen, window } = setPane()
    await openView(window)
    tmux('split-window', '-d', '-b', '-t', '=ralph:=agent', 'sleep', '300')
    tmux('new-window', '-d', '-t', '=ralph:', '-n', 'agent-2', 'sleep', '300')
    const others = () =>
      tmux('list-panes', '-a', '-F', '#{pane_current_command} #{pane_pid}').match(/^sleep.*$/gm)
    const before = others()
    expect(before).toHaveLength(2)
    await (await sh('echo one')).exit
    await (await sh('echo two')).exit
    expect(others()).toEqual(before)
    await until(() => screen().includes('the view'))
  })
})

describe.skipIf(!hasTmux)('a second command at once', () => {
  test('runs without a window', async () => {
    const { start, sh, path, lines } = setPane()
    const live = await start([['pid', 'up'], ['hang']])
    await until(() => readText(path('up')) !== '')
    const second = await sh('echo second')
    expect(second.watched).toBeUndefined()
    expect(await second.exit).toEqual({ code: 0, signal: null })
    expect(lines).toEqual(['second'])
    await live.stop()
  })
})

describe.skipIf(!hasTmux)('a pane that cannot be opened', () => {
  test('is not the failure of the agent', async () => {
    const { sh, home } = setPane()
    rmSync(home, { recursive: true })
    writeFileSync(home, 'in the way')
    await expect(sh('exit 0')).rejects.toMatchObject({ name: 'CannotGoOn' })
  })
})

describe('the script that becomes the agent', () => {
  const run = (ralph: number) => {
    const { folder, command, path } = setScene()
    const asked = command([], { argv: ['touch', path('began')], env: { PATH: process.env.PATH ?? '' } })
    writeFileSync(path('prompt'), '')
    const script = agentScript(folder, asked, [], ralph)
    const child = spawn('/bin/sh', ['-c', script], { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] })
    return { path, ended: once(child, 'exit'), told: once(child.stdio[3]!, 'data') }
  }

  test('tells its pid, and begins once ralph knows it', async () => {
    const { path, ended, told } = run(process.pid)
    expect(Number(await told)).toBeGreaterThan(0)
    expect(existsSync(path('began'))).toBe(false)
    writeFileSync(path('go'), '')
    expect(await ended).toEqual([0, null])
    expect(existsSync(path('began'))).toBe(true)
  })

  test('does not begin if ralph has died', async () => {
    const { pid } = spawnSync('true')
    const { path, ended } = run(pid)
    expect(await ended).toEqual([125, null])
    expect(existsSync(path('began'))).toBe(false)
  })
})
