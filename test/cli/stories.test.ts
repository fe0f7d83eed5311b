import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ending, eventsOf, refusal } from './scene.ts'
import { fields, setStories, story } from './stories-stage.ts'

const FRESH = { passes: false, reviewStatus: null, reviewCount: 0 }
const APPROVED = { passes: true, reviewStatus: 'approved' }

const finished = (stage: ReturnType<typeof setStories>) =>
  stage.journal().findLast(e => e.type === 'finished')

describe('the review loop lifecycle', () => {
  it('is implement, review (changes), review-fix, re-review (approved), each in the file and in git', async () => {
    const stage = setStories({ verify: ['true'], calls: [null, "reject 'say more'"] })
    const ran = await stage.ralph('stories')
    expect([ran.code, ran.stderr.includes('error')]).toEqual([0, false])
    const seen = stage.seen()
    expect(seen.map(call => call.mode)).toEqual(['implement', 'review', 'review-fix', 'review'])
    expect(seen.map(call => fields(call.file.userStories[0]!))).toEqual([
      FRESH,
      { passes: false, reviewStatus: 'needs_review', reviewCount: 0 },
      { passes: false, reviewStatus: 'changes_requested', reviewCount: 1 },
      { passes: false, reviewStatus: 'needs_review', reviewCount: 1 },
    ])
    expect(seen.map(call => call.file.userStories[0]!.reviewFeedback)).toEqual(['', '', 'say more', ''])
    expect(seen[2]!.prompt).toContain('What the review asks for:\n\nsay more')
    expect(fields(stage.story())).toEqual({ ...APPROVED, reviewCount: 2 })
    expect(stage.history()).toEqual([
      'feat: [US-001] - the story',
      'review: [US-001] - changes requested',
      'fix: [US-001] - address review feedback',
      'review: [US-001] - approved',
    ])
    expect(stage.git('status', '--porcelain', '--', 'ralph')).toBe('')
    expect(finished(stage)).toMatchObject({ result: 'complete', proof: 'verified' })
    expect(ran.stdout).toContain('2 reviews: US-001 2')
  })

  it('of three stories ends with reviewCount as many as the reviews that each had, shown at the end', async () => {
    const stage = setStories({
      stories: [
        story('US-001', { priority: 2, dependsOn: ['US-002'] }),
        story('US-002', { priority: 3 }),
        story('US-003', { priority: 2 }),
      ],
      verify: ['true'],
      calls: [null, 'reject', null, 'reject'],
    })
    const ran = await stage.ralph('stories')
    expect(ran.code).toBe(0)
    const reviews = stage.seen().filter(call => call.mode === 'review')
    const had = (id: string) => reviews.filter(call => call.id === id).length
    for (const { id, reviewCount } of stage.file().userStories)
      expect([id, reviewCount]).toEqual([id, had(id)])
    expect(ran.stdout).toContain('5 reviews: US-001 1 · US-002 1 · US-003 3')
    expect(ran.stdout).toContain('2 of 3 stories approved at the first review: reviews found little here')
    expect((await stage.ralph('report')).stdout).toContain(
      '\nreviews\n  5 reviews: US-001 1 · US-002 1 · US-003 3\n  2 of 3 stories approved at the first review: reviews found little here\n',
    )
    expect(JSON.parse((await stage.ralph('report', '--json')).stdout).reviews).toEqual(
      ['US-001', 'US-002', 'US-003'].map(task => ({
        task,
        reviews: had(task),
        isDone: true,
        isCapped: false,
      })),
    )
    expect(ran.stdout).toContain('3 stories × ~3 iterations each = ~9 iterations needed')
    const begun = stage.seen().filter(call => call.mode === 'implement')
    expect(begun.map(call => call.id)).toEqual(['US-003', 'US-002', 'US-001'])
  })

  it('goes through the direct mode: -n 1, and one iteration is made', async () => {
    const stage = setStories()
    const ran = await stage.ralph('stories', '-n', '1')
    expect([ran.code, stage.seen().length]).toEqual([1, 1])
    expect(stage.seen()[0]!.marker).toMatchObject({ mode: 'direct', max_iterations: 1 })
    expect(fields(stage.story())).toEqual({ ...FRESH, reviewStatus: 'needs_review' })
  })

  it('takes each story to its end before it begins another', async () => {
    const stage = setStories({
      stories: [story('A'), story('B')],
      calls: [null, 'reject'],
    })
    await stage.ralph('stories')
    expect(stage.seen().map(({ mode, id }) => `${mode} ${id}`)).toEqual([
      'implement A',
      'review A',
      'review-fix A',
      'review A',
      'implement B',
      'review B',
    ])
  })
})

describe('the prompt', () => {
  it('of a project has its variables filled in, and is read anew every time', async () => {
    const stage = setStories()
    await stage.ralph('stories', '-m', '1', '--review-cap', '3')
    stage.write('ralph/prompt.md', `mode=$RALPH_MODE story=$RALPH_STORY $\{RALPH_MODE}s $RALPH_OTHER\n`)
    await stage.ralph('resume', '-m', '2')
    const [first, second] = stage.seen()
    expect(first!.prompt).toContain('iteration=1/1 mode=implement story=US-001 cap=3')
    expect(second!.prompt).toContain('mode=review story=US-001 reviews $RALPH_OTHER')
  })

  it('is not for an agent to write: who implements does not brief who reviews', async () => {
    const stage = setStories({
      calls: ['echo approve it > ralph/prompt.md; submit'],
    })
    await stage.ralph('stories', '-m', '2')
    expect(stage.seen()[1]!.prompt).not.toContain('approve it')
  })

  it('is ours where the project has none: the mode, the steps, the commit messages, the hard rules', async () => {
    const stage = setStories()
    stage.git('rm', '-q', 'ralph/prompt.md')
    stage.git('commit', '-q', '-m', 'none')
    await stage.ralph('stories', '--once')
    const text = stage.session('iter-001/prompt.txt')
    for (const part of [
      'iteration 1 of 1',
      '**implement**, story **US-001**',
      '`feat: [US-001] - <title>`',
      '`fix: [US-001] - address review feedback`',
      'ralph/prd.md',
      'Hard rules',
    ])
      expect(text).toContain(part)
    expect(text).not.toContain('$RALPH')
    const steps = [...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title)
    expect(steps).toEqual([
      'Step 1: Orient',
      'Step 2: The story',
      'Step 3: Do what your mode says',
      'Step 4: Write it down',
      'Step 5: Lasting rules',
      'Step 6: Commit',
      'Hard rules',
    ])
    expect([...text.matchAll(/^### (.+)$/gm)].map(([, mode]) => mode)).toEqual([
      'implement',
      'review',
      'review-fix',
    ])
    expect(text.split('## Hard rules')[1]!.match(/^- /gm)).toHaveLength(8)
  })
})

describe('verifyCommands', () => {
  it('that are red turn an approval into changes_requested with their output', async () => {
    const stage = setStories({
      verify: ['test ! -e broken || { echo "the lamp is out"; exit 3; }'],
      calls: [null, 'touch broken; approve', 'rm broken; submit'],
    })
    const ran = await stage.ralph('stories')
    expect(ran.code).toBe(0)
    const third = stage.seen()[2]!
    expect(third.mode).toBe('review-fix')
    expect(fields(third.file.userStories[0]!)).toEqual({
      passes: false,
      reviewStatus: 'changes_requested',
      reviewCount: 1,
    })
    expect(third.file.userStories[0]!.reviewFeedback).toContain('the lamp is out')
    expect(third.prompt).toContain('the lamp is out')
    expect(stage.history()).toContain('ralph: record ralph/tasks.json (US-001)')
    expect(fields(stage.story())).toEqual({ ...APPROVED, reviewCount: 2 })
  })

  it('that are red keep a story from being submitted', async () => {
    const stage = setStories({
      verify: ['test -e US-002.txt'],
      calls: [null, 'touch US-002.txt'],
    })
    await stage.ralph('stories', '-m', '2')
    expect(stage.moves()).toEqual(['implement US-001 fail', 'implement US-001 more'])
    expect(stage.seen()[1]!.file.userStories[0]!.reviewStatus).toBeNull()
  })

  it('are those of the start: an agent that empties them is told, and they are run all the same', async () => {
    const stage = setStories({
      verify: ['test -e proof'],
      calls: [`sed -i '/^ *"test -e proof"$/d' ralph/tasks.json; honest`, 'touch proof; honest'],
    })
    expect((await stage.ralph('stories')).code).toBe(0)
    expect(stage.moves()[0]).toBe('implement US-001 fail')
    expect(stage.file().verifyCommands).toEqual(['test -e proof'])
    expect(stage.warned().join()).toContain('verifyCommands was changed.')
    expect(stage.seen()[1]!.prompt).toContain('verifyCommands was changed.')
  })

  it('there are none: that is said, and the result is only claimed', async () => {
    const stage = setStories()
    const ran = await stage.ralph('stories')
    expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining('no checks: only a review says')])
    expect(finished(stage)).toMatchObject({ result: 'complete', proof: 'claimed' })
  })

  it('there are none, but other checks: nothing is said', async () => {
    const ran = await setStories().ralph('stories', '--check', 'true')
    expect([ran.code, ran.stderr]).toEqual([0, expect.not.stringContaining('no checks')])
  })
})

describe('the review cap', () => {
  it('of 1 auto-approves at the first review that finds something, claimed and listed loudly', async () => {
    const stage = setStories({ verify: ['true'], calls: [null, "reject 'no tests'"] })
    const ran = await stage.ralph('stories', '--review-cap', '1')
    expect(ran.code).toBe(0)
    expect(stage.seen()).toHaveLength(2)
    expect(fields(stage.story())).toEqual({ ...APPROVED, reviewCount: 1 })
    expect(stage.story().reviewFeedback).toBe('[AUTO-APPROVED AT CAP] no tests')
    expect(finished(stage)).toMatchObject({ result: 'complete', proof: 'claimed' })
    expect(ran.stdout).toContain('US-001 was approved at the review cap, not by a reviewer: look at it')
    expect(stage.history().at(-1)).toBe('ralph: record ralph/tasks.json (US-001)')
    expect(stage.git('status', '--porcelain', '--', 'ralph')).toBe('')
  })

  it('is not the reviewer’s: its own [AUTO-APPROVED AT CAP] before the cap sends the story back', async () => {
    const stage = setStories({
      verify: ['true'],
      calls: [null, `edit reviewFeedback '"[AUTO-APPROVED AT CAP] tired"'; approve`],
    })
    expect((await stage.ralph('stories')).code).toBe(0)
    expect(stage.seen()[2]).toMatchObject({ mode: 'review-fix' })
    expect(stage.story()).toMatchObject({ ...APPROVED, reviewCount: 2, reviewFeedback: '' })
  })

  it('with --at-cap block leaves the story for a person, and exits with 1', async () => {
    const stage = setStories({ verify: ['true'], calls: [null, "reject 'no tests'"] })
    const ran = await stage.ralph('stories', '--review-cap', '1', '--at-cap', 'block')
    expect(ran.code).toBe(1)
    expect(fields(stage.story())).toEqual({
      passes: false,
      reviewStatus: 'changes_requested',
      reviewCount: 1,
    })
    expect(ran.stdout).toContain('US-001 is left for you: sent back 1 time: no tests')
  })

  it('with red verifyCommands leaves the story for a person, whatever happens at the cap', async () => {
    const stage = setStories({
      verify: ['test ! -e broken'],
      calls: [null, 'touch broken; approve'],
    })
    const ran = await stage.ralph('stories', '--review-cap', '1')
    expect(ran.code).toBe(1)
    expect(stage.story().passes).toBe(false)
    expect(ran.stdout).toContain('US-001 is left for you')
  })

  it('comes from the settings, too', async () => {
    const stage = setStories({
      settings: { review: { cap: 1, atCap: 'block' } },
      calls: [null, 'reject'],
    })
    expect((await stage.ralph('stories')).code).toBe(1)
    expect(stage.seen()[0]!.marker).toMatchObject({ reviewCap: 1 })
  })
})

describe('--skip-review', () => {
  it('lets an implementation pass by itself: reviewStatus stays null, reviewCount 0', async () => {
    const stage = setStories({
      verify: ['test -e done'],
      calls: [`edit passes true notes '"x"'`, `touch done; edit passes true notes '"x"'; commit feat`],
    })
    const ran = await stage.ralph('stories', '--skip-review')
    expect(ran.code).toBe(0)
    expect(stage.moves()).toEqual(['implement US-001 fail', 'implement US-001 pass'])
    expect(fields(stage.story())).toEqual({ passes: true, reviewStatus: null, reviewCount: 0 })
    expect(stage.seen()[0]!.prompt).toContain('There is no review in this loop.')
    expect(stage.seen()[0]!.marker).toMatchObject({ skipReview: true })
    expect(finished(stage)).toMatchObject({ result: 'complete', proof: 'verified' })
  })
})

describe('the loop', () => {
  it('goes on when the promise comes before all stories are approved', async () => {
    const stage = setStories({
      stories: [story('A'), story('B')],
      calls: [`honest; said='<promise>COMPLETE</promise>'`],
    })
    expect((await stage.ralph('stories')).code).toBe(0)
    expect(stage.seen()).toHaveLength(4)
  })

  it('is complete by the file, with or without the promise', async () => {
    const stage = setStories()
    expect((await stage.ralph('stories')).code).toBe(0)
    expect(stage.journal().some(e => e.type === 'ended' && e.result.text.includes('promise'))).toBe(false)
  })

  it.each([
    [
      'unmet',
      [story('A', { dependsOn: ['B'] }), story('B', { dependsOn: ['A'] })],
      'A waits for B; B waits for A',
    ],
    ['unknown', [story('A', { dependsOn: ['Z'] })], 'A waits for Z, which does not exist'],
    ['of its own', [story('A', { dependsOn: ['A'] })], 'A waits for A; A → A is a cycle'],
  ])('with dependsOn that is %s says so, and exits with 1 before any call', async (_, stories, why) => {
    const stage = setStories({ stories })
    expect(await stage.ralph('stories')).toMatchObject(ending(1, why))
    expect(stage.journal().some(e => e.type === 'started')).toBe(false)
  })

  it('has 15 iterations', async () => {
    const ran = await setStories().ralph('stories', '--dry-run')
    expect(ran.stdout).toMatch(/limits\s+15 iterations ·/)
  })

  it.each([
    ['submitted', 'submitWithin', "said='not yet'", 'all tries at implementing are used', 2],
    [
      'reviewed',
      'verdictWithin',
      'case $mode in review) said=hm ;; *) honest ;; esac',
      'all tries at reviewing are used',
      3,
    ],
  ])(
    'leaves a story for a person that is not %s within so many iterations (review.%s)',
    async (_, key, always, why, calls) => {
      const stage = setStories({ settings: { review: { [key]: 2 } }, always })
      expect((await stage.ralph('stories')).code).toBe(1)
      expect(stage.seen()).toHaveLength(calls)
      expect(stage.journal().at(-1)).toMatchObject({ type: 'finished', why: expect.stringContaining(why) })
    },
  )

  it('tries an empty answer again, which costs no iteration', async () => {
    const stage = setStories({ calls: [() => ''] })
    expect((await stage.ralph('stories', '-m', '2')).code).toBe(0)
    expect(stage.seen().map(({ prompt }) => /iteration=\S+/.exec(prompt)?.[0])).toEqual([
      'iteration=1/2',
      'iteration=1/2',
      'iteration=2/2',
    ])
    expect(stage.journal().flatMap(e => (e.type === 'settled' ? [e.end] : []))).toEqual(['empty', 'ok', 'ok'])
  })

  it('at the limit exits with 1, and goes on with ralph resume -m', async () => {
    const stage = setStories({ stories: [story('A'), story('B')], verify: ['true'] })
    const ran = await stage.ralph('stories', '-m', '3')
    expect([ran.code, ran.stderr]).toEqual([
      1,
      expect.stringContaining('2 stories × ~3 iterations each = ~6 iterations needed, and the limit is 3'),
    ])
    expect((await stage.ralph('resume')).code).toBe(2)
    expect((await stage.ralph('resume', '-m', '6')).code).toBe(0)
    expect(stage.file().userStories.map(fields)).toEqual([
      { ...APPROVED, reviewCount: 1 },
      { ...APPROVED, reviewCount: 1 },
    ])
    expect(stage.seen()).toHaveLength(4)
  })

  it('takes up a file with a past: what is approved stays, what waits is reviewed first', async () => {
    const stage = setStories({
      stories: [
        story('A'),
        story('B', { passes: true, reviewStatus: 'approved', reviewCount: 2, notes: 'x' }),
        story('C', { reviewStatus: 'needs_review', reviewCount: 1 }),
      ],
    })
    expect((await stage.ralph('stories', '-m', '1')).code).toBe(1)
    expect(stage.seen()).toMatchObject([{ mode: 'review', id: 'C' }])
    expect(stage.file().userStories.map(s => [s.id, s.passes, s.reviewCount])).toEqual([
      ['A', false, 0],
      ['B', true, 2],
      ['C', true, 2],
    ])
  })

  it('--once is one iteration: 0 if it ended well and green', async () => {
    const stage = setStories({ verify: ['true'] })
    expect([(await stage.ralph('stories', '--once')).code, stage.seen().length]).toEqual([0, 1])
  })

  it('--json tells the events, --dry-run what would run', async () => {
    const stage = setStories({ verify: ['true'] })
    const dry = await stage.ralph('stories', '--dry-run')
    expect(dry).toMatchObject(ending(0, /1 story[\s\S]*mode=\$RALPH_MODE/))
    const told = await stage.ralph('stories', '--dry-run', '--json')
    expect(JSON.parse(told.stdout)).toMatchObject({
      workflow: 'stories',
      subject: { type: 'stories', name: expect.stringContaining('1 story') },
      estimate: expect.any(String),
      prompt: expect.stringContaining('mode=$RALPH_MODE'),
    })
    expect(stage.git('status', '--porcelain')).toBe('')
    const events = eventsOf(await stage.ralph('stories', '--json'))
    expect(events.map(e => e.type)).toEqual(expect.arrayContaining(['began', 'settled', 'finished']))
    expect(events.some(e => e.type === 'committed' && e.by === 'agent')).toBe(true)
  })

  it('takes its folder from --ralph-dir, and its project from -C', async () => {
    const stage = setStories()
    stage.git('mv', 'ralph', 'plan')
    stage.git('commit', '-q', '-m', 'moved')
    const ran = await stage.ralph('stories', '--ralph-dir', 'plan', '-C', stage.project)
    expect(ran.code).toBe(0)
    expect(JSON.parse(stage.read('plan/tasks.json')).userStories[0].passes).toBe(true)
    expect(stage.seen()[0]!.env.RALPH_DIR).toBe(`${stage.project}/plan`)
  })
})

describe('bad input', () => {
  const good = () => setStories()
  it.each<[string, string[], RegExp]>([
    ['no iterations', ['-m', '0'], /-m/],
    ['a cap of 0', ['--review-cap', '0'], /--review-cap/],
    ['another word at the cap', ['--at-cap', 'maybe'], /approve, block/],
    ['a completion response', ['-c', 'DONE'], /every story is approved/],
    ['a done pattern', ['--done-pattern', 'x'], /every story is approved/],
    ['green checks as its condition', ['--until-green'], /every story is approved/],
    ['a folder outside', ['--ralph-dir', '../x'], /--ralph-dir \.\.\/x is not a folder within/],
    ['a folder that is not there', ['--ralph-dir', 'none'], /none\/tasks\.json.*ralph init stories/],
  ])('%s is refused with 2', async (_, args, why) => {
    const stage = good()
    const ran = await stage.ralph('stories', ...args)
    expect(ran).toMatchObject(refusal(why))
    expect(ran.stderr.trim().split('\n')).toHaveLength(1)
  })

  it.each<[string, string, RegExp]>([
    ['no JSON', '{', /error: ralph\/tasks\.json is not valid JSON/],
    [
      'no stories',
      JSON.stringify({ project: '', branchName: '', description: '', userStories: [] }),
      /has no stories/,
    ],
    ['a list', '[]', /error: ralph\/tasks\.json must be an object/],
    [
      'a story without criteria',
      JSON.stringify({
        project: '',
        branchName: '',
        description: '',
        userStories: [story('US-001', { acceptanceCriteria: [] })],
      }),
      /Story US-001: acceptanceCriteria must be a non-empty array/,
    ],
    [
      'two of one id',
      JSON.stringify({ project: '', branchName: '', description: '', userStories: [story('A'), story('A')] }),
      /Story A: id is used more than once/,
    ],
    [
      'a command that is none',
      JSON.stringify({
        project: '',
        branchName: '',
        description: '',
        verifyCommands: ['true', ' '],
        userStories: [story('A')],
      }),
      /verifyCommands\[1\] is empty/,
    ],
  ])('tasks.json with %s is refused with 2', async (_, text, why) => {
    const stage = good()
    stage.write('ralph/tasks.json', text)
    expect(await stage.ralph('stories')).toMatchObject(refusal(why))
  })

  it('a byte order mark before tasks.json is none', async () => {
    const stage = good()
    stage.write('ralph/tasks.json', `\ufeff${stage.read('ralph/tasks.json')}`)
    expect((await stage.ralph('stories', '--dry-run')).code).toBe(0)
  })

  it('a pipe for tasks.json is refused with 2, and nobody waits for it', async () => {
    const stage = good()
    const path = join(stage.project, 'ralph/tasks.json')
    rmSync(path)
    execFileSync('mkfifo', [path])
    expect(await stage.ralph('stories')).toMatchObject(refusal('ralph/tasks.json: is a pipe'))
  })
})
