import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { startTime } from '../../src/runners/process/proc.ts'
import { commandRunner } from '../../src/runners/run-command.ts'
import { scratch } from '../support/scratch.ts'

const LONG_MS = 20_000
const ENV = { PATH: process.env.PATH ?? '' }

/** Runs a shell script in an empty folder. */
function setUp({ timeoutMs = LONG_MS, signal = new AbortController().signal } = {}) {
  const cwd = scratch()
  const run = commandRunner(signal)
  return { cwd, sh: (script: string) => run(['sh', '-c', script], { cwd, env: ENV, timeoutMs }) }
}

/** The process whose number a script wrote down is gone soon: killed, it still has to be buried. */
async function isGone(path: string): Promise<boolean> {
  const pid = Number(readFileSync(path, 'utf8'))
  for (let look = 0; look < 100 && startTime(pid) !== null; look++) await delay(20)
  return startTime(pid) === null
}

async function written(path: string): Promise<void> {
  for (let look = 0; look < 500; look++) {
    try {
      if (readFileSync(path, 'utf8').endsWith('\n')) return
    } catch {
      // Not yet.
    }
    await delay(10)
  }
}

describe('a command that is asked something', () => {
  it('answers with its output, its errors and its exit code', async () => {
    expect(await setUp().sh('echo out; echo err >&2; exit 3')).toEqual({
      end: 'exited',
      exit: { code: 3, signal: null },
      stdout: 'out\n',
      stderr: 'err\n',
    })
  })

  it('sees nothing on its standard input', async () => {
    expect(await setUp().sh('cat; echo end')).toMatchObject({ stdout: 'end\n' })
  })

  it('may be killed', async () => {
    expect(await setUp().sh('kill -SEGV $$')).toMatchObject({ exit: { code: null, signal: 'SIGSEGV' } })
  })

  it('may not be there', async () => {
    const run = commandRunner(new AbortController().signal)
    const ran = await run(['/nowhere/claude'], { cwd: scratch(), env: ENV, timeoutMs: LONG_MS })
    expect(ran).toEqual({ end: 'unstartable', why: 'cannot start /nowhere/claude: no such file' })
  })

  it('that hangs is killed with its children', async () => {
    const { cwd, sh } = setUp({ timeoutMs: 2000 })
    expect(await sh('echo $$ > self; (trap "" TERM; sh -c "echo \\$\\$ > child; sleep 60") & wait')).toEqual({
      end: 'timeout',
    })
    expect(await isGone(join(cwd, 'self'))).toBe(true)
    expect(await isGone(join(cwd, 'child'))).toBe(true)
  })

  it('is not waited for when it is gone and another holds its output', async () => {
    const { cwd, sh } = setUp()
    const ran = await sh('echo 1.0; sleep 60 & echo $! > holder')
    expect(ran).toMatchObject({ end: 'exited', stdout: '1.0\n' })
    process.kill(Number(readFileSync(join(cwd, 'holder'), 'utf8')), 'SIGKILL')
  })

  it('is ended when the user interrupts', async () => {
    const interrupted = new AbortController()
    const { cwd, sh } = setUp({ signal: interrupted.signal })
    const ran = sh('echo $$ > self; sleep 60')
    await written(join(cwd, 'self'))
    interrupted.abort()
    expect(await ran).toEqual({ end: 'interrupted' })
    expect(await isGone(join(cwd, 'self'))).toBe(true)
  })

  it('is not read without end', async () => {
    const ran = await setUp().sh('head -c 3000000 /dev/zero | tr "\\0" x')
    expect(ran.end === 'exited' && ran.stdout.length).toBeLessThan(1_000_000)
  })
})
