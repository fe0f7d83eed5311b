import { openSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { lastLineOf, logHead } from '../../src/checks/excerpt.ts'
import { processClock } from '../../src/host/clock.ts'
import { runLogged } from '../../src/runners/logged.ts'
import { processRunner } from '../../src/runners/process/process.ts'
import { scratch } from '../support/scratch.ts'

type How = { limits?: { written: number; kept: number }; excerpt?(fd: number): string; open?(): number }

async function run(script: string, how: How = {}) {
  const dir = scratch()
  const runner = processRunner({ run: 'logged-test', graceMs: 100 })
  onTestFinished(() => runner.close())
  const path = join(dir, 'log')
  const command = { argv: ['sh', '-c', script], cwd: dir, env: { PATH: process.env.PATH ?? '' }, stdin: '' }
  const log = {
    open: () => openSync(path, 'w+'),
    excerpt: () => '',
    timeout: 20,
    clock: processClock(),
    ...how,
  }
  const ran = await runLogged(runner.startToFile, command, 1, log, new AbortController().signal)
  return { why: ran.failure, excerpt: ran.excerpt, path }
}

describe('a command whose output goes to a log', () => {
  it('is ended when it fills the disk, and of what it wrote the beginning is kept', async () => {
    const { why, path } = await run('echo first; exec yes', { limits: { written: 2e6, kept: 1000 } })
    expect(why).toBe('wrote more than 0.002 GB, and was ended')
    expect(statSync(path).size).toBe(1000)
    expect(readFileSync(path, 'utf8')).toMatch(/^first\ny\n/)
  })

  it('is red for its own reason where it ended before anyone looked; its log is cut all the same', async () => {
    const { why, path } = await run('yes | head -c 3000000; exit 3', { limits: { written: 2e6, kept: 1000 } })
    expect([why, statSync(path).size]).toEqual(['failed with exit code 3', 1000])
  })

  it('keeps all that it wrote below that', async () => {
    const { why, path } = await run('yes | head -c 3000000')
    expect([why, statSync(path).size]).toEqual([null, 3_000_000])
  })

  it('is told of from the very log that it wrote to, whatever became of the path', async () => {
    const script = 'echo first; echo; echo last; rm log; echo other > log; exit 3'
    const ofHead = await run(script, { excerpt: fd => logHead(fd, 2) })
    expect([ofHead.why, ofHead.excerpt]).toEqual(['failed with exit code 3', 'first\n\nlast\n'])
    expect((await run(script, { excerpt: lastLineOf })).excerpt).toBe('last')
    expect((await run('exit 3', { excerpt: lastLineOf })).excerpt).toBe('')
    expect((await run('yes | head -c 10000; echo last; exit 3', { excerpt: lastLineOf })).excerpt).toBe(
      'last',
    )
  })

  it('takes no more memory to tell of than it wrote', async () => {
    expect((await run('echo no; exit 3', { excerpt: fd => logHead(fd, 1e15) })).excerpt).toBe('no\n')
  })

  it('could not be run where there is no log for it', async () => {
    const { why, excerpt } = await run('true', { open: () => openSync('/nonexistent/log', 'w+') })
    expect([why, excerpt]).toEqual([expect.stringMatching(/^could not be run: ENOENT/), ''])
  })
})
