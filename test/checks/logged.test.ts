import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runLogged } from '../../src/checks/logged.ts'
import { failureOf } from '../../src/checks/message.ts'
import { processRunner } from '../../src/runners/process.ts'
import { scratch } from '../support/scratch.ts'

async function run(script: string, most?: { written: number; kept: number }) {
  const dir = scratch()
  const runner = processRunner({ run: 'logged-test', graceMs: 100 })
  onTestFinished(() => runner.close())
  const path = join(dir, 'log')
  const command = { argv: ['sh', '-c', script], cwd: dir, env: { PATH: process.env.PATH ?? '' }, stdin: '' }
  const log = { path, timeout: 20, most }
  const ran = await runLogged(runner.startToFile, command, 1, log, new AbortController().signal)
  return { why: failureOf(ran), path }
}

describe('a command whose output goes to a log', () => {
  it('is ended when it fills the disk, and of what it wrote the beginning is kept', async () => {
    const { why, path } = await run('echo first; exec yes', { written: 2e6, kept: 1000 })
    expect(why).toBe('wrote more than 0.002 GB, and was ended')
    expect(statSync(path).size).toBe(1000)
    expect(readFileSync(path, 'utf8')).toMatch(/^first\ny\n/)
  })

  it('is red for its own reason where it ended before anyone looked; its log is cut all the same', async () => {
    const { why, path } = await run('yes | head -c 3000000; exit 3', { written: 2e6, kept: 1000 })
    expect([why, statSync(path).size]).toEqual(['failed with exit code 3', 1000])
  })

  it('keeps all that it wrote below that', async () => {
    const { why, path } = await run('yes | head -c 3000000')
    expect([why, statSync(path).size]).toEqual([null, 3_000_000])
  })
})
