import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { soon } from '../support/killing.ts'
import { ending, refusal } from './scene.ts'
import { fields, setStories, story } from './stories-stage.ts'

const marker = (stage: ReturnType<typeof setStories>) => join(stage.project, '.ralph-active')

describe('.ralph-active', () => {
  it('tells hooks of the loop and of the iteration, and is gone after success', async () => {
    const stage = setStories({
      stories: [
        story('A'),
        story('B', { passes: true, reviewStatus: 'approved', reviewCount: 1, notes: 'x' }),
      ],
    })
    expect((await stage.ralph('stories', '-m', '4', '--review-cap', '2')).code).toBe(0)
    const [first, second] = stage.seen()
    const done = { passes: true, reviewStatus: 'approved', reviewCount: 1 }
    expect(first!.marker).toEqual({
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      pid: expect.any(Number),
      max_iterations: 4,
      mode: 'direct',
      skipReview: false,
      reviewCap: 2,
      iterationMode: 'implement',
      preIterationSnapshot: { A: { passes: false, reviewStatus: null, reviewCount: 0 }, B: done },
    })
    expect(second!.marker).toMatchObject({
      iterationMode: 'review',
      preIterationSnapshot: { A: { passes: false, reviewStatus: 'needs_review', reviewCount: 0 }, B: done },
    })
    expect(existsSync(marker(stage))).toBe(false)
  })

  it.each([
    ['that runs stays as it is', process.ppid, true],
    ['that is dead is replaced, and removed at the end', 2 ** 22 + 1, false],
  ])('of another loop %s', async (_, pid, stays) => {
    const stage = setStories()
    const other = `${JSON.stringify({ pid, mode: 'direct' }, null, 2)}\n`
    writeFileSync(marker(stage), other)
    writeFileSync(join(stage.project, '.git/info/exclude'), '.ralph-active\n')
    expect((await stage.ralph('stories', '--shared')).code).toBe(0)
    expect(stage.seen()[0]!.marker!.pid).toBe(stays ? pid : process.pid)
    expect(existsSync(marker(stage)) && stage.read('.ralph-active')).toBe(stays && other)
  })

  it('is committed by nobody, though nothing in the repository ignores it', async () => {
    const stage = setStories()
    expect((await stage.ralph('stories')).code).toBe(0)
    expect(stage.git('log', '--format=', '--name-only', '--', '.ralph-active')).toBe('')
    expect(existsSync(join(stage.project, '.gitignore'))).toBe(false)
  })

  it('nor are ralph’s logs, though the agent goes back behind the commit of what ignores them', async () => {
    const stage = setStories({
      calls: ['commit all; git reset -q --hard HEAD~1; submit'],
    })
    expect((await stage.ralph('stories')).code).toBe(0)
    expect(stage.git('log', '--all', '--format=', '--name-only', '--', '.ralph/sessions')).toBe('')
  })

  it('is gone after failure', async () => {
    const stage = setStories({
      settings: { maxConsecutiveFailures: 1 },
      calls: ['(exit 3)'],
    })
    expect((await stage.ralph('stories')).code).toBe(1)
    expect(existsSync(marker(stage))).toBe(false)
  })

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)('is gone after %s', async signal => {
    const stage = setStories({ calls: ['sleep 60'], settings: { killGrace: 0.2 } })
    const ralph = stage.start('stories')
    expect(await soon(() => existsSync(join(stage.root, 'seen', '1.about')))).toBe(true)
    ralph.kill(signal)
    if (signal === 'SIGINT' || signal === 'SIGTERM') {
      await soon(() => false, 300)
      ralph.kill(signal)
    }
    expect((await ralph.ended).code).toBe(130)
    expect(existsSync(marker(stage))).toBe(false)
  })

  it('is gone though a last signal ends ralph where it stands', async () => {
    const stage = setStories({
      calls: ['(trap "" TERM; sleep 60)'],
      settings: { killGrace: 30 },
    })
    const ralph = stage.start('stories')
    expect(await soon(() => existsSync(join(stage.root, 'seen', '1.about')))).toBe(true)
    for (let i = 0; i < 3; i++) {
      ralph.kill('SIGINT')
      await soon(() => false, 300)
    }
    expect((await ralph.ended).code).toBe(130)
    expect(existsSync(marker(stage))).toBe(false)
  })
})

describe('the environment of an agent', () => {
  it('names the workflow, the stage, the folder, and a snapshot that is not in the project', async () => {
    const stage = setStories({ calls: [null, 'reject'] })
    writeFileSync(join(stage.project, 'mine'), 'x')
    expect((await stage.ralph('stories')).code).toBe(0)
    const seen = stage.seen()
    expect(seen.map(({ env }) => env.RALPH_STAGE)).toEqual(['implement', 'review', 'fix', 'review'])
    expect(new Set(seen.map(({ env }) => `${env.RALPH_WORKFLOW} ${env.RALPH_DIR}`))).toEqual(
      new Set([`stories ${join(stage.project, 'ralph')}`]),
    )
    expect(seen[0]!.env.RALPH_SNAPSHOT).toMatch(new RegExp(`^${stage.ralphHome}/runs/`))
    expect(seen[0]!.gate).toEqual({
      skipReview: false,
      reviewCap: 5,
      iterationMode: 'implement',
      preIterationSnapshot: { 'US-001': { passes: false, reviewStatus: null, reviewCount: 0 } },
      dirtyBefore: ['mine'],
      step: 1,
    })
    expect(seen[2]!.gate).toMatchObject({
      iterationMode: 'review-fix',
      preIterationSnapshot: {
        'US-001': { passes: false, reviewStatus: 'changes_requested', reviewCount: 1 },
      },
    })
  })
})

describe('what was uncommitted before an iteration', () => {
  it.each([
    ['what the agent before left, and not what it committed', [], ['left']],
    ['what the checks after it left', ['echo x >> by-check'], ['by-check', 'left']],
  ])('is %s', async (_, verify, paths) => {
    const stage = setStories({
      verify,
      stories: [story('US-001'), story('US-002')],
      calls: [
        `echo x > made; edit passes true notes '"x"'; commit all; echo x > left`,
        `edit passes true notes '"x"'`,
      ],
    })
    expect((await stage.ralph('stories', '--skip-review', '-m', '2')).code).toBe(0)
    expect(stage.seen()[1]!.gate.dirtyBefore).toEqual(paths)
  })
})

describe('trust in verifyCommands', () => {
  const untrusted = (settings?: unknown) => {
    const stage = setStories({ verify: ['touch ran'], settings })
    const { RALPH_TRUST: _, ...env } = stage.env
    return { ...stage, ralph: (...args: string[]) => stage.withEnv(env, ...args) }
  }

  it('is asked for before any of them runs, and given by `ralph trust`, which shows them', async () => {
    const stage = untrusted()
    const ran = await stage.ralph('stories')
    expect(ran).toMatchObject(refusal('ralph/tasks.json verifyCommands[0]: touch ran'))
    expect(existsSync(join(stage.project, 'ran'))).toBe(false)
    expect((await stage.ralph('trust')).stdout).toContain('ralph/tasks.json verifyCommands[0]  touch ran')
    expect((await stage.ralph('stories', '--once')).code).toBe(0)
    stage.put({ ...stage.file(), verifyCommands: ['touch other'] })
    expect((await stage.ralph('stories', '--once')).code).toBe(2)
  })

  it('given by `ralph trust` holds for the settings alone, too', async () => {
    const stage = untrusted({ guardrails: [{ command: 'true' }] })
    expect((await stage.ralph('trust')).code).toBe(0)
    expect((await stage.ralph('run', '-p', 'x', '-m', '1', '-c', '')).code).not.toBe(2)
    expect((await stage.ralph('stories', '--once')).code).toBe(0)
  })

  it('does not stumble over a file that nobody filled in yet', async () => {
    const stage = untrusted()
    stage.put({ ...stage.file(), userStories: [] })
    expect((await stage.ralph('trust')).code).toBe(0)
    stage.write('ralph/tasks.json', '{')
    expect((await stage.ralph('trust')).code).toBe(0)
  })
})

describe('an interrupted story loop', () => {
  it('goes on where it was: an interrupted review does not count', async () => {
    const stage = setStories({
      calls: [null, 'approve; sleep 60'],
      settings: { killGrace: 0.2 },
    })
    const ralph = stage.start('stories')
    expect(await soon(() => stage.log()[0] === 'review: [US-001] - approved')).toBe(true)
    ralph.kill('SIGHUP')
    expect((await ralph.ended).code).toBe(130)
    expect(fields(stage.story())).toEqual({ passes: false, reviewStatus: 'needs_review', reviewCount: 0 })
    expect((await stage.ralph('resume')).code).toBe(0)
    expect(fields(stage.story())).toEqual({ passes: true, reviewStatus: 'approved', reviewCount: 1 })
    expect(stage.seen()[2]).toMatchObject({ mode: 'review', prompt: expect.stringContaining('half-edited') })
  })

  it('that is cancelled leaves the stories as they stand, not as the agent wrote them', async () => {
    const stage = setStories({
      calls: [`edit passes true reviewStatus '"approved"' notes '"x"'; sleep 60`],
      settings: { killGrace: 0.2 },
    })
    const ralph = stage.start('stories')
    expect(await soon(() => stage.story().passes)).toBe(true)
    expect((await stage.ralph('cancel')).code).toBe(0)
    expect((await ralph.ended).code).toBe(1)
    expect(stage.story().passes).toBe(false)
  })

  it('is shown by status and report, and taken back by undo', async () => {
    const calls = [null, null, `edit passes true notes '"x"'; commit mine`]
    const stage = setStories({ stories: [story('US-001'), story('US-002')], verify: ['true'], calls })
    const before = stage.git('rev-parse', 'HEAD')
    expect((await stage.ralph('stories', '-m', '3', '--review-cap', '2')).code).toBe(1)
    const status = await stage.ralph('status')
    expect(status).toMatchObject(ending(0, 'tasks      1 of 2 completed'))
    expect(await stage.ralph('report')).toMatchObject(ending(0, /review[\s\S]*US-002/))
    expect(stage.log()[0]).toBe('ralph: restore ralph/tasks.json (US-002)')
    const undone = await stage.ralph('undo', '--yes')
    expect([undone.code, undone.stderr]).toEqual([0, ''])
    expect(stage.git('rev-parse', 'HEAD')).toBe(before)
    expect(stage.git('status', '--porcelain', '--', ':!.ralph')).toBe('')
    expect(fields(stage.story())).toEqual({ passes: false, reviewStatus: null, reviewCount: 0 })
  })

  it('with odd ids is like any other', async () => {
    const stage = setStories({ stories: [story('__proto__'), story('constructor')], verify: ['true'] })
    expect((await stage.ralph('stories')).code).toBe(0)
    expect(stage.file().userStories.map(s => [s.passes, s.reviewCount])).toEqual([
      [true, 1],
      [true, 1],
    ])
  })

  it('works without a git repository, too', async () => {
    const stage = setStories({
      git: false,
      calls: [`edit reviewStatus '"needs_review"' passes true notes '"x"'`],
    })
    expect((await stage.ralph('stories')).code).toBe(0)
    expect(stage.seen()[1]!.prompt).toContain('Only review iterations may approve')
  })
})
