import { spawn } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { describe, expect, test } from 'vitest'
import { isAlive, processes, processRef, startTime } from '../../src/runners/process/proc.ts'
import { psTable, readEntries, readMarked } from '../../src/runners/process/ps.ts'
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

describe('marks', () => {
  test('are whole entries of the environment, and all are needed', async () => {
    const scene = setScene()
    const pid = run(scene, 'sleep', ['60'], { FIRST: 'a', SECOND: 'b=c', LAST: 'é' })
    await until(() => readText(`/proc/${pid}/cmdline`).startsWith('sleep'))
    const isMarked = (...marks: string[]) => processes.findMarks([pid], marks).marked.length > 0
    expect(isMarked('FIRST=a')).toBe(true)
    expect(isMarked('FIRST=a', 'SECOND=b=c', 'LAST=é')).toBe(true)
    expect(isMarked('FIRST=a', 'SECOND=b')).toBe(false)
    expect(isMarked('FIRST=')).toBe(false)
    expect(isMarked('IRST=a')).toBe(false)
  })

  test('are not on a process without environment, nor on one that is gone', async () => {
    const scene = setScene()
    const pid = run(scene, 'env', ['-i', '/bin/sleep', '60'])
    await until(() => readText(`/proc/${pid}/cmdline`).startsWith('/bin/sleep'))
    expect(processes.findMarks([pid, 2 ** 22 + 1], ['A=b'])).toEqual({ marked: [], blank: [] })
  })
})

describe('the processes since a birth', () => {
  test('are those with a number as great, and all when numbers may have begun again', () => {
    const scene = setScene()
    const at = performance.now()
    const pid = run(scene, 'sleep', ['60'])
    const since = processes.pidsSince({ pid, at })
    expect(since).toContain(pid)
    expect(since).not.toContain(1)
    expect(processes.pidsSince({ pid, at: at - 1e9 })).toContain(1)
    expect(processes.pidsSince({ pid: 2 ** 22 + 1, at })).toContain(1)
    expect(processes.pidsSince(null)).toContain(1)
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
    expect(psTable.pidsSince(null)).toContain(pid)
    kill(pid)
    await until(() => !lives(pid))
    expect(psTable.entry(pid)).toBeNull()
  })

  test('zombies are left out', () => {
    const text =
      '    7     1     7 Ss   Mon Nov 16 01:26:00 2026\n   12     7     7 Z+   Mon Nov 16 01:26:01 2026\n'
    expect(readEntries(text)).toEqual([{ pid: 7, ppid: 1, pgid: 7, startTime: 'Mon Nov 16 01:26:00 2026' }])
  })

  test('marks are whole words of the line', () => {
    const text = '   7 node x A=b R=abc C=d\n  8 sh R=abcd A=b\n 9 sh A=b R=abc\n 10 sh XR=abc A=b\n'
    expect(readMarked(text, ['R=abc', 'A=b'])).toEqual([7, 9])
  })
})
