import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { processRef } from '../../src/runners/process/proc.ts'
import { processRunner } from '../../src/runners/process/process.ts'
import { endTree } from '../../src/runners/process/tree.ts'
import { type Act, bundleDriver, carriers, ignoring, lives, readText, setScene, until } from './scene.ts'

/** A process that nobody here is to touch: it carries no mark, or the given ones. */
function stranger(scene: ReturnType<typeof setScene>, env: Record<string, string> = {}): number {
  const { pid } = spawn('sleep', ['60'], {
    detached: true,
    stdio: 'ignore',
    env: { PATH: process.env.PATH, ...env },
  })
  scene.tidy(pid!)
  return pid!
}

const someChildren: Act[] = [
  ['child', { pid: 'pids' }],
  ['child', { pid: 'pids', holds: true, ignoresTerm: true }],
  ['child', { pid: 'pids', detached: true }],
  ['child', { pid: 'pids', detached: true, ignoresTerm: true }],
  ['child', { pid: 'pids', clean: true, ignoresTerm: true }],
  ['child', { pid: 'pids', clean: true, detached: true, ignoresTerm: true }],
]

describe('stop', () => {
  test('ends an agent that ignores SIGTERM, and every kind of child', async () => {
    const { run, numbers, start } = setScene()
    const acts: Act[] = [['ignore', 'SIGTERM', 'SIGINT'], ...someChildren, ['hang']]
    const live = await start(acts)
    const children = await numbers('pids', someChildren.length)
    await live.stop()
    expect(await live.exit).toEqual({ code: null, signal: 'SIGKILL' })
    expect(children.filter(lives)).toEqual([])
    expect(carriers(`RALPH_RUN=${run}`)).toEqual([])
  })

  test('ends the children of an agent that leaves at SIGTERM', async () => {
    const { numbers, start } = setScene()
    const live = await start([...someChildren, ['hang']])
    const children = await numbers('pids', someChildren.length)
    await live.stop()
    expect(await live.exit).toEqual({ code: null, signal: 'SIGTERM' })
    expect(children.filter(lives)).toEqual([])
  })

  test('gives a process the time to leave by itself', async () => {
    const { numbers, start } = setScene({ graceMs: 20_000 })
    const tidies = `trap 'sleep 0.1; exit 9' TERM; echo $$ > pids; while :; do sleep 0.02; done`
    const live = await start([], { argv: ['sh', '-c', tidies] })
    await numbers('pids')
    await live.stop()
    expect(await live.exit).toEqual({ code: 9, signal: null })
  })

  test('ends an agent that floods its output', async () => {
    const { start } = setScene()
    let seen = 0
    const bytes = (chunk: Uint8Array) => {
      seen += chunk.length
    }
    const live = await start([['ignore', 'SIGTERM'], ['flood']], { sink: { ...ignoring, bytes } })
    await until(() => seen > 1_000_000)
    await live.stop()
    expect(await live.exit).toEqual({ code: null, signal: 'SIGKILL' })
  })

  test('ends a process that keeps on forking', async () => {
    const { run, numbers, start } = setScene()
    const forks = `echo $$ > pids; trap '' TERM; while :; do (setsid sh -c 'trap "" TERM; sleep 0.3; sleep 60' &); done`
    const live = await start([], { argv: ['sh', '-c', forks] })
    await numbers('pids')
    await until(() => carriers(`RALPH_RUN=${run}`).length > 5)
    await live.stop()
    expect(carriers(`RALPH_RUN=${run}`)).toEqual([])
  })

  test('may be called often, and after the end', async () => {
    const { start } = setScene()
    const live = await start([['hang']])
    expect(live.stop()).toBe(live.stop())
    await live.stop()
    expect(await live.exit).toEqual({ code: null, signal: 'SIGTERM' })
    await live.stop()
  })

  test('leaves another process of the same step alone', async () => {
    const { start } = setScene()
    const other = await start([['hang']])
    const live = await start([['hang']])
    await live.stop()
    expect([lives(live.ref.pid), lives(other.ref.pid)]).toEqual([false, true])
  })
})

describe('sweep', () => {
  test('ends what a step left behind, and nothing of another step, another run or a stranger', async () => {
    const scene = setScene()
    const { run, runner, numbers, start } = scene
    const daemons: Act[] = [
      ['child', { pid: 'left', detached: true }],
      ['child', { pid: 'left', detached: true, ignoresTerm: true }],
      ['child', { pid: 'left' }],
      ['child', { pid: 'left', clean: true }],
    ]
    const other = await start([['child', { pid: 'other', detached: true }]], { step: 12 })
    const live = await start(daemons)
    const left = await numbers('left', daemons.length)
    const strangers = [
      ...(await numbers('other')),
      stranger(scene),
      stranger(scene, { RALPH_RUN: `${run}-2`, RALPH_STEP: '1' }),
      stranger(scene, { RALPH_RUN: 'another', RALPH_STEP: '1' }),
      stranger(scene, { NOT_RALPH_RUN: run, RALPH_STEP: '1' }),
    ]
    await Promise.all([live.exit, other.exit])
    expect(left.filter(lives)).toEqual(left)

    await runner.sweep(1)
    expect(left.filter(lives)).toEqual([])
    expect(strangers.filter(lives)).toEqual(strangers)
    await runner.sweep(12)
    expect(strangers.filter(lives)).toEqual(strangers.slice(1))
  })

  test('ends what only its group gives away', async () => {
    const { runner, numbers, start } = setScene()
    const live = await start([['child', { pid: 'left', clean: true, ignoresTerm: true }]])
    const left = await numbers('left')
    await live.exit
    expect(left.filter(lives)).toEqual(left)
    await runner.sweep(1)
    expect(left.filter(lives)).toEqual([])
  })

  test('lets what is left behind tidy up', async () => {
    const { runner, numbers, path, start } = setScene({ graceMs: 20_000 })
    const tidies = `trap 'echo tidied > tidied; exit' TERM; echo $$ > pids; while :; do sleep 0.02; done`
    const leaves = `setsid sh -c "$0" >/dev/null 2>&1 & until [ -s pids ]; do sleep 0.02; done`
    const live = await start([], { argv: ['sh', '-c', leaves, tidies] })
    const left = await numbers('pids')
    await live.exit
    await runner.sweep(1)
    expect(left.filter(lives)).toEqual([])
    expect(readText(path('tidied'))).toBe('tidied\n')
  })

  test('finds what an earlier incarnation left, of which it knows nothing', async () => {
    const scene = setScene()
    const leftover = stranger(scene, { RALPH_RUN: scene.run, RALPH_STEP: '3' })
    await scene.runner.sweep(3)
    expect(lives(leftover)).toBe(false)
  })

  test('has nothing to do after an agent that left nothing', async () => {
    const { runner, start } = setScene()
    const live = await start([])
    await live.exit
    await runner.sweep(1)
    await runner.sweep(1)
  })

  test('of no step spares every step', async () => {
    const { runner, start } = setScene()
    const live = await start([['hang']])
    await runner.sweep(null)
    expect(lives(live.ref.pid)).toBe(true)
  })
})

describe('reap', () => {
  test('ends the tree of a crashed incarnation', async () => {
    const scene = setScene()
    const crashed = processRunner({ run: randomUUID(), graceMs: 50 })
    const live = await crashed.start(
      scene.command([['ignore', 'SIGTERM'], ...someChildren, ['hang']]),
      1,
      ignoring,
    )
    const children = await scene.numbers('pids', someChildren.length)
    await scene.runner.reap([live.ref])
    expect([live.ref.pid, ...children].filter(lives)).toEqual([])
    await crashed.close()
  })

  test('never touches a stranger that took the number', async () => {
    const scene = setScene()
    const pid = stranger(scene)
    const ref = processRef(pid)
    await scene.runner.reap([{ ...ref, startTime: String(Number(ref.startTime) - 1) }])
    await scene.runner.reap([{ ...ref, host: `not-${hostname()}` }])
    await scene.runner.reap([{ ...ref, startTime: '' }])
    expect(lives(pid)).toBe(true)
    await scene.runner.reap([ref])
    await until(() => !lives(pid))
  })

  test('never touches the process that reaps, nor one that it descends from', async () => {
    const { folder, run } = setScene()
    const driver = await bundleDriver(folder)
    // Whoever resumes a run from a shell that an agent of it opened carries the mark, and so does that shell.
    const shell = spawn('sh', ['-c', `"$0" "$@"; echo shell lives`, process.execPath, driver, 'reap', run], {
      detached: true,
      env: { PATH: process.env.PATH, RALPH_RUN: run, RALPH_STEP: '1' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    expect(await text(shell.stdout)).toBe('driver lives\nshell lives\n')
  })

  test('ends whatever carries the mark of the run, but nothing of this incarnation', async () => {
    const scene = setScene()
    const leftover = stranger(scene, { RALPH_RUN: scene.run, RALPH_STEP: '1' })
    const live = await scene.start([['hang']], { step: 2 })
    await scene.runner.reap([{ pid: 2 ** 22 + 1, startTime: '1', host: hostname() }])
    expect([lives(leftover), lives(live.ref.pid)]).toEqual([false, true])
  })
})

describe('a group', () => {
  test('whose number a stranger took is none of ours', async () => {
    const scene = setScene()
    const pid = stranger(scene)
    await endTree({ leaders: new Map([[pid, '1']]), isOurs: () => false }, 50)
    expect(lives(pid)).toBe(true)
    await endTree({ leaders: new Map([[pid, processRef(pid).startTime]]), isOurs: () => false }, 50)
    await until(() => !lives(pid))
  })
})

describe('close', () => {
  test('ends everything of the run, in flight or left behind, and may be called again', async () => {
    const { run, runner, numbers, start } = setScene()
    const live = await start([['child', { pid: 'pids', detached: true }], ['hang']])
    const left = await start([['child', { pid: 'pids', detached: true }]], { step: 2 })
    await left.exit
    await numbers('pids', 2)
    await runner.close()
    expect(await live.exit).toEqual({ code: null, signal: 'SIGTERM' })
    expect(carriers(`RALPH_RUN=${run}`)).toEqual([])
    await runner.close()
  })

  test('is the last that touches the run: a later sweep spares its next incarnation', async () => {
    const { run, runner, start } = setScene()
    const probe = await start([], { step: 0 })
    await probe.exit
    await runner.close()
    const next = setScene({ run })
    const live = await next.start([['hang']], { step: 2 })
    await probe.sweep()
    await runner.sweep(0)
    expect(lives(live.ref.pid)).toBe(true)
  })
})
