import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { item, plans, says, setBuild } from '../../cli/build-scene.ts'
import { setPipeline } from '../../cli/pipeline-scene.ts'
import { setStories } from '../../cli/stories-stage.ts'
import { addSbx } from '../../support/sbx.ts'
import { promised, sayCall } from './docker-place.ts'

type Stage = { root: string; bin: string; project: string; env: Record<string, string> }

/** The stand-in for sbx on the PATH of a stage, and a commit to begin from. */
function addSandbox({ root, bin, project, env }: Stage) {
  const state = join(root, 'sbx')
  const sbx = addSbx(bin, state)
  const git = (...words: string[]) => execFileSync('git', words, { cwd: project, encoding: 'utf8' }).trim()
  git('config', 'user.name', 'Somebody')
  git('config', 'user.email', 'somebody@example.org')
  git('add', '-A')
  git('commit', '-q', '--allow-empty', '-m', 'Begin')
  onTestFinished(sbx.endServers)
  return {
    git,
    env: { ...env, SBX_STATE: state, SBX_PATH: env.PATH ?? '', LANG: 'C.UTF-8' },
    calls: () => sbx.calls().map(words => sayCall(words, project)),
    /** How often a program was run inside, by the first of these words that a call has. */
    inside(...programs: string[]): Record<string, number> {
      const execs = sbx.calls().filter(([verb]) => verb === 'exec')
      const count = (program: string) =>
        execs.filter(words => words.some(word => word.endsWith(program))).length
      return Object.fromEntries(programs.map(program => [program, count(program)]))
    },
  }
}

test('a build plans, works and fixes inside; its list is read and written there', async () => {
  const stage = setBuild({
    plan: [plans(item(1), item(2, ['#1']))],
    work: {
      '#1': [
        [
          ['file', 'red', ''],
          ['claude', 'Made it.'],
        ],
        says('Made it.'),
      ],
      '#1-bug-1': [
        [
          ['remove', 'red'],
          ['claude', 'Mended.'],
        ],
      ],
    },
  })
  const { env, git, inside } = addSandbox(stage)
  const { code, stdout } = await stage.withEnv(
    env,
    'build',
    'Make it',
    '--refine',
    'off',
    '--sandbox',
    '--check',
    'test ! -e red',
  )
  expect([code, stdout]).toEqual([0, expect.stringContaining('done, verified')])
  expect(stage.list().map(({ id, status }) => `${id} ${status}`)).toEqual(
    expect.arrayContaining(['#1 completed', '#2 completed']),
  )
  expect(inside('claude', 'test ! -e red').claude).toBe(stage.asked().length)
  expect(git('status', '--short')).toContain('made-#2')
})

test('a story loop implements and reviews inside; the commits of its agent come back', async () => {
  const stage = setStories({ verify: ['test -e ralph/tasks.json'] })
  const { env, git, inside } = addSandbox(stage)
  const { code, stdout } = await stage.withEnv(env, 'stories', '--sandbox')
  expect([code, stdout]).toEqual([0, expect.stringContaining('done, verified')])
  expect(stage.story()).toMatchObject({ passes: true, reviewStatus: 'approved' })
  expect(stage.seen().map(({ mode }) => mode)).toEqual(['implement', 'review'])
  // The marker was there too.
  expect(stage.seen().every(({ marker }) => marker !== null)).toBe(true)
  expect(inside('claude').claude).toBe(2)
  expect(git('log', '--format=%s')).toBe(
    'review: [US-001] - approved\nfeat: [US-001] - the story\nBegin\nstories\nstart',
  )
  expect(git('status', '--short')).toBe('')
})

test('a pipeline has all its roles and its judge inside', async () => {
  const stage = await setPipeline()
  const { env, inside, calls } = addSandbox(stage)
  const { code, stdout } = await stage.withEnv(env, 'pipeline', '--spec', 'auth', '--sandbox')
  expect([code, stdout]).toEqual([0, expect.stringContaining('verified')])
  expect(stage.moves()).toEqual(['coder pass', 'reviewer pass', 'tester pass', 'qa pass'])
  const found = inside('claude', 'judge', 'grep -q verify auth.js')
  expect(found).toMatchObject({ claude: stage.asked().length, judge: 1 })
  expect(found['grep -q verify auth.js']).toBeGreaterThan(0)
  expect(calls()).toEqual(expect.arrayContaining(promised('judge')))
  expect(readFileSync(join(stage.bin, 'judge.place'), 'utf8')).toMatch(/^\/tmp\/ralph-judge-\w+\/empty\n0\n$/)
})
