import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Call, fields, setStories } from './stories-stage.ts'

/** What a review leaves that gives no verdict of its own, and brings back whatever git has. */
const checkout: Call = ({ sh }) => void sh('rm -f .git/index.lock; git checkout -q -- ralph')
const FRESH = { passes: false, reviewStatus: 'needs_review', reviewCount: 0 }

describe('an approval that git keeps from the one who wrote the story', () => {
  it('and that cannot be undone in git stops the run before the review; once mended, it goes on', async () => {
    const stage = setStories({
      verify: ['true'],
      calls: [
        ({ edit, commit, sh }) => {
          edit({ passes: true, reviewStatus: 'approved', reviewCount: 1, notes: 'x' })
          commit('mine')
          sh('touch .git/index.lock')
        },
        checkout,
      ],
    })
    const ran = await stage.ralph('stories', '-m', '2')
    expect([ran.code, stage.seen().map(({ mode }) => mode)]).toEqual([1, ['implement']])
    expect(stage.journal().findLast(e => e.type === 'stopped')?.why).toMatch(
      /^HEAD has ralph\/tasks\.json with US-001 approved, .*: \.git\/index\.lock is there, .* rm \.git\/index\.lock\. Commit it, then: ralph resume$/,
    )
    expect(fields(stage.story())).toEqual(FRESH)
    rmSync(join(stage.project, '.git/index.lock'))
    expect((await stage.ralph('resume', '-m', '2')).code).toBe(1)
    expect(stage.seen().map(({ mode }) => mode)).toEqual(['implement', 'review'])
    expect(fields(stage.story())).toEqual(FRESH)
    expect(stage.history()).toEqual(['mine', 'ralph: restore ralph/tasks.json (US-001)'])
    expect(stage.journal().filter(e => e.type === 'committed' && e.by === 'ralph')).toHaveLength(1)
  })

  it.each<[string, Call]>([
    [
      'in a commit, though the file itself is as it should be',
      ({ edit, commit }) => {
        edit({ passes: true, reviewStatus: 'approved', reviewCount: 1, notes: 'x' })
        commit('mine')
        edit({ passes: false, reviewStatus: 'needs_review', reviewCount: 0 })
      },
    ],
    [
      'in the index alone',
      ({ edit, submit, git }) => {
        submit()
        edit({ passes: true, reviewStatus: 'approved', reviewCount: 1 })
        git('add', '-A')
        edit({ passes: false, reviewStatus: 'needs_review', reviewCount: 0 })
      },
    ],
    [
      'behind a link',
      ({ edit, commit, submit, sh }) => {
        submit()
        sh('cp ralph/tasks.json honest')
        edit({ passes: true, reviewStatus: 'approved', reviewCount: 1 })
        sh('mv ralph/tasks.json approving.json; ln -s ../approving.json ralph/tasks.json; mv honest .git')
        commit('mine')
        sh('rm ralph/tasks.json; mv .git/honest ralph/tasks.json')
      },
    ],
  ])('%s is no verdict of a review that brings it back', async (_, implement) => {
    const stage = setStories({ verify: ['true'], calls: [implement, checkout] })
    expect((await stage.ralph('stories', '-m', '2')).code).toBe(1)
    expect(stage.seen().map(({ mode }) => mode)).toEqual(['implement', 'review'])
    expect(fields(stage.story())).toEqual(FRESH)
  })

  it('and that git is told to overlook stops the run, with the command that mends it', async () => {
    const stage = setStories({
      calls: [
        ({ edit, commit, git }) => {
          edit({ passes: true, reviewStatus: 'approved', reviewCount: 1, notes: 'x' })
          commit('mine')
          git('update-index', '--assume-unchanged', 'ralph/tasks.json')
        },
        checkout,
      ],
    })
    expect((await stage.ralph('stories', '-m', '2')).code).toBe(1)
    expect(stage.seen()).toHaveLength(1)
    expect(stage.journal().findLast(e => e.type === 'stopped')?.why).toContain(
      'git update-index --no-assume-unchanged --no-skip-worktree ralph/tasks.json',
    )
  })

  it('of a file that is not ralph’s to commit stops the run, too', async () => {
    const stage = setStories({
      calls: [({ edit }) => edit({ reviewStatus: 'needs_review', notes: 'x' }), checkout],
    })
    const [only] = stage.file().userStories
    const done = { passes: true, reviewStatus: 'approved', reviewCount: 1, notes: 'x' } as const
    stage.put({ ...stage.file(), userStories: [{ ...only!, ...done }] })
    stage.git('commit', '-qam', 'approved once')
    stage.put({ ...stage.file(), userStories: [only!] })
    expect((await stage.ralph('stories', '-m', '2')).code).toBe(1)
    expect(stage.journal().findLast(e => e.type === 'stopped')?.why).toContain(
      'you had not committed it before the run',
    )
  })
})
