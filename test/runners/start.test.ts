import { chmodSync, closeSync, openSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { follow } from '../../src/runners/process/follow.ts'
import { launch } from '../../src/runners/process/launch.ts'
import { carriers, collect, ignoring, lives, readText, setScene, until } from './scene.ts'

describe('a started process', () => {
  test('gets its prompt on a standard input that is then closed', async () => {
    const { path, start } = setScene()
    const prompt = `do it\n${'é'.repeat(100_000)}`
    const live = await start([['stdin', 'got']], { stdin: prompt })
    expect(await live.exit).toEqual({ code: 0, signal: null })
    expect(readText(path('got'))).toBe(prompt)
  })

  test('finds an empty standard input closed, too', async () => {
    const { path, start } = setScene()
    const live = await start([
      ['stdin', 'got'],
      ['file', 'after', 'x'],
    ])
    await live.exit
    expect([readText(path('got')), readText(path('after'))]).toEqual(['', 'x'])
  })

  test('need not read a huge prompt', async () => {
    const { start } = setScene()
    const { sink, lines } = collect()
    const stdin = 'x'.repeat(20_000_000)
    const live = await start(
      [
        ['print', 'unread'],
        ['exit', 4],
      ],
      { stdin, sink },
    )
    expect(await live.exit).toEqual({ code: 4, signal: null })
    expect(lines).toEqual(['unread'])
  })

  test('hands over its bytes, its lines and its errors', async () => {
    const { start } = setScene()
    const { sink, lines, bytes, errors } = collect()
    const rubbish = Buffer.from([0xff, 0, 10, 0xc3])
    const live = await start(
      [
        ['print', 'one', ''],
        ['stderr', 'oh no'],
        ['bytes', rubbish.toString('base64')],
      ],
      { sink },
    )
    await live.exit
    expect(bytes()).toEqual(Buffer.concat([Buffer.from('one\n\n'), rubbish]))
    expect(lines).toEqual(['one', '', '\ufffd\0', '\ufffd'])
    expect(errors()).toBe('oh no')
  })

  test('may print a line of 50 MB, which comes cut', async () => {
    const { start } = setScene()
    const { sink, lines, cuts, bytes } = collect()
    const live = await start(
      [
        ['long', 50_000_000],
        ['print', '', 'next'],
      ],
      { sink },
    )
    await live.exit
    expect(bytes().length).toBe(50_000_006)
    expect(lines.map(line => line.length)).toEqual([64 * 1024, 4])
    expect(cuts).toEqual([true, false])
  })

  test('is told apart by number, start time and machine', async () => {
    const { start } = setScene()
    const { ref, stop } = await start([['hang']])
    expect(lives(ref.pid)).toBe(true)
    const stat = readText(`/proc/${ref.pid}/stat`).split(' ')
    expect(ref).toEqual({ pid: ref.pid, startTime: stat[21], host: hostname() })
    await stop()
  })

  test('carries the marks of run and step, whatever the environment said before', async () => {
    const { run, runner, command, path } = setScene()
    const asked = command([['env', 'env']])
    asked.env = { ...asked.env, KEPT: 'yes', RALPH_RUN: 'another', RALPH_STEP: '99' }
    const live = await runner.start(asked, 7, ignoring)
    await live.exit
    expect(JSON.parse(readText(path('env')))).toMatchObject({ KEPT: 'yes', RALPH_RUN: run, RALPH_STEP: '7' })
  })

  test.each([
    { name: 'a code', acts: [['exit', 3]] as [string, number][], exit: { code: 3, signal: null } },
    {
      name: 'a signal',
      acts: [['die', 'SIGKILL']] as [string, string][],
      exit: { code: null, signal: 'SIGKILL' },
    },
  ])('reports its exit by $name', async ({ acts, exit }) => {
    const { start } = setScene()
    expect(await (await start(acts)).exit).toEqual(exit)
  })

  test('may close its output and live on', async () => {
    const { start } = setScene()
    const { sink, lines } = collect()
    const live = await start([['print', 'bye'], ['closeStdout'], ['sleep', 200], ['exit', 5]], { sink })
    expect(await live.exit).toEqual({ code: 5, signal: null })
    expect(lines).toEqual(['bye'])
  })

  test('is ended when its output cannot be taken, and says why', async () => {
    const { run, start } = setScene()
    const full = {
      ...ignoring,
      bytes: () => {
        throw new Error('disk full')
      },
    }
    const live = await start([['ignore', 'SIGTERM'], ['print', 'x'], ['hang']], { sink: full })
    await expect(live.exit).rejects.toThrow('disk full')
    await until(() => carriers(`RALPH_RUN=${run}`).length === 0)
  })
})

describe('a process whose pipe is held by a child', () => {
  const held = ['child', { holds: true, detached: true }] as [string, object]

  test('is not waited for, and everything that it wrote is there', async () => {
    const { run, start } = setScene()
    const { sink, lines } = collect()
    const acts: [string, ...unknown[]][] = [held, ['lines', 5000, 1000], ['print', 'last'], ['exit', 0]]
    const live = await start(acts, { sink })
    expect(await live.exit).toEqual({ code: 0, signal: null })
    expect(carriers(`RALPH_RUN=${run}`)).toHaveLength(1)
    expect(lines.length).toBe(5001)
    expect(lines.at(-1)).toBe('last')
  })

  test('loses nothing to a reader that is slower than all patience', async () => {
    const { start } = setScene()
    let seen = 0
    const slow = {
      ...ignoring,
      bytes: (chunk: Uint8Array) => {
        seen += chunk.length
        if (seen > 4_750_000) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
      },
    }
    const live = await start([held, ['lines', 5000, 999]], { sink: slow })
    await live.exit
    expect(seen).toBe(5_000_000)
  })

  test('is not waited for, but what the child writes at once is still taken', async () => {
    const { command } = setScene()
    const { sink, lines } = collect()
    const writes = '(sleep 0.1; echo late) & echo early'
    const child = await launch(command([], { argv: ['sh', '-c', writes] }), 'pipe')
    expect(await follow(child, sink, { quietMs: 10_000 })).toEqual({ code: 0, signal: null })
    expect(lines).toEqual(['early', 'late'])
  })

  test('is read to the end once it has exited, also for a sink that is never ready', async () => {
    const { command } = setScene()
    const { sink, lines, errors } = collect()
    const writes =
      'for i in 1 2 3; do head -c 20000 /dev/zero | tr "\\0" $i; echo; sleep 0.05; done; echo err >&2'
    const child = await launch(command([], { argv: ['sh', '-c', writes] }), 'pipe')
    const never = new Promise<void>(() => {})
    expect(await follow(child, { ...sink, backPressure: () => never })).toEqual({ code: 0, signal: null })
    expect([lines, errors()]).toEqual([['1', '2', '3'].map(digit => digit.repeat(20_000)), 'err\n'])
  })

  test.each(['floods', 'holds'])('is not waited for when the child %s', async does => {
    const { start } = setScene()
    const { sink, lines } = collect()
    const live = await start(
      [
        ['print', 'mine'],
        ['child', { [does]: true }],
        ['exit', 2],
      ],
      { sink },
    )
    expect(await live.exit).toEqual({ code: 2, signal: null })
    expect(lines[0]).toBe('mine')
  })
})

describe('a process that writes to a file', () => {
  test('has both its streams in it, and no pipe that anyone could hold', async () => {
    const { runner, command, path } = setScene()
    const fd = openSync(path('log'), 'w')
    const acts: [string, ...unknown[]][] = [
      ['child', { holds: true, detached: true }],
      ['print', 'out'],
      ['stderr', 'err\n'],
      ['exit', 1],
    ]
    const live = await runner.startToFile(command(acts), null, fd)
    closeSync(fd)
    expect(await live.exit).toEqual({ code: 1, signal: null })
    expect(readText(path('log'))).toBe('out\nerr\n')
  })

  test('gets its standard input, too', async () => {
    const { runner, command, path } = setScene()
    const fd = openSync(path('log'), 'w')
    const live = await runner.startToFile(command([['stdin', 'got']], { stdin: 'prompt' }), 1, fd)
    await live.exit
    closeSync(fd)
    expect(readText(path('got'))).toBe('prompt')
  })
})

describe('what cannot be started', () => {
  test('is named in one sentence that says why', async () => {
    const { path, folder, start } = setScene()
    writeFileSync(path('plain'), 'no program')
    writeFileSync(path('orphan'), '#!/no/such/interpreter\n')
    chmodSync(path('orphan'), 0o755)
    const PATH = `${process.env.PATH}:${folder}`
    const attempt = (more: object) => start([], { ...more })
    const ofProgram = (program: string) => attempt({ argv: [program], env: { PATH } })

    await expect(ofProgram('no-such-agent')).rejects.toThrow(
      /^cannot start no-such-agent: not found on PATH$/,
    )
    await expect(ofProgram('./none')).rejects.toThrow(/^cannot start \.\/none: no such file$/)
    await expect(ofProgram(path('plain'))).rejects.toThrow(/plain: it is not executable$/)
    await expect(ofProgram('orphan')).rejects.toThrow(/^cannot start orphan: its interpreter does not exist$/)
    await expect(attempt({ cwd: path('gone') })).rejects.toThrow(/: the folder .*gone does not exist$/)
    await expect(attempt({ cwd: path('plain') })).rejects.toThrow(/: .*plain is not a folder$/)
    const long = Array.from({ length: 40 }, () => 'x'.repeat(100_000))
    await expect(attempt({ argv: ['true', ...long] })).rejects.toThrow(/^cannot start true: .* too long$/)
  })

  test('leaves the runner as it was', async () => {
    const { start } = setScene()
    await expect(start([], { argv: ['no-such-agent'] })).rejects.toThrow()
    const live = await start([['exit', 0]])
    expect(await live.exit).toEqual({ code: 0, signal: null })
  })

  test('includes everything once the run is closed', async () => {
    const { runner, start } = setScene()
    await runner.close()
    await delay(0)
    await expect(start([])).rejects.toThrow('the run is over')
  })
})
