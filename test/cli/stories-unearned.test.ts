import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { APPROVE, type Call, fields, setStories, story } from './stories-stage.ts'

const FRESH = { passes: false, reviewStatus: 'needs_review', reviewCount: 0 }

describe('an approval that git keeps from the one who wrote the story', () => {
  const APPROVED = `edit passes true reviewStatus '"approved"' reviewCount 1 notes '"x"'`
  it.each<[string, Call, Call]>([
    [
      'in HEAD',
      `${APPROVED}
        commit mine
        edit passes false reviewStatus '"needs_review"' reviewCount 0`,
      'git checkout -q HEAD -- ralph',
    ],
    [
      'in the index',
      `${APPROVED}
        git add -A
        edit passes false reviewStatus '"needs_review"' reviewCount 0
        git update-index --assume-unchanged ralph/tasks.json`,
      'git update-index --no-assume-unchanged ralph/tasks.json; git checkout -q -- ralph',
    ],
    [
      'on another branch',
      `git checkout -q -b mine
        ${APPROVED}
        commit mine
        git checkout -q -
        submit`,
      'git checkout -q mine; echo looked >> ralph/progress.txt; commit review',
    ],
    [
      'in a stash',
      `${APPROVED}
        git stash -q
        commit mine
        edit reviewStatus '"needs_review"' notes '"x"'`,
      'git checkout -q -- ralph; git stash pop -q',
    ],
  ])('%s is no verdict of a review that only brings it back', async (_, implement, review) => {
    const stage = setStories({
      verify: ['true'],
      calls: [implement, `${review}; cp ralph/tasks.json ../brought`, null],
    })
    expect((await stage.ralph('stories', '-m', '2')).code).toBe(1)
    expect(fields(JSON.parse(readFileSync(join(stage.root, 'brought'), 'utf8')).userStories[0])).toEqual({
      passes: true,
      reviewStatus: 'approved',
      reviewCount: 1,
    })
    expect(fields(stage.story())).toEqual(FRESH)
    // The next reviewer is told why, and its own word counts.
    expect((await stage.ralph('resume', '-m', '3')).code).toBe(0)
    expect(stage.seen()[2]?.prompt).toContain('so it does not count')
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
    ['env -u RALPH_STEP -u RALPH_CALL -u RALPH_INCARNATION', 'without most of its marks'],
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
})
