import { expect, it } from 'vitest'
import { type Call, setStories } from './stories-stage.ts'

it.each<[string, Call, string]>([
  [
    'another branch',
    'git switch -q -c mine; submit',
    "After this iteration the branch is mine (it was main), and ralph's commits go there too. Go back unless the switch was asked for.",
  ],
  [
    'a detached HEAD',
    'submit; git checkout -q --detach',
    "After this iteration HEAD is detached (it was main), and ralph's commits go there too. Go back unless the switch was asked for.",
  ],
  [
    'a rebase',
    'submit; GIT_SEQUENCE_EDITOR="sed -i s/^pick/edit/" git rebase -q -i HEAD~1 2>&1; git status > /dev/null',
    'The git repository is not in order: a rebase is in progress. Finish or undo it.',
  ],
  [
    'a merge',
    `git branch theirs
      submit
      git switch -q theirs; git commit -q --allow-empty -m theirs; git switch -q main
      git merge -q --no-commit --no-ff theirs`,
    'The git repository is not in order: a merge is in progress. Finish or undo it.',
  ],
])('an iteration that leaves %s is told in the journal and in the next prompt', async (_, act, says) => {
  const stage = setStories({ calls: [act] })
  await stage.ralph('stories', '-m', '2')
  expect(stage.warned()).toContain(says)
  expect(stage.seen()[1]!.prompt).toContain(`- ${says}`)
})

it('the branch of the stories, or the way back to it, is no news; nor is what a person left unfinished', async () => {
  const stage = setStories({
    calls: [
      'git switch -q -c ralph/shop; submit',
      'git switch -q main; git merge -q --ff-only ralph/shop; approve',
    ],
  })
  stage.write('.git/REVERT_HEAD', stage.git('rev-parse', 'HEAD'))
  await stage.ralph('stories', '-m', '2')
  expect(stage.warned().filter(note => /branch|repository/.test(note))).toEqual([
    expect.stringMatching(/^this is the branch main, but ralph\/tasks\.json is for ralph\/shop: /),
  ])
})

it('a lock that lasts is a red finding with its file and the way out; nothing is approved until it is gone', async () => {
  const stage = setStories({
    calls: ['submit; mkdir .git/HEAD.lock', 'rmdir .git/HEAD.lock', null],
  })
  expect((await stage.ralph('stories', '-m', '4')).code).toBe(0)
  const [, told] = stage.seen()
  expect(told!.mode).toBe('implement')
  expect(told!.prompt).toContain('if no git is running, remove it: rm .git/HEAD.lock')
  const settled = stage.settled()
  expect(settled.map(e => e.findings.map(f => f.verdict))).toEqual([['fail'], [], [], []])
})

it('a commit of ralph’s own that fails leaves the run unverified', async () => {
  const stage = setStories({
    verify: ['if rmdir ../locking 2>/dev/null; then mkdir .git/HEAD.lock; fi'],
    calls: [
      null,
      // Ralph takes the title back, and has to commit that.
      `edit title '"Another title"'; approve; mkdir ../locking`,
    ],
  })
  await stage.ralph('stories', '-m', '2')
  expect(stage.journal().findLast(e => e.type === 'finished')).toMatchObject({
    result: 'complete',
    proof: 'claimed',
    why: expect.stringMatching(/^commit: ralph\/tasks\.json is left uncommitted: \.git\/HEAD\.lock exists/),
  })
})
