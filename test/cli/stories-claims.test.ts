import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Story } from '../../src/workflows/stories/rules/story-file.ts'
import { until } from '../support/until.ts'
import { APPROVE, type Call, fields, setStories, story } from './stories-stage.ts'

const IMPLEMENT =
  'Implement iterations cannot set passes=true or approve stories. Only review iterations may approve. Story'

type Case = {
  /** What the first agent does; honest work comes before where it is a review. */
  act: Call
  after?: Call[]
  /** The message, and what must be as before. */
  says: string
  is?: (stories: Story[]) => unknown
}

/** Changes that an agent may not make, each committed by it. */
const ILLEGAL: Record<string, Case> = {
  'sets passes in an implement iteration': {
    act: `edit passes true notes '"x"'; commit mine`,
    says: `${IMPLEMENT} A had illegal transition: passes false → true.`,
  },
  'approves in an implement iteration': {
    act: `edit passes true reviewStatus '"approved"' notes '"x"'; commit mine`,
    says: `${IMPLEMENT} A had illegal transition: passes false → true, reviewStatus null → approved.`,
  },
  'counts a review in an implement iteration': {
    act: 'edit reviewCount 1; commit mine',
    says: `${IMPLEMENT} A had illegal transition: reviewCount 0 → 1.`,
  },
  'approves another story': {
    act: `(id=B; edit passes true reviewStatus '"approved"' notes '"x"'); commit mine`,
    says: `${IMPLEMENT} B had illegal transition: passes false → true, reviewStatus null → approved.`,
  },
  'submits another story': {
    act: `(id=B; edit reviewStatus '"needs_review"'); commit mine`,
    says: 'This iteration was about story A. What it wrote about story B is put back.',
  },
  'judges two stories in a review': {
    act: 'submit',
    after: [`(id=B; edit passes true reviewStatus '"approved"' reviewCount 1 notes '"x"'); approve`],
    says: 'Review iteration made illegal transition on story B: a review may only modify one story',
    is: ([, b]) => expect(fields(b!)).toEqual({ passes: false, reviewStatus: null, reviewCount: 0 }),
  },
  'approves in a review-fix iteration': {
    act: 'submit',
    after: ['reject', `edit passes true reviewStatus '"approved"'; commit mine`],
    says: 'Review-fix iterations cannot approve stories. Story A must go back to needs_review for re-review. Illegal transition: passes false → true, reviewStatus changes_requested → approved.',
    is: ([a]) => expect(a!.passes).toBe(false),
  },
  'removes a story': {
    act: ({ read, put, commit }) => {
      const file = read()
      put({ ...file, userStories: file.userStories.filter(({ id }) => id !== 'B') })
      commit('mine')
    },
    says: 'Story B was removed. Stories may be added and reordered, never removed: put it back.',
  },
  'weakens criteria': {
    act: `sed -i 's/"B works"/"anything"/' ralph/tasks.json; commit mine`,
    says: 'Story B: acceptanceCriteria was changed.',
    is: ([, b]) => expect(b!.acceptanceCriteria).toEqual(['B works']),
  },
  'weakens dependencies': {
    act: `sed -i '/^ *"A"$/d' ralph/tasks.json; commit mine`,
    says: 'Story B: dependsOn was changed.',
    is: ([, b]) => expect(b!.dependsOn).toEqual(['A']),
  },
  'adds a story that starts approved': {
    act: ({ read, put, commit }) => {
      const file = read()
      const more = { ...file.userStories[0]!, id: 'C', passes: true, reviewStatus: 'approved', notes: 'x' }
      put({ ...file, userStories: [...file.userStories, more] })
      commit('mine')
    },
    says: 'New stories must start incomplete, with passes=false, reviewStatus=null and reviewCount=0. Story C starts with passes=true',
    is: ([, , c]) => expect(fields(c!)).toEqual({ passes: false, reviewStatus: null, reviewCount: 0 }),
  },
  'breaks the JSON': {
    act: 'echo "{ broken" > ralph/tasks.json; commit mine',
    says: 'tasks.json could not be used (it is not valid JSON',
  },
  'removes the file': {
    act: 'rm ralph/tasks.json; commit mine',
    says: 'tasks.json was removed. It is put back.',
  },
}

const two = () => [story('A'), story('B', { dependsOn: ['A'] })]

describe('an agent that', () => {
  it.each(Object.entries(ILLEGAL))(
    '%s is told in the journal and in the next prompt; it is put back and committed',
    async (_, { act, after = [], says, is }) => {
      const calls = [act, ...after]
      const stage = setStories({ stories: two(), verify: ['true'], calls })
      await stage.ralph('stories', '-m', String(calls.length + 1))
      const next = stage.seen()[calls.length]!
      expect(stage.warned().filter(note => note.includes(says))).toHaveLength(1)
      expect(next.prompt).toContain(says)
      expect(next.file.userStories.map(({ id }) => id).slice(0, 2)).toEqual(['A', 'B'])
      expect(next.file.userStories.filter(({ id, passes }) => passes && id === 'B')).toEqual([])
      is?.(next.file.userStories)
      expect(stage.history()).toContain('ralph: restore ralph/tasks.json (A)')
      const restored = stage.journal().filter(e => e.type === 'committed' && e.by === 'ralph')
      expect(restored.length).toBeGreaterThan(0)
      expect(stage.journal().filter(e => e.type === 'finished')).toMatchObject([{ result: 'exhausted' }])
    },
  )

  it('is corrected is told once, although the run stopped in between', async () => {
    const stage = setStories({
      stories: two(),
      verify: ['true'],
      calls: ['echo "{ broken" > ralph/tasks.json'],
    })
    await stage.ralph('stories', '-m', '1')
    await stage.ralph('resume', '-m', '3')
    const told = stage.seen().map(({ prompt }) => prompt.includes('An earlier iteration was corrected'))
    expect(told).toEqual([false, true, false])
  })

  it('breaks the file finds it whole again, and what was there beside it', async () => {
    const stage = setStories({ calls: ['echo "{ broken" > ralph/tasks.json'] })
    expect((await stage.ralph('stories')).code).toBe(0)
    expect(stage.read('ralph/tasks.json.broken-1')).toBe('{ broken\n')
  })

  it.each([
    ['a folder in its place', 'rm ralph/tasks.json; mkdir -p ralph/tasks.json/x'],
    ['nothing of the folder', 'rm -r ralph'],
    ['a file in place of the folder', 'rm -r ralph; touch ralph'],
    ['a pipe in its place', 'rm ralph/tasks.json; mkfifo ralph/tasks.json'],
    ['a folder in place of the marker', 'rm .ralph-active; mkdir -p .ralph-active/x'],
    ['rubbish in the snapshot', 'echo \'{"preIterationSnapshot":{"US-001":null}}\' > "$RALPH_SNAPSHOT"'],
  ])('leaves %s does not stop the loop', async (_, command) => {
    const stage = setStories({ calls: [command] })
    const ran = await stage.ralph('stories')
    expect([ran.code, ran.stderr.includes('ralph: error')]).toEqual([0, false])
    expect(fields(stage.story())).toEqual({ passes: true, reviewStatus: 'approved', reviewCount: 1 })
    expect(existsSync(join(stage.project, '.ralph-active'))).toBe(false)
  })

  it('adds fresh stories, reorders, notes and sets priorities may do so', async () => {
    const stage = setStories({
      stories: [story('A'), story('B')],
      calls: [
        ({ read, put, edit, submit }) => {
          const file = read()
          const [a, b] = file.userStories
          const more = { ...a!, id: 'C', title: 'More', priority: 0 }
          put({ ...file, userStories: [b!, a!, more] })
          edit({ notes: 'mind the gap', priority: 9 }, 'B')
          submit()
        },
      ],
    })
    expect((await stage.ralph('stories')).code).toBe(0)
    expect(stage.file().userStories.map(s => s.id)).toEqual(['B', 'A', 'C'])
    expect(stage.story('B').notes).toContain('B.txt')
    expect(
      stage
        .seen()
        .filter(s => s.mode === 'implement')
        .map(s => s.id),
    ).toEqual(['A', 'C', 'B'])
    expect(stage.warned().filter(note => note.includes('Story'))).toEqual([])
    expect(stage.history().filter(subject => subject.startsWith('ralph:'))).toEqual([])
  })

  it.each([
    ['is reviewed as one of its own, and so is the rest', ['true'], 'review A-1 pass'],
    ['is not submitted while a check fails', ['test -e fixed'], 'implement A-1 more'],
  ])('splits its story and submits the first part: it %s', async (_, verify, second) => {
    const stage = setStories({
      stories: [story('A')],
      verify,
      calls: [
        ({ read, put, commit }) => {
          const file = read()
          const [whole] = file.userStories
          const part = { ...whole, id: 'A-1', priority: 0, reviewStatus: 'needs_review' }
          put({ ...file, userStories: [whole, part] })
          commit('feat: [A-1] - half')
        },
        'case $mode in review) honest ;; *) touch fixed ;; esac',
      ],
    })
    expect((await stage.ralph('stories')).code).toBe(0)
    expect(stage.moves().slice(0, 2)).toEqual([expect.stringMatching(/^implement A /), second])
    expect(stage.moves().at(-1)).toBe('review A pass')
    expect(['A', 'A-1'].map(id => fields(stage.story(id)))).toEqual([
      { passes: true, reviewStatus: 'approved', reviewCount: 1 },
      { passes: true, reviewStatus: 'approved', reviewCount: 1 },
    ])
    const refused = stage.warned().filter(note => note.includes('A-1 was not submitted for review'))
    expect(refused).toHaveLength(second.startsWith('review') ? 0 : 1)
  })

  it('approves without a note counts, with a warning', async () => {
    const stage = setStories({
      calls: [`edit reviewStatus '"needs_review"'`],
    })
    expect((await stage.ralph('stories')).code).toBe(0)
    expect(stage.seen()).toHaveLength(2)
    expect(stage.story().notes).toBe('No notes were left.')
    expect(stage.warned()).toContain(
      'Story US-001 has passes=true but notes is empty. Say in notes what was done.',
    )
  })

  it('leaves everything uncommitted makes progress all the same', async () => {
    const stage = setStories({
      verify: ['true'],
      calls: [
        'commits=no; submit',
        "commits=no; reject 'commit it'",
        'commits=no; submit',
        'commits=no; approve',
      ],
    })
    expect((await stage.ralph('stories')).code).toBe(0)
    expect(stage.moves().map(move => move.split(' ')[2])).toEqual(['pass', 'reject', 'pass', 'pass'])
    expect(stage.history()).toEqual([])
  })

  it('leaves an illegal change uncommitted is corrected, and nothing of it is left in the tree', async () => {
    const stage = setStories({ calls: [`edit passes true notes '""'`] })
    await stage.ralph('stories', '-m', '2')
    expect(stage.seen()[1]!.gate.dirtyBefore).not.toContain('ralph/tasks.json')
  })

  it('changes prd.md finds it restored, and its story is sent back for it', async () => {
    const stage = setStories({
      calls: [null, 'echo "Nothing is wanted." > ralph/prd.md; approve'],
    })
    expect((await stage.ralph('stories')).code).toBe(0)
    expect(stage.read('ralph/prd.md')).toBe('# Shop\n')
    expect(stage.seen()[2]).toMatchObject({ mode: 'review-fix', prompt: expect.stringContaining('prd.md') })
  })

  it('changes prd.md of a folder with an odd name finds it restored as well', async () => {
    const stage = setStories()
    stage.git('mv', 'ralph', 'shop (old)')
    stage.git('commit', '-qm', 'moved')
    const agent = ['sh', '-c', 'echo "Nothing is wanted." > "shop (old)/prd.md"; echo done']
    await stage.ralph('stories', '--ralph-dir', 'shop (old)', '-m', '1', '--', ...agent)
    expect(stage.read('shop (old)/prd.md')).toBe('# Shop\n')
    expect(stage.moves()).toEqual(['implement US-001 fail'])
  })

  it('changes code in a review gets a warning, though its verdict counts', async () => {
    const stage = setStories({
      stories: [story('A'), story('B')],
      verify: ['echo $$ > coverage'],
      calls: [null, 'echo fixed >> README; approve'],
    })
    expect((await stage.ralph('stories')).code).toBe(0)
    const note = 'A review does not change code, but this one did: README.'
    expect(stage.warned().filter(text => text.includes('A review does not'))).toEqual([note])
    expect(stage.seen()[2]!.prompt).toContain(note)
    expect(stage.seen()[3]!.prompt).not.toContain(note)
  })
})

describe('a person', () => {
  it('who edits the stories between iterations is heard', async () => {
    const stage = setStories({ stories: [story('A'), story('B')] })
    expect((await stage.ralph('stories', '-m', '1')).code).toBe(1)
    const file = stage.file()
    const [a, b] = file.userStories
    stage.put({
      ...file,
      userStories: [
        { ...a!, acceptanceCriteria: ['A works well'] },
        { ...b!, passes: true, reviewStatus: 'approved', notes: 'I did it' },
        story('C'),
      ],
    })
    expect((await stage.ralph('resume', '-m', '9')).code).toBe(0)
    const edit = stage.journal().findLast(e => e.type === 'edited')
    expect(edit).toMatchObject({ by: 'person', state: { B: { stage: 'done' } } })
    expect(stage.story('A').acceptanceCriteria).toEqual(['A works well'])
    expect(stage.seen().map(({ mode, id }) => `${mode} ${id}`)).toEqual([
      'implement A',
      'review A',
      'implement C',
      'review C',
    ])
  })

  it('whose stories are not committed yet does not find them committed by ralph', async () => {
    const stage = setStories({ calls: [`edit passes true notes '"x"'`] })
    stage.put({ ...stage.file(), description: 'Mine.' })
    await stage.ralph('stories', '-m', '1')
    expect(stage.history()).toEqual([])
    expect(stage.file()).toMatchObject({ description: 'Mine.', userStories: [{ passes: false }] })
  })

  it('without a git identity is told that nothing is committed, once', async () => {
    const stage = setStories({
      calls: [
        `edit passes true notes '"x"'; git -c user.name=A -c user.email=a@localhost commit -qam mine`,
        `edit passes true notes '"y"'
          git -c user.name=A -c user.email=a@localhost commit -qam 'mine again'`,
      ],
    })
    stage.git('config', '--unset', 'user.name')
    stage.git('config', '--unset', 'user.email')
    stage.git('config', 'user.useConfigOnly', 'true')
    const ran = await stage.ralph('stories', '-m', '2')
    expect(ran.stderr.match(/ralph\/tasks\.json is left uncommitted: .+/g)).toHaveLength(1)
    expect(stage.story().passes).toBe(false)
  })

  it('is told of every reason why nothing is committed, a lock that was left behind with its way out', async () => {
    const stage = setStories({
      calls: [
        // Git makes no folder, so ralph does not take it for the agent's.
        `edit passes true notes '"x"'; commit mine; mkdir .git/index.lock`,
        `rmdir .git/index.lock
          edit title '"Another title"'
          commit 'mine again'
          git rev-parse HEAD > .git/MERGE_HEAD`,
      ],
    })
    const ran = await stage.ralph('stories', '-m', '2')
    expect(ran.stderr.match(/ralph\/tasks\.json is left uncommitted: .+/g)).toEqual([
      expect.stringMatching(/: \.git\/index\.lock exists, .*remove it: rm \.git\/index\.lock$/),
      expect.stringContaining('during a merge'),
    ])
  })

  it('who begins anew after a crash does not get an agent’s word for their own', async () => {
    const stage = setStories({
      calls: [
        `edit passes true reviewStatus '"approved"' reviewCount 1 notes '"trust me"'
          kill -9 $(sed -n 's/.*"pid": \\([0-9]*\\).*/\\1/p' .ralph-active); sleep 5`,
      ],
    })
    expect((await stage.spawn('stories')).signal).toBe('SIGKILL')
    expect(stage.story().passes).toBe(true)
    const ran = await stage.ralph('stories', '-m', '1')
    expect(ran.stderr).toContain('what was written since was not verified')
    expect(stage.seen()[1]).toMatchObject({ mode: 'implement' })
    expect(readdirSync(join(stage.project, 'ralph'))).toContain('tasks.json.broken-1')
  })
})

describe('what is written after an agent has ended', () => {
  it('by a check is nobody’s verdict', async () => {
    const stage = setStories({
      verify: ['sh check.sh'],
      calls: [null, "reject 'not yet'", 'submit'],
      always: "reject 'still not'",
    })
    stage.write('check.sh', `grep -q changes_requested ralph/tasks.json && { ${APPROVE}; }; exit 0\n`)
    stage.git('add', '-A')
    stage.git('commit', '-q', '-m', 'a check that writes')
    const ran = await stage.ralph('stories', '-m', '2')
    expect(ran.code, ran.stdout).toBe(1)
    expect(stage.moves()).toEqual(['implement US-001 pass', 'review US-001 reject'])
    expect(stage.story()).toMatchObject({ passes: false, reviewStatus: 'changes_requested' })
  })

  it('and cannot be read is no verdict, whatever the file said when the run began', async () => {
    const done = { passes: true, reviewStatus: 'approved', reviewCount: 1, notes: 'x' } as const
    const stage = setStories({
      stories: [story('A', done), story('B')],
      calls: [null],
      always: `printf '{broken' > ralph/tasks.json`,
    })
    expect((await stage.ralph('stories', '-m', '1')).code).toBe(1)
    const [a] = stage.file().userStories
    stage.put({
      ...stage.file(),
      userStories: [{ ...a!, passes: false, reviewStatus: 'needs_review' }, story('B')],
    })
    expect((await stage.ralph('resume', '-m', '3')).code).toBe(1)
    expect(stage.story('A')).toMatchObject({ passes: false, reviewStatus: 'needs_review' })
  })

  it('by a person, once a cancelled run has put things in order, is theirs', async () => {
    const stage = setStories({ calls: ['sleep 60'], settings: { killGrace: 0.2 } })
    const run = stage.start('stories')
    await until(() => existsSync(join(stage.root, 'seen', '1.about')))
    await stage.ralph('cancel')
    expect((await run.ended).code).toBe(1)
    stage.put({ ...stage.file(), userStories: [story('US-001', { title: 'Another title' })] })
    expect((await stage.ralph('stories', '-m', '1')).code).toBe(1)
    expect(stage.story().title).toBe('Another title')
  })
})
