import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readJournal } from '../../src/store/journal.ts'
import { RALPH } from '../support/ralph.ts'
import { setStage } from './scene.ts'

const checks = (count: number) => ({
  guardrailParallelism: 20,
  guardrails: Array.from({ length: count }, (_, n) => ({ command: `sleep 0.2; true ${n}` })),
})

/** Runs ralph with at most so many open files. */
function runWith(files: number, settings: object) {
  const stage = setStage({ settings })
  const words = `ulimit -n ${files}; exec "$0" "$1" run -p x -m 2`
  const { status, stdout, stderr } = spawnSync('sh', ['-c', words, process.execPath, RALPH], {
    cwd: stage.project,
    env: { LANG: 'C.UTF-8', ...stage.env },
    encoding: 'utf8',
    timeout: 60_000,
  })
  return { stage, status, output: stdout + stderr, stderr }
}

describe('a ralph that may open few files', () => {
  it('works while they are enough', () => {
    const { stage, status, output } = runWith(64, checks(1))
    expect([status, output]).toEqual([0, expect.stringContaining('done, verified')])
    expect(stage.settled()).toHaveLength(1)
  })

  it.each([
    [24, 1],
    [32, 20],
  ])('ends with a line and no stack trace with %i files and %i checks; no check is red', (files, count) => {
    const { stage, status, output } = runWith(files, checks(count))
    expect([status, output]).toEqual([1, expect.not.stringMatching(/\n {4}at /)])
    expect(output).toMatch(/^(?:ralph: error|\S+ stopped): .*(open|EMFILE).*$/m)
    expect(output).not.toContain('✗')
    const runs = join(stage.ralphHome, 'runs')
    const events = existsSync(runs) ? readdirSync(runs).flatMap(id => readJournal(join(runs, id))) : []
    expect(events.filter(e => e.type === 'settled' || e.type === 'baseline')).toEqual([])
  })
})

it('twenty checks at once bring no warning of Node', () => {
  const { status, stderr } = runWith(1024, checks(20))
  expect([status, stderr]).toEqual([0, expect.not.stringContaining('MaxListeners')])
})
