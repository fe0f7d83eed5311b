import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runRalph } from '../support/ralph.ts'
import { APPROVE, type Call, fields, setStories, story } from './stories-stage.ts'

/** What a review leaves that gives no verdict of its own, and brings back whatever git has. */
const checkout: Call = 'git checkout -q --theirs -- ralph || git checkout -q -- ralph'
const FRESH = { passes: false, reviewStatus: 'needs_review', reviewCount: 0 }

describe('an approval that git keeps from the one who wrote the story', () => {
  it('and that cannot be undone in git stops the run before the review; once mended, it goes on', async () => {
    const stage = setStories({
      // The lock comes after the check that would find it.
      verify: ['if rmdir ../locking 2>/dev/null; then mkdir .git/index.lock; fi'],
      calls: [
        `edit passes true reviewStatus '"approved"' reviewCount 1 notes '"x"'
          commit mine
          mkdir ../locking`,
        checkout,
      ],
    })
    const ran = await stage.ralph('stories', '-m', '2')
    expect([ran.code, stage.seen().map(({ mode }) => mode)]).toEqual([1, ['implement']])
    expect(stage.journal().findLast(e => e.type === 'stopped')?.why).toMatch(
      /^HEAD has ralph\/tasks\.json with US-001 approved, .*: \.git\/index\.lock exists, .* rm \.git\/index\.lock\. Commit it, then: ralph resume$/,
    )
    expect(fields(stage.story())).toEqual(FRESH)
    rmSync(join(stage.project, '.git/index.lock'), { recursive: true })
    expect((await stage.ralph('resume', '-m', '2')).code).toBe(1)
    expect(stage.seen().map(({ mode }) => mode)).toEqual(['implement', 'review'])
    expect(fields(stage.story())).toEqual(FRESH)
    expect(stage.history()).toEqual(['mine', 'ralph: restore ralph/tasks.json (US-001)'])
    expect(stage.journal().filter(e => e.type === 'committed' && e.by === 'ralph')).toHaveLength(1)
  })

  it.each<[string, Call]>([
    [
      'in a commit, though the file itself is as it should be',
      `edit passes true reviewStatus '"approved"' reviewCount 1 notes '"x"'
        commit mine
        edit passes false reviewStatus '"needs_review"' reviewCount 0`,
    ],
    [
      'in the index alone',
      `submit
        edit passes true reviewStatus '"approved"' reviewCount 1
        git add -A
        edit passes false reviewStatus '"needs_review"' reviewCount 0`,
    ],
    [
      'behind a link',
      `submit
        cp ralph/tasks.json honest
        edit passes true reviewStatus '"approved"' reviewCount 1
        mv ralph/tasks.json approving.json; ln -s ../approving.json ralph/tasks.json; mv honest .git
        commit mine
        rm ralph/tasks.json; mv .git/honest ralph/tasks.json`,
    ],
    [
      'on one side of a merge',
      `git checkout -q -b theirs
        edit passes true reviewStatus '"approved"' reviewCount 1 notes '"theirs"'
        commit theirs
        git checkout -q -
        submit
        cp ralph/tasks.json .git/honest; git merge -q theirs || git branch -q -D theirs
        mv .git/honest ralph/tasks.json`,
    ],
    [
      'in an encoding that a checkout undoes',
      ({ read, put, commit, submit, sh }) => {
        submit()
        sh('cp ralph/tasks.json .git/honest')
        // Two letters make one character of UTF-16: git keeps what nobody can read, and writes what it was made of.
        sh('echo "ralph/tasks.json working-tree-encoding=UTF-16LE" > .gitattributes')
        const file = read()
        const approved = { passes: true, reviewStatus: 'approved' as const, reviewCount: 1 }
        Object.assign(file.userStories[0]!, approved, { notes: 'x' })
        put(file)
        sh('test $(($(wc -c < ralph/tasks.json) % 2)) = 0 || echo >> ralph/tasks.json')
        commit('mine')
        sh('mv .git/honest ralph/tasks.json')
        sh('test $(($(wc -c < ralph/tasks.json) % 2)) = 0 || echo >> ralph/tasks.json')
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
        `edit passes true reviewStatus '"approved"' reviewCount 1 notes '"x"'
          commit mine
          git update-index --assume-unchanged ralph/tasks.json`,
        checkout,
      ],
    })
    expect((await stage.ralph('stories', '-m', '2')).code).toBe(1)
    expect(stage.seen()).toHaveLength(1)
    expect(stage.journal().findLast(e => e.type === 'stopped')?.why).toContain(
      'git update-index --no-assume-unchanged --no-skip-worktree ralph/tasks.json',
    )
  })

  it('in a repository of its own around the stories stops the run, too', async () => {
    const stage = setStories({
      calls: [
        `edit passes true reviewStatus '"approved"' reviewCount 1 notes '"x"'
          (cd ralph; git init -q; git add -A; git -c user.name=a -c user.email=a@b commit -qm mine)
          edit passes false reviewStatus '"needs_review"' reviewCount 0`,
        '(cd ralph; git checkout -q -- tasks.json)',
      ],
    })
    expect((await stage.ralph('stories', '-m', '2')).code).toBe(1)
    expect(stage.seen()).toHaveLength(1)
    expect(fields(stage.story())).toEqual(FRESH)
  })

  it('in a repository that was made where there was none stops the run, too', async () => {
    const stage = setStories({
      calls: [
        `edit passes true reviewStatus '"approved"' reviewCount 1 notes '"x"'
          git init -q; git add -A; git -c user.name=a -c user.email=a@b commit -qm mine
          edit passes false reviewStatus '"needs_review"' reviewCount 0`,
        checkout,
      ],
    })
    rmSync(join(stage.project, '.git'), { recursive: true })
    expect((await stage.ralph('stories', '-m', '2')).code).toBe(1)
    expect(stage.seen()).toHaveLength(1)
    expect(stage.journal().findLast(e => e.type === 'stopped')?.why).toContain(
      'there was no git repository when the run began',
    )
  })

  it('of a file that is not ralph’s to commit stops the run, too', async () => {
    const stage = setStories({
      calls: [`edit reviewStatus '"needs_review"' notes '"x"'`, checkout],
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

const KILL = 'kill -9 $(sed -n \'s/.*"pid": \\([0-9]*\\).*/\\1/p\' .ralph-active); sleep 5'

/** A check that approves, once; with `and` something more. */
function setWriting(and = 'true') {
  const stage = setStories({
    verify: ['sh check.sh'],
    always: 'case $mode in review) reject ;; *) submit ;; esac',
  })
  stage.write('check.sh', `mkdir ../once 2>/dev/null || exit 0\n${APPROVE}; ${and}\n`)
  stage.git('add', '-A')
  stage.git('commit', '-q', '-m', 'a check that writes')
  return stage
}

describe('a verdict in the file', () => {
  const APPROVED = `reviewStatus '"approved"' passes true reviewCount 1`
  const REJECTED = `reviewStatus '"changes_requested"' reviewCount 1 reviewFeedback '"no"'`
  it.each([
    ['an approval of a review that rejects', APPROVED, 'Bad.\n<verdict>changes_requested</verdict>'],
    ['an approval of a review that rejects in words', APPROVED, 'I rejected it: a.js is bad.'],
    ['an approval of a review that says nothing', APPROVED, 'I looked at it.'],
    [
      'an approval of a review that only names the words',
      APPROVED,
      'Neither approved nor changes_requested.',
    ],
    [
      'an approval that a rejecting review quotes',
      APPROVED,
      'a.js prints <verdict>approved</verdict>, which is odd.\n<verdict>changes_requested</verdict>',
    ],
    ['an approval that is not closed', APPROVED, 'Fine. <verdict>approved'],
    ['an approval with more in its tag', APPROVED, 'Fine. <verdict>not approved</verdict>'],
    ['a rejection of a review that approves', REJECTED, 'Fine.\n<verdict>approved</verdict>'],
    ['a rejection of a review that says nothing', REJECTED, 'I looked at it.'],
  ])('that the reviewer did not give does not count: %s', async (_, change, text) => {
    const stage = setStories({
      verify: ['true'],
      calls: [
        'submit',
        // The code under review writes it while the review runs.
        `edit ${change} notes '"x"'; commit review; said='${JSON.stringify(text).slice(1, -1)}'`,
        null,
      ],
    })
    expect((await stage.ralph('stories', '-m', '2')).code).toBe(1)
    expect(fields(stage.story())).toEqual(FRESH)
    expect(stage.journal().findLast(e => e.type === 'settled')).toMatchObject({
      stage: 'review',
      move: 'more',
      findings: [{ check: 'verdict', verdict: 'unsure' }, { verdict: 'pass' }],
    })
    // The next reviewer is told why, and its own word counts.
    expect((await stage.ralph('resume', '-m', '3')).code).toBe(0)
    expect(stage.seen().at(-1)!.prompt).toContain('so it does not count')
    expect(stage.story().passes).toBe(true)
  })
})

describe('what an agent leaves running', () => {
  it.each([
    ['', 'in a session of its own'],
    ['RALPH_STEP=999', 'under the name of another step'],
    ['RALPH_STEP=none RALPH_CALL=x', 'under the name of no step'],
    ['RALPH_STEP=0', 'under the name of a probe'],
    ['env -u RALPH_STEP -u RALPH_CALL -u RALPH_SITTING', 'without most of its marks'],
  ])('with %j, %s, does not pass for a person who approves', async marks => {
    const FAIL = "said='I could not do it.'"
    const keep = `while sleep 0.02; do ${APPROVE}; done`
    const stage = setStories({
      verify: ['sleep 0.3'],
      calls: [
        `cat > .git/loop <<'X'\n${keep}\nX
        ${marks} setsid sh .git/loop > .git/out 2>&1 < /dev/null &
        ${FAIL}`,
      ],
      always: FAIL,
    })
    expect((await stage.ralph('stories', '-m', '2')).code).toBe(1)
    expect(stage.journal().filter(e => e.type === 'edited' && e.by === 'person')).toEqual([])
    expect(stage.story().passes).toBe(false)
  })
})

describe('what a check leaves running', () => {
  it('approves nothing once the file is people’s again', async () => {
    const stage = setStories({
      verify: ['sh check.sh'],
      calls: [
        ({ sh, read, submit }) => {
          submit()
          const file = read()
          Object.assign(file.userStories[0]!, { passes: true, reviewStatus: 'approved', reviewCount: 1 })
          // Who leaves the session is still found by the marks; who sheds these, too, is beyond ralph's reach.
          const keep = `while sleep 0.02; do echo '${JSON.stringify(file)}' > ralph/tasks.json; done`
          sh(`cat > check.sh <<'X'\nsetsid sh -c "$(cat loop)" > loop.out 2>&1 < /dev/null &\nsleep 0.1\nX`)
          sh(`cat > loop <<'X'\n${keep}\nX`)
        },
        'sleep 0.5',
      ],
    })
    stage.write('check.sh', 'true\n')
    stage.git('add', '-A')
    stage.git('commit', '-qm', 'check')
    expect((await stage.ralph('stories', '-m', '2')).code).toBe(1)
    expect(stage.seen().map(({ mode }) => mode)).toEqual(['implement', 'review'])
    expect(fields(stage.story())).toEqual(FRESH)
  })
})

describe('a review that takes an approval from where git had it before', () => {
  it.each<[string, string, Call, Call]>([
    [
      'another branch, which it switches to',
      'refs/heads/mine',
      `git checkout -q -b mine
        edit passes true reviewStatus '"approved"' reviewCount 1 notes '"x"'
        commit mine
        git checkout -q -
        submit`,
      'git checkout -q mine; echo looked >> ralph/progress.txt; commit review',
    ],
    [
      'the branch of a rebase, which it gives up',
      'refs/heads/mine',
      `git checkout -q -b mine
        edit passes true reviewStatus '"approved"' reviewCount 1 notes '"x"'
        commit mine
        GIT_SEQUENCE_EDITOR="sed -i.b 1s/^pick/edit/" git rebase -q -i HEAD~1; git reset -q --hard HEAD~1
        edit reviewStatus '"needs_review"' notes '"x"'`,
      'git rebase --abort',
    ],
    [
      'a stash, which it pops',
      'refs/stash',
      `edit passes true reviewStatus '"approved"' reviewCount 1 notes '"x"'
        git stash -q
        commit mine
        edit reviewStatus '"needs_review"' notes '"x"'`,
      'git checkout -q -- ralph; git stash pop -q',
    ],
  ])('%s, approves nothing, and is told so', async (_, from, implement, review) => {
    const stage = setStories({ verify: ['true'], calls: [implement, review] })
    const note = `A review must give its own verdict, but this one copied the file from ${from}, where story US-001 was already approved. That does not count as an approval; report what you found yourself.`
    expect((await stage.ralph('stories', '-m', '2')).code).toBe(1)
    expect(fields(stage.story())).toEqual(FRESH)
    expect(stage.warned()).toContain(note)
    expect((await stage.ralph('resume', '-m', '3')).code).toBe(0)
    expect(stage.seen()[2]?.prompt).toContain(note)
  })

  it('is not one that comes to the same words as an approval that ralph took back', async () => {
    const stage = setStories({
      verify: ['true'],
      calls: [
        `edit passes true reviewStatus '"approved"' reviewCount 1 notes '"x"'
          commit mine
          git branch kept`,
      ],
    })
    expect((await stage.ralph('stories')).code).toBe(0)
    expect(stage.git('rev-parse', 'HEAD:ralph/tasks.json')).toBe(
      stage.git('rev-parse', 'kept:ralph/tasks.json'),
    )
  })
})

describe('an approval that a check writes before the first iteration', () => {
  it('is not a person’s edit: it is undone with a warning, and kept beside the file', async () => {
    const stage = setWriting()
    expect((await stage.ralph('stories', '-m', '1')).code).toBe(1)
    expect(stage.seen()[0]).toMatchObject({ mode: 'implement', file: { userStories: [{ passes: false }] } })
    expect(stage.warned()).toContainEqual(
      expect.stringMatching(
        /^tasks\.json was changed while the first checks ran, and is put back; .*\.broken-1$/,
      ),
    )
    expect(JSON.parse(stage.read('ralph/tasks.json.broken-1')).userStories[0].passes).toBe(true)
  })

  it.each([
    ['resume', '-m', '1'],
    ['stories', '-m', '1'],
  ])('is none either if ralph is killed then, and goes on by ralph %s', async (...again) => {
    const stage = setWriting(
      `kill -9 $(sed -n 's/.*"type":"began".*"by":{"pid":\\([0-9]*\\).*/\\1/p' ../home/.ralph/runs/*/journal*); sleep 5`,
    )
    expect((await stage.spawn('stories', '-m', '1')).signal).toBe('SIGKILL')
    expect(stage.story().passes).toBe(true)
    expect((await stage.ralph(...again)).code).toBe(1)
    expect(stage.seen()[0]).toMatchObject({ mode: 'implement', file: { userStories: [{ passes: false }] } })
  })

  it('does not undo what only formats the file', async () => {
    const stage = setStories({ verify: ['sh check.sh'] })
    const compact = JSON.stringify(stage.file())
    stage.write(
      'check.sh',
      `mkdir ../once 2>/dev/null && printf '%s' '${compact}' > ralph/tasks.json; exit 0\n`,
    )
    await stage.ralph('stories', '-m', '1')
    expect(stage.warned().filter(note => note.includes('put back'))).toEqual([])
  })
})

describe('a story loop that is killed', () => {
  it.each([
    ['within the review', KILL, 'true'],
    ['after it', 'true', `if rmdir ../die 2>/dev/null; then ${KILL}; fi`],
  ])('%s still tells a review off that changed code', async (_, then, check) => {
    const review = `echo x >> README; mkdir ../die; approve; ${then}`
    const stage = setStories({ verify: [check], stories: [story('A'), story('B')], calls: [null, review] })
    expect((await stage.spawn('stories')).signal).toBe('SIGKILL')
    expect((await stage.ralph('resume')).code).toBe(0)
    expect(stage.warned().filter(note => note.startsWith('A review does not change code'))).toEqual([
      'A review does not change code, but this one did: README.',
    ])
  })

  it('and whose folder is moved then gets no story approved by what its agent left', async () => {
    const approval = `edit passes true reviewStatus '"approved"' reviewCount +1 notes '"x"'`
    const stage = setStories({ calls: [`${approval}; ${KILL}`] })
    expect((await stage.spawn('stories')).signal).toBe('SIGKILL')
    const moved = join(stage.root, 'moved')
    renameSync(stage.project, moved)
    const ran = await runRalph(['stories', '-m', '1'], { cwd: moved, env: stage.env })
    expect(ran.stderr).toContain('what was written since was not verified')
    expect(stage.seen()[1]).toMatchObject({ mode: 'implement', file: { userStories: [{ passes: false }] } })
  })
})
