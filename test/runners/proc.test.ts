import { spawn } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { describe, expect, test } from 'vitest'
import { isLimitOf, limitFor } from '../../src/runners/process/marks.ts'
import { isAlive, processes, processRef, startTime } from '../../src/runners/process/proc.ts'
import { terminalName } from '../../src/runners/process/procfs.ts'
import { psTable, readMarked, readProcessTable } from '../../src/runners/process/ps.ts'
import { kill, lives, readText, setScene, until } from './scene.ts'

function run(
  scene: ReturnType<typeof setScene>,
  program: string,
  args: string[],
  env: Record<string, string> = {},
) {
  const child = spawn(program, args, { stdio: 'ignore', env: { PATH: process.env.PATH, ...env } })
  scene.tidy(child.pid!)
  return child.pid!
}

describe('a process', () => {
  test('is the same as long as it lives, and on this machine', async () => {
    const scene = setScene()
    const pid = run(scene, 'sleep', ['60'])
    const ref = processRef(pid)
    expect(ref).toEqual({ pid, startTime: startTime(pid), host: hostname() })
    expect(isAlive(ref)).toBe(true)
    expect(isAlive({ ...ref, host: 'elsewhere' })).toBe(false)
    expect(isAlive({ ...ref, startTime: '1' })).toBe(false)
    kill(pid)
    await until(() => !isAlive(ref))
    expect(isAlive(processRef(pid))).toBe(false)
  })

  test('may have any name', () => {
    const scene = setScene()
    const program = scene.path('a) Z 1 (b\n')
    copyFileSync('/bin/sleep', program)
    const pid = run(scene, program, ['60'])
    expect(processes.entry(pid)).toMatchObject({ pid, ppid: process.pid })
    expect(startTime(pid)).toMatch(/^\d+$/)
  })

  test('that is a zombie is gone', async () => {
    const scene = setScene()
    const parent = run(scene, 'sh', ['-c', `sh -c 'echo $$ > ${scene.path('pids')}' & exec sleep 60`])
    const [zombie = 0] = await scene.numbers('pids')
    await until(() => readText(`/proc/${zombie}/stat`).includes(') Z '))
    expect(processes.entry(zombie)).toBeNull()
    const listed = processes.list().map(entry => entry.pid)
    expect([listed.includes(zombie), listed.includes(parent)]).toEqual([false, true])
  })
})

test.each([
  [0, null],
  [0x8803, 'pts/3'],
  [0x8900, 'pts/256'],
  [0x108837, 'pts/311'],
  [0x402, 'tty2'],
  [0x440, 'device 4:64'],
])('the terminal of device %i is %s', (device, name) => expect(terminalName(device)).toBe(name))

describe('marks', () => {
  test('are whole entries of the environment', async () => {
    const scene = setScene()
    const pid = run(scene, 'sleep', ['60'], {
      FIRST: 'RALPH_RUN=no',
      NOT_RALPH_RUN: 'no',
      RALPH_RUN: 'a=é',
      RALPH_STEPS: 'no',
      RALPH_STEP: '',
      RALPH_CALL: 'c',
    })
    await until(() => readText(`/proc/${pid}/cmdline`).startsWith('sleep'))
    expect([...processes.readMarks([pid])]).toMatchObject([
      { pid, marks: { run: 'a=é', step: '', call: 'c' } },
    ])
  })

  test('are found behind any number of other entries', async () => {
    const scene = setScene()
    const others = Object.fromEntries(['A', 'B', 'C'].map(name => [name, 'x'.repeat(100_000)]))
    const pid = run(scene, 'sleep', ['60'], { ...others, RALPH_RUN: 'last' })
    await until(() => readText(`/proc/${pid}/cmdline`).startsWith('sleep'))
    expect([...processes.readMarks([pid])]).toMatchObject([{ pid, marks: { run: 'last' } }])
  })

  test('are not on a process without environment, nor on one that is gone', async () => {
    const scene = setScene()
    const pid = run(scene, 'env', ['-i', '/bin/sleep', '60'])
    await until(() => readText(`/proc/${pid}/cmdline`).startsWith('/bin/sleep'))
    const found = [...processes.readMarks([pid, 2 ** 22 + 1])]
    // The limit is there only if these tests run inside a run.
    expect(found.flatMap(({ marks }) => Object.keys(marks ?? {})).filter(mark => mark !== 'limit')).toEqual(
      [],
    )
  })
})

describe('the limit that marks a run', () => {
  const limit = limitFor('a run', 'now', null)!

  test('tells a run from every other one, in each of its incarnations', () => {
    const later = limitFor('a run', 'later', null)!
    expect(later).not.toBe(limit)
    expect([limit, later].map(value => isLimitOf('a run', value))).toEqual([true, true])
    expect(isLimitOf('another run', limit)).toBe(false)
    for (const usual of ['0', '1024', '9223372036854775807', '18446744073709551615'])
      expect(isLimitOf('a run', usual), usual).toBe(false)
  })

  test('is lower in a run inside a run, as a process may only lower it', () => {
    const inner = limitFor('inner', 'now', limit)!
    expect(BigInt(inner)).toBeLessThan(BigInt(limit))
    expect([isLimitOf('inner', inner), isLimitOf('a run', inner)]).toEqual([true, false])
    expect(limitFor('a run', 'now', '18446744073709551614')).toBe(limit)
    expect(limitFor('a run', 'now', '1024')).toBeNull()
  })
})

describe('the processes since a birth', () => {
  test('are those with a number as great, and all when numbers may have begun again', () => {
    const scene = setScene()
    const at = performance.now()
    const pid = run(scene, 'sleep', ['60'])
    const since = processes.pidsSince({ pid, at }, processes.newestPid())
    expect(since).toContain(pid)
    expect(since).not.toContain(1)
    expect(processes.pidsSince({ pid, at: at - 1e9 }, processes.newestPid())).toContain(1)
    expect(processes.pidsSince({ pid: 2 ** 22 + 1, at }, processes.newestPid())).toContain(1)
    expect(processes.pidsSince(null, null)).toContain(1)
  })
})

describe('where there is only ps', () => {
  test('processes are found all the same', async () => {
    const scene = setScene()
    const pid = run(scene, 'sleep', ['60'])
    const entry = psTable.entry(pid)
    expect(entry).toEqual({
      pid,
      ppid: process.pid,
      pgid: processes.entry(pid)?.pgid,
      startTime: expect.any(String),
    })
    expect(psTable.list()).toContainEqual(entry)
    expect(psTable.pidsSince(null, null)).toContain(pid)
    kill(pid)
    await until(() => !lives(pid))
    expect(psTable.entry(pid)).toBeNull()
  })

  test('zombies are left out', () => {
    const text =
      '    7     1     7 Ss   Mon Nov 16 01:26:00 2026\n   12     7     7 Z+   Mon Nov 16 01:26:01 2026\n'
    expect(readProcessTable(text)).toEqual([
      { pid: 7, ppid: 1, pgid: 7, startTime: 'Mon Nov 16 01:26:00 2026' },
    ])
  })

  test('marks are whole words of the line', () => {
    const text = '   7 node x A=b RALPH_RUN=abc RALPH_STEP=2 C=d\n 10 sh XRALPH_RUN=abc A=b\n'
    expect(readMarked(text)).toEqual([{ pid: 7, marks: { run: 'abc', step: '2' } }])
  })
})
