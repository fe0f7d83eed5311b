import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Act } from '../support/agent-script.ts'
import { soon } from '../support/killing.ts'
import { COMPLETION, HONEST, promise, says, setPipeline } from './pipeline-scene.ts'

/** The coder's turn: what it writes. */
const codes = (text: string): Act[] => [['file', 'auth.js', text], promise('IMPLEMENTATION_COMPLETE')]

const PASSES: Act[] = [promise('REVIEW_PASSED')]

const DISMISSES: Act[] = [
  ['file', 'auth.js', 'verify(token)\n// checked by verify\n'],
  says('<dismiss F1>verify() checks it</dismiss>\n<promise>IMPLEMENTATION_COMPLETE</promise>'),
]

/** A pipeline that has ended with this code. */
async function played(code: number, scene: Parameters<typeof setPipeline>[0]) {
  const stage = await setPipeline(scene)
  expect((await stage.ralph('pipeline')).code).toBe(code)
  return stage
}

describe('work that is sent back', () => {
  const FINDING = 'auth.js:1: an expired token is accepted'
  const reject = [says(`No.\n<reject>\n- ${FINDING}\n</reject>`)]

  it('goes to the coder with numbered findings, then through all stages again', async () => {
    const stage = await played(0, {
      roles: {
        coder: [...HONEST.coder!, codes('verify(token)\nexpires\n')],
        reviewer: [reject, PASSES],
      },
    })
    expect(stage.moves().slice(0, 4)).toEqual([
      'coder pass',
      'reviewer reject',
      'coder pass',
      'reviewer pass',
    ])
    expect(stage.promptOf('coder', 2)).toContain(`The work was sent back:\n\nF1 ${FINDING}`)
  })

  it('may be answered: a dismissed finding does not send it back again', async () => {
    const stage = await played(0, {
      roles: {
        coder: [...HONEST.coder!, DISMISSES],
        reviewer: [reject, reject, PASSES],
      },
    })
    expect(stage.moves().slice(0, 5)).toEqual([
      'coder pass',
      'reviewer reject',
      'coder pass',
      'reviewer more',
      'reviewer pass',
    ])
    expect(stage.promptOf('reviewer', 2)).toContain(`F1 ${FINDING}\n   answer: verify() checks it`)
  })

  it('counts again if its lines have changed since it was answered', async () => {
    const stage = await played(0, {
      roles: {
        coder: [
          ...HONEST.coder!,
          DISMISSES,
          codes('expires(verify(token))\n'),
          codes('verify(token), expires\n'),
        ],
        reviewer: [reject, [says('<reject>auth.js:2: the comment is wrong</reject>')], reject, PASSES],
      },
    })
    expect(stage.moves().filter(move => move === 'reviewer reject')).toHaveLength(3)
  })

  it('does not come back without a finding that has a file, a line and a failure', async () => {
    const stage = await played(0, {
      roles: { reviewer: [[says('<reject>I do not like it.</reject>')], PASSES] },
    })
    expect(stage.moves().slice(0, 3)).toEqual(['coder pass', 'reviewer more', 'reviewer pass'])
    expect(stage.promptOf('reviewer', 2)).toContain(
      'Your rejection did not count: it has no line of the form',
    )
  })

  it('that did not count is explained until an agent has come to its end: one that is killed may not have read it', async () => {
    const stage = await setPipeline({
      settings: { killGrace: 0.2 },
      roles: {
        reviewer: [
          [says('<reject>I do not like it.</reject>')],
          [
            ['append', '../begun', '.'],
            ['sleep', 60],
          ],
          [promise('REVIEW_PASSED')],
        ],
      },
    })
    const ralph = stage.start('pipeline')
    expect(await soon(() => existsSync(join(stage.root, 'begun')))).toBe(true)
    ralph.kill('SIGKILL')
    await ralph.ended
    expect((await stage.ralph('resume')).code).toBe(0)
    for (const nth of [2, 3])
      expect(stage.promptOf('reviewer', nth)).toContain('Your rejection did not count: it has no line')
  })

  it('does not come back for what the task does not touch: that is proposed as a follow-up', async () => {
    const stage = await played(0, {
      roles: {
        reviewer: [
          [says('<reject>\nold.js:3: leaks a file handle\nREADME.md:1: is out of date\n</reject>')],
          PASSES,
        ],
      },
    })
    expect(stage.moves().slice(0, 3)).toEqual(['coder pass', 'reviewer more', 'reviewer pass'])
    expect(stage.promptOf('reviewer', 2)).toContain('files that this task does not change')
    const { stdout } = await stage.ralph('report')
    expect(stdout).toContain('proposed follow-ups')
    expect(stdout).toMatch(
      /old\.js:3: leaks a file handle \(found with T1; to make it a task: ralph task\s+followup/,
    )
  })

  it('unchanged, twice, is a question to a person', async () => {
    const stage = await played(1, {
      roles: { reviewer: [reject, [says('<reject>auth.js:1: something else</reject>')]] },
    })
    expect(stage.moves()).toEqual(['coder pass', 'reviewer reject', 'coder pass', 'reviewer ask'])
    expect(stage.stored('T1')).toMatchObject({
      status: 'blocked',
      metadata: { reason: expect.stringContaining('sends the same work back again') },
    })
  })

  it('more than `rounds` times fails', async () => {
    const coder = ['a', 'b', 'c'].map(word => codes(`verify(token) ${word}\n`))
    const stage = await played(1, {
      roles: { coder, reviewer: [reject] },
      settings: { pipeline: { rounds: 1 } },
    })
    expect(stage.moves()).toEqual(['coder pass', 'reviewer reject', 'coder pass', 'reviewer capped'])
    expect(stage.stored('T1').status).toBe('failed')
  })

  it('comes back too if a command is red at a role that cannot mend it', async () => {
    const qa = { verification_method: 'external', verification_config: { command: 'grep -q logout auth.js' } }
    const stage = await played(0, {
      tasks: [{ id: 'T1', title: 'Validate tokens', completion: { ...COMPLETION, qa } }],
      roles: {
        coder: [...HONEST.coder!, codes('verify(token)\nlogout\n')],
      },
    })
    expect(stage.moves().slice(3, 5)).toEqual(['qa reject', 'coder pass'])
    expect(stage.promptOf('coder', 2)).toContain('Command exited with 1, expected 0 (grep -q logout auth.js)')
  })

  it('by a tester whose test shows a bug is mended by the coder', async () => {
    const test = ['file', 'auth.test.js', 'grep -q expires auth.js\n'] as Act
    const tester = { verification_method: 'external', verification_config: { command: 'sh auth.test.js' } }
    const stage = await played(0, {
      tasks: [{ id: 'T1', title: 'Validate tokens', completion: { ...COMPLETION, tester } }],
      roles: {
        coder: [...HONEST.coder!, codes('verify(token)\nexpires\n')],
        tester: [
          [test, says('<reject>auth.js:1: auth.test.js shows that nothing expires</reject>')],
          [promise('TESTS_PASSED')],
        ],
      },
    })
    expect(stage.moves()).toEqual([
      'coder pass',
      'reviewer pass',
      'tester reject',
      'coder pass',
      'reviewer pass',
      'tester pass',
      'qa pass',
    ])
  })
})

describe('a role that only looks', () => {
  it('has its changes put back, and is told; its promise does not count', async () => {
    const stage = await setPipeline({
      roles: {
        reviewer: [
          [['file', 'auth.js', 'mended\n'], ['file', 'new/file.js', 'x\n'], promise('REVIEW_PASSED')],
          PASSES,
        ],
      },
    })
    mkdirSync(join(stage.project, 'new'))
    expect((await stage.ralph('pipeline')).code).toBe(0)
    expect(stage.moves().slice(0, 3)).toEqual(['coder pass', 'reviewer more', 'reviewer pass'])
    expect(stage.read('auth.js')).toBe('verify(token)\n')
    expect(existsSync(join(stage.project, 'new/file.js'))).toBe(false)
    expect(stage.promptOf('reviewer', 2)).toContain(
      'You changed files, and the changes were put back: auth.js, new/file.js. The reviewer changes no file',
    )
    const note = 'T1: the reviewer changed files, which it must not; they were put back: auth.js, new/file.js'
    expect(stage.journal().some(event => event.type === 'warned' && event.note === note)).toBe(true)
  })

  it('may still send the work back; the coder hears nothing of the changes', async () => {
    const stage = await played(0, {
      roles: {
        coder: [...HONEST.coder!, codes('verify(token), expires\n')],
        reviewer: [
          [['file', 'auth.js', 'mended\n'], says('<reject>auth.js:1: never expires</reject>')],
          PASSES,
        ],
      },
    })
    expect(stage.moves().slice(0, 3)).toEqual(['coder pass', 'reviewer reject', 'coder pass'])
    expect(stage.promptOf('coder', 2)).not.toContain('put back')
  })
})
