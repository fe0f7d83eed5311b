import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { layOut, RUNS } from '../fixtures/lay-out.ts'
import { setBuild, statuses } from './build-scene.ts'
import { setStage } from './scene.ts'
import { addStoryAgent } from './stories-stage.ts'

type Stage = ReturnType<typeof setStage>
/** As it is on disk, whatever the code calls it. */
type Line = Record<string, unknown>

const linesIn = (path: string): Line[] =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(entry => entry.isFile())
    .map(entry => relative(folder, join(entry.parentPath, entry.name)))
    .sort()

/** An old run, laid out where this stage is, with all that a test may want to look at. */
function setOldRun<S extends Stage>(stage: S, name: string) {
  stage.addAgent('codex', [[['exit', 1]]])
  const old = layOut(stage, name)
  const run = join(stage.ralphHome, 'runs', old.id)
  const session = join(stage.project, '.ralph', 'sessions', old.id)
  const journal = join(run, 'journal.ndjson')
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: stage.project, env: stage.env, encoding: 'utf8' }).trimEnd().split('\n')
  return { ...stage, old, run, session, journal, git }
}

/** The same with an agent that does what is asked and says that it is done. */
const setPromptRun = (name: string) =>
  setOldRun(
    setStage({
      git: false,
      answers: [
        ['message', 'commit message', [['claude', 'Ship it']]],
        [
          'work',
          '',
          [
            ['file', 'ship.txt', 'By mail.\n'],
            ['claude', 'Shipped. <response>SHIPPED</response>'],
          ],
        ],
      ],
    }),
    name,
  )

function setOldBuild(name: string) {
  const stage = setOldRun(setBuild({ git: false }), name)
  const progress = () => readFileSync(join(stage.session, 'progress.txt'), 'utf8')
  const before = progress()
  /** What the log of the build tells since: its headings, without their times and words, and its commits. */
  const told = () =>
    addedSince(before, progress()).flatMap(
      line => /^(?:## (\w+(?: \d+)?)|- (Committed))/.exec(line)?.slice(1, 3).find(Boolean) ?? [],
    )
  return { ...stage, told }
}

function setOldStories(name: string) {
  const stage = setOldRun(setStage({ git: false }), name)
  const seen = addStoryAgent(stage, [null])
  return {
    ...stage,
    seen,
    names: () => seen().map(({ mode, id }) => `${mode} ${id}`),
    stories: () =>
      (JSON.parse(stage.read('ralph/tasks.json')).userStories as Line[]).map(
        ({ id, passes, reviewStatus, reviewCount }) => [id, passes, reviewStatus, reviewCount].join(' '),
      ),
  }
}

/** What is said of the run is what its own build said of it; more may be said. */
async function expectSaidAsBefore({ old, ralph, journal }: ReturnType<typeof setPromptRun>): Promise<void> {
  // The old build said nothing of the stage of a task that was begun and never settled.
  const begun = new Map(
    linesIn(journal).flatMap(e => (e.type === 'started' ? [[e.task, e.stage] as const] : [])),
  )
  const left = ((old.report.left ?? []) as Line[]).map(task => ({
    ...task,
    stage: task.stage ?? begun.get(task.id) ?? null,
  }))
  // A sentence for people.
  const { last: _, ...status } = old.status
  expect(JSON.parse((await ralph('status', '--json')).stdout)).toMatchObject(status)
  expect(JSON.parse((await ralph('report', old.id.slice(-3), '--json')).stdout)).toMatchObject({
    ...old.report,
    ...(old.report.left !== undefined && { left }),
  })
  for (const command of ['status', 'report']) {
    const ran = await ralph(command)
    expect([ran.code, ran.stdout, ran.stderr]).toEqual([0, expect.stringContaining(old.id), ''])
  }
}

/** An event in short: its kind, and what tells it from others of this kind. */
function brief({ type, id, task, stage, agent, n, move, end, by, text, result, proof }: Line): string {
  switch (type) {
    case 'started':
      return `started ${id}: ${stage} ${task}, ${agent}, iteration ${n}`
    case 'settled':
      return `settled ${id}: ${stage} ${task}, ${move ?? end}`
    case 'committed':
    case 'edited':
      return [type, id, `by ${by}`].filter(Boolean).join(' ')
    case 'told':
      return `told: ${text}`
    case 'finished':
      return `finished: ${result}, ${proof}`
    default:
      return [type, id].filter(Boolean).join(' ')
  }
}

const works = (id: number, what: string, n: number) => [
  `started ${id}: ${what}, claude, iteration ${n}`,
  `spawned ${id}`,
  `ended ${id}`,
]
const ownCommit = (id: number) => [`committing ${id}`, `committed ${id} by ralph`]
/** A commit for which an agent gives the message. */
const commits = (id: number) => [`asked ${id}`, ...ownCommit(id)]
/** From the checks of an iteration to its commit: the message comes before it is settled. */
const settlesAndCommits = (id: number, how: string, then: string[] = []) => [
  `asked ${id}`,
  `committing ${id}`,
  `settled ${id}: ${how}`,
  ...then,
  `committed ${id} by ralph`,
]
/** An iteration whose work ralph commits. */
const whole = (id: number, what: string, n: number) => [
  ...works(id, what, n),
  ...settlesAndCommits(id, `${what}, pass`, [`changed ${id}`]),
  `applied ${id}`,
]
/** An iteration whose agent commits. */
const own = (id: number, what: string, n: number) => [
  ...works(id, what, n),
  `settled ${id}: ${what}, pass`,
  `committed ${id} by agent`,
  `changed ${id}`,
  `applied ${id}`,
]
const END = 'finished: complete, verified'

/** Resumes a run to its end, and gives all that this added to what was there. `warned`: what it says of its own accord. */
async function takeUp(stage: ReturnType<typeof setPromptRun>, warned: unknown = '') {
  await expectSaidAsBefore(stage)
  const { old, session, journal } = stage
  const read = (name: string) => readFileSync(join(session, name), 'utf8')
  const calls = join(session, 'agent-calls.jsonl')
  const log = join(session, 'iterations.log')
  const textAt = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : '')
  const texts = new Map([journal, calls, log].map(path => [path, textAt(path)]))
  const files = new Set(filesBelow(session))
  const about = JSON.parse(read('session.json'))

  const ran = await stage.ralph('resume')
  expect([ran.code, ran.stderr]).toEqual([0, warned])

  const addedTo = (path: string) => addedSince(texts.get(path)!, textAt(path))
  const called: Line[] = addedTo(calls).map(line => JSON.parse(line))
  for (const { argv } of called)
    expect(`${argv}`).toMatch(/^claude,.*,--model,opus,.*--fallback-model,sonnet$/)
  expect(JSON.parse(read('session.json'))).toMatchObject(about)
  expect(readdirSync(join(stage.ralphHome, 'locks'))).toEqual([])
  expect(readdirSync(join(stage.run, 'control'))).toEqual([])
  const left = JSON.parse(readFileSync(join(stage.run, 'left.json'), 'utf8'))
  expect([left.head]).toEqual(stage.git('rev-parse', 'HEAD'))
  const status = JSON.parse((await stage.ralph('status', '--json')).stdout)
  expect(status).toMatchObject({ id: old.id, standing: 'finished', goOn: null })
  const report = JSON.parse((await stage.ralph('report', '--json')).stdout)
  expect(report).toMatchObject({ times: { sittings: 2 }, ending: { result: 'complete', proof: 'verified' } })
  // The last one was under way.
  const past = old.report.iterations.slice(0, -1)
  expect(report.iterations.slice(0, past.length)).toMatchObject(past)
  return {
    events: addedTo(journal).map(line => brief(JSON.parse(line))),
    /** Each call of an agent: at which step; a message for a commit is no iteration. */
    calls: called.map(({ step, iteration, role }) => `${step}: ${role ?? iteration}`),
    begun: addedTo(log).flatMap(line => /\[START\] (.*)/.exec(line)?.[1] ?? []),
    files: filesBelow(session).filter(path => !files.has(path)),
    report,
  }
}

/** The lines that were appended; all that was there before still is. */
function addedSince(before: string, now: string): string[] {
  expect(now.startsWith(before)).toBe(true)
  return now.slice(before.length).trimEnd().split('\n')
}

const number = (n: number) => String(n).padStart(3, '0')
const folder = (n: number) => `iter-${number(n)}`
const logs = (n: number, ...names: string[]) => names.map(name => `guardrail_${number(n)}_${name}.log`)
/** The call for a message, and the logs of git. */
const scmLogs = (n: number) => [
  ...CALL.map(file => `message-${file}`),
  ...['add', 'commit'].map(task => `scm_${number(n)}_git_${task}.log`),
]
const CALL = ['prompt.txt', 'stream.ndjson']
const within = (name: string, files: string[]) => files.map(file => `${name}/${file}`).sort()

describe('every old run', () => {
  it('is taken up by a test', () => {
    const source = readFileSync(import.meta.filename, 'utf8')
    expect(readdirSync(RUNS).filter(name => !source.includes(`'${name.replace(/\.txt$/, '')}'`))).toEqual([])
  })
})

describe('an old ralph run', () => {
  const checks = ['sh_check_sh', 'test_f_cart_txt']
  const all = (n: number) => [...logs(n, ...checks), ...CALL, ...scmLogs(n)]
  const DIRTY = [' M notes.md', 'A  staged.md', '?? loose.md']

  it('that was stopped goes on with the checks of the agent that had ended', async () => {
    const stage = setPromptRun('run-stopped')
    const went = await takeUp(stage)
    expect(went.events).toEqual([
      'resumed',
      ...settlesAndCommits(4, 'work prompt, more'),
      'applied 4',
      ...whole(5, 'work prompt', 4),
      END,
    ])
    expect(went.calls).toEqual(['4: message', '5: 4', '5: message'])
    expect(stage.asked().map(({ name }) => name)).toEqual(['message', 'work', 'message'])
    expect(went.begun).toEqual(['iteration 4/8'])
    expect(went.files).toEqual([
      ...within(folder(3), [...logs(3, ...checks), ...scmLogs(3)]),
      ...within(folder(4), all(4)),
    ])
    expect(stage.git('log', '--format=%s')).toEqual(['Ship it', 'Ship it', 'Add a cart', 'Start'])
    expect(stage.git('show', '--format=', '--name-only', 'HEAD~1')).toEqual(['pay.txt'])
    expect(stage.git('status', '--porcelain')).toEqual(DIRTY)
  })

  it('that was killed while an agent worked does that iteration again, and hears what it was told', async () => {
    const stage = setPromptRun('run-killed')
    const went = await takeUp(stage)
    expect(went.events).toEqual([
      'resumed',
      'settled 4: work prompt, interrupted',
      'applied 4',
      'told: Take cash, too.',
      ...whole(5, 'work prompt', 3),
      END,
    ])
    expect(went.calls).toEqual(['5: 3', '5: message'])
    expect(went.begun).toEqual(['iteration 3/8'])
    expect(went.files).toEqual(within('iter-003-2', all(3)))
    const { prompt } = stage.asked()[0]!
    for (const words of ['Iteration 3 of 8', 'Make a cart.', 'Prices are in cents.', 'Take cash, too.'])
      expect(prompt).toContain(words)
    expect(stage.read('spec/cart.md')).toBe('# Cart\n')
    expect(stage.git('log', '--format=%s')).toEqual(['Ship it', 'Add a cart', 'Start'])
    expect(stage.git('show', '--format=', '--name-only', 'HEAD')).toEqual(['pay.txt', 'ship.txt'])
    expect(stage.git('status', '--porcelain')).toEqual(DIRTY)
    expect(went.report.told).toEqual([
      { text: 'Prices are in cents.', before: 3 },
      { text: 'Take cash, too.', before: 3 },
    ])
  })

  it('that was killed before its commit makes it, once', async () => {
    const stage = setPromptRun('run-applying')
    const went = await takeUp(stage)
    expect(went.events).toEqual(['resumed', ...commits(4), 'applied 4', ...whole(5, 'work prompt', 4), END])
    expect(went.calls).toEqual(['4: message', '5: 4', '5: message'])
    expect(went.begun).toEqual(['iteration 4/8'])
    expect(went.files).toEqual([...within(folder(3), scmLogs(3)), ...within(folder(4), all(4))])
    expect(stage.git('log', '--format=%s')).toEqual(['Ship it', 'Ship it', 'Add a cart', 'Start'])
    expect(stage.git('status', '--porcelain')).toEqual(DIRTY)
  })

  it('that was killed right after its commit knows it, and makes no other', async () => {
    const stage = setPromptRun('run-committing')
    const went = await takeUp(stage)
    expect(went.events).toEqual([
      'resumed',
      'committed 4 by ralph',
      'applied 4',
      ...whole(5, 'work prompt', 4),
      END,
    ])
    expect(went.calls).toEqual(['5: 4', '5: message'])
    expect(went.begun).toEqual(['iteration 4/8'])
    expect(went.files).toEqual(within(folder(4), all(4)))
    expect(stage.git('log', '--format=%s')).toEqual(['Ship it', 'Add a way to pay', 'Add a cart', 'Start'])
    expect(linesIn(stage.journal)).toContainEqual(
      expect.objectContaining({ type: 'committed', id: 4, by: 'ralph', to: stage.old.head }),
    )
  })

  it('that is finished is reported, compared and undone', async () => {
    const stage = setPromptRun('run-finished')
    await expectSaidAsBefore(stage)
    const refused = await stage.ralph('resume', stage.old.id)
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('finished')])
    const diff = await stage.spawn('diff', '--name-only')
    expect([diff.code, diff.stdout, diff.stderr]).toEqual([0, 'cart.txt\nnotes.md\npay.txt\nship.txt\n', ''])
    expect((await stage.ralph('undo', '--yes')).code).toBe(0)
    expect(stage.git('log', '--format=%s')).toEqual(['Start'])
    expect(stage.read('notes.md')).toBe('Mine, and not committed.\n')
    expect(stage.git('status', '--porcelain').filter(path => !path.includes('.ralph/'))).toEqual(DIRTY)
    expect(linesIn(stage.journal).at(-1)).toMatchObject({ type: 'undone' })
  })

  it('that gc removed is reported by its receipt', async () => {
    const stage = setPromptRun('run-put-away')
    expect(existsSync(stage.run)).toBe(false)
    for (const words of [[], [stage.old.id.slice(-3)]]) {
      const ran = await stage.ralph('report', ...words, '--json')
      expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([0, stage.old.report])
    }
  })
})

describe('an old ralph build', () => {
  const all = (n: number) => [...logs(n, 'sh_check_sh'), ...CALL, ...scmLogs(n)]
  const toldOf = (...iterations: number[]) => iterations.flatMap(n => [`Iteration ${n}`, 'Committed'])
  const DONE = ['#1 completed', '#1-bug-1 completed', '#2 completed', '#3 completed']

  it('that was stopped judges what its agent did, and adopts what was written into the list since', async () => {
    const stage = setOldBuild('build-stopped')
    const { usd, tokens } = stage.old.report.totals
    for (const [limit, used] of [
      ['--max-cost=0.05', `$${usd.toFixed(2)} of $0.05`],
      ['--max-tokens=10', `${tokens.input + tokens.output} of 10 tokens`],
      ['-m5', 'all 5 of its iterations'],
    ] as const)
      expect((await stage.ralph('resume', limit)).stderr).toContain(`has used ${used}`)
    const went = await takeUp(stage)
    expect(went.events).toEqual([
      'resumed',
      'edited by person',
      ...settlesAndCommits(6, 'work #2, pass'),
      'applied 6',
      ...whole(7, 'work #3', 7),
      ...whole(8, 'work #4', 8),
      END,
    ])
    expect(stage.names()).toEqual(['other', '#3', 'other', '#4', 'other'])
    expect(went.calls).toEqual(['6: message', '7: 7', '7: message', '8: 8', '8: message'])
    expect(went.begun).toEqual(['iteration 7/20', 'iteration 8/20'])
    expect(went.files).toEqual([
      ...within(folder(6), [...logs(6, 'sh_check_sh'), ...scmLogs(6)]),
      ...within(folder(7), all(7)),
      ...within(folder(8), all(8)),
    ])
    expect(statuses(stage.list())).toEqual([...DONE, '#4 completed'])
    expect(stage.told()).toEqual(['Resumed', 'List', ...toldOf(6, 7, 8), 'End'])
    for (const name of ['#3', '#4']) expect(stage.promptOf(name)).toContain('Prices are in cents.')
  })

  it('that was killed while an agent worked does its task again, and the one it was asked for', async () => {
    const stage = setOldBuild('build-killed')
    const went = await takeUp(stage)
    expect(went.events).toEqual([
      'resumed',
      'settled 6: work #2, interrupted',
      'applied 6',
      'edited by person',
      ...whole(7, 'work #2', 6),
      ...whole(8, 'work #3', 7),
      ...whole(9, 'work #4', 8),
      END,
    ])
    expect(stage.names()).toEqual(['#2', 'other', '#3', 'other', '#4', 'other'])
    expect(went.begun).toEqual(['iteration 6/20', 'iteration 7/20', 'iteration 8/20'])
    expect(went.files).toEqual([
      ...within('iter-006-2', all(6)),
      ...within(folder(7), all(7)),
      ...within(folder(8), all(8)),
    ])
    expect(statuses(stage.list())).toEqual([...DONE, '#4 completed'])
    expect(stage.list().at(-1)).toMatchObject({ content: 'Write the changelog' })
    expect(stage.told()).toEqual(['Resumed', 'List', ...toldOf(6, 7, 8), 'End'])
  })

  it('that was killed while a bug was mended mends it before it goes on', async () => {
    const stage = setOldBuild('build-mending')
    const went = await takeUp(stage)
    expect(went.events).toEqual([
      'resumed',
      'settled 4: fix #1-bug-1, interrupted',
      'applied 4',
      ...whole(5, 'fix #1-bug-1', 4),
      ...whole(6, 'work #1', 5),
      ...whole(7, 'work #2', 6),
      ...whole(8, 'work #3', 7),
      END,
    ])
    expect(stage.names()).toEqual(['bug', '#1', '#2', '#3'].flatMap(name => [name, 'other']))
    expect(went.files).toEqual([
      ...within('iter-004-2', all(4)),
      ...[5, 6, 7].flatMap(n => within(folder(n), all(n))),
    ])
    expect(statuses(stage.list())).toEqual(DONE)
    expect(stage.told()).toEqual(['Resumed', ...toldOf(4, 5, 6, 7), 'End'])
  })

  it('that was killed before it wrote its list does so, and makes its commit once', async () => {
    const stage = setOldBuild('build-applying')
    expect(statuses(stage.list())).toContain('#2 in_progress')
    const went = await takeUp(stage)
    expect(went.events).toEqual(['resumed', ...commits(6), 'applied 6', ...whole(7, 'work #3', 7), END])
    expect(stage.names()).toEqual(['other', '#3', 'other'])
    expect(went.calls).toEqual(['6: message', '7: 7', '7: message'])
    expect(went.begun).toEqual(['iteration 7/20'])
    expect(went.files).toEqual([...within(folder(6), scmLogs(6)), ...within(folder(7), all(7))])
    expect(statuses(stage.list())).toEqual(DONE)
    expect(stage.told()).toEqual(['Resumed', ...toldOf(6, 7), 'End'])
    expect(stage.git('show', '--format=', '--name-only', 'HEAD~1')).toEqual(['pay.txt'])
    expect(stage.git('log', '--format=%s')).toEqual([...Array(4).fill('A message'), 'Start'])
  })

  it('that is finished is reported and compared', async () => {
    const stage = setOldBuild('build-finished')
    await expectSaidAsBefore(stage)
    expect((await stage.spawn('diff', '--name-only')).stdout).toBe('cart.txt\nmade-#3\npay.txt\n')
    const todo = await stage.ralph('todo', stage.old.id, '--json')
    expect(JSON.parse(todo.stdout)).toEqual(stage.list())
  })
})

describe('an old story loop', () => {
  const all = (n: number) => [...logs(n, 'sh_check_sh', 'test_f_check_sh'), ...CALL]
  const APPROVED = ['A true approved 1', 'B true approved 2', 'C true approved 1']

  it('that was stopped goes on with the checks of the agent that had ended', async () => {
    const stage = setOldStories('stories-stopped')
    const went = await takeUp(stage)
    expect(went.events).toEqual([
      'resumed',
      'settled 4: fix B, pass',
      'committed 4 by agent',
      'applied 4',
      ...own(5, 'review B', 5),
      ...own(6, 'implement C', 6),
      ...own(7, 'review C', 7),
      END,
    ])
    expect(stage.names()).toEqual(['review B', 'implement C', 'review C'])
    expect(went.calls).toEqual(['5: 5', '6: 6', '7: 7'])
    expect(went.begun).toEqual(['iteration 5/20', 'iteration 6/20', 'iteration 7/20'])
    expect(went.files).toEqual([
      ...within(folder(4), logs(4, 'sh_check_sh', 'test_f_check_sh')),
      ...[5, 6, 7].flatMap(n => within(folder(n), all(n))),
    ])
    expect(stage.stories()).toEqual(APPROVED)
  })

  it('that was killed while a review said yes does not take its word, and reviews again', async () => {
    const stage = setOldStories('stories-killed')
    expect(stage.stories()).toContain('B true approved 2')
    expect(existsSync(join(stage.project, '.ralph-active'))).toBe(true)
    const went = await takeUp(stage, expect.stringMatching(/^ralph: warning: .*B\.txt\.\n$/))
    expect(went.events).toEqual([
      'resumed',
      'settled 5: review B, interrupted',
      'warned',
      'committing 5',
      'applied 5',
      ...own(6, 'review B', 5),
      ...own(7, 'implement C', 6),
      ...own(8, 'review C', 7),
      END,
    ])
    expect(stage.names()).toEqual(['review B', 'implement C', 'review C'])
    expect(went.begun).toEqual(['iteration 5/20', 'iteration 6/20', 'iteration 7/20'])
    expect(went.files).toEqual([
      ...within('iter-005-2', all(5)),
      ...[6, 7].flatMap(n => within(folder(n), all(n))),
    ])
    const [first] = stage.seen()
    expect(first!.file.userStories[1]).toMatchObject({
      passes: false,
      reviewStatus: 'needs_review',
      reviewCount: 1,
    })
    expect(first!.env).toMatchObject({
      RALPH_RUN: stage.old.id,
      RALPH_STEP: '6',
      RALPH_STAGE: 'review',
      RALPH_WORKFLOW: 'stories',
      RALPH_DIR: join(stage.project, 'ralph'),
      RALPH_SNAPSHOT: join(stage.run, 'snapshot.json'),
    })
    expect(stage.stories()).toEqual(APPROVED)
    expect(existsSync(join(stage.project, '.ralph-active'))).toBe(false)
  })

  it('that was killed in its first iteration keeps what the stories said when it began', async () => {
    const stage = setOldStories('stories-first')
    const went = await takeUp(stage, expect.stringMatching(/^ralph: warning: .*\bA\b.*\n$/))
    expect(went.events).toEqual([
      'resumed',
      'settled 1: review A, interrupted',
      'applied 1',
      ...works(2, 'review A', 1),
      'settled 2: review A, pass',
      'committed 2 by agent',
      'warned',
      ...ownCommit(2),
      'changed 2',
      'applied 2',
      ...own(3, 'implement B', 2),
      ...own(4, 'review B', 3),
      ...own(5, 'implement C', 4),
      ...own(6, 'review C', 5),
      END,
    ])
    expect(went.begun).toEqual([1, 2, 3, 4, 5].map(n => `iteration ${n}/20`))
    expect(went.files).toEqual([
      'agent-calls.jsonl',
      ...within('iter-001-2', all(1)),
      ...[2, 3, 4, 5].flatMap(n => within(folder(n), all(n))),
    ])
    expect(stage.stories()).toEqual(['A true approved 1', 'B true approved 1', 'C true approved 1'])
  })

  it('that was killed before it wrote its stories does so, and commits them once', async () => {
    const stage = setOldStories('stories-applying')
    expect(stage.stories()).toContain('B false changes_requested 0')
    const went = await takeUp(stage, expect.stringMatching(/^ralph: warning: .*reviewCount.*\n$/))
    expect(went.events).toEqual([
      'resumed',
      'committed 3 by agent',
      'warned',
      ...ownCommit(3),
      'applied 3',
      ...own(4, 'fix B', 4),
      ...own(5, 'review B', 5),
      ...own(6, 'implement C', 6),
      ...own(7, 'review C', 7),
      END,
    ])
    expect(stage.names()).toEqual(['review-fix B', 'review B', 'implement C', 'review C'])
    expect(went.begun).toEqual([4, 5, 6, 7].map(n => `iteration ${n}/20`))
    expect(went.files).toEqual([4, 5, 6, 7].flatMap(n => within(folder(n), all(n))))
    const [first] = stage.seen()
    expect(first!.file.userStories[1]).toMatchObject({
      reviewStatus: 'changes_requested',
      reviewCount: 1,
      reviewFeedback: 'B.txt lacks a line',
    })
    expect(first!.prompt).toContain('Prices are in cents.')
    expect(stage.stories()).toEqual(APPROVED)
    expect(stage.git('log', '--format=%s').filter(subject => subject.includes('(B)'))).toEqual([
      'ralph: restore ralph/tasks.json (B)',
    ])
  })

  it('that is finished is told, compared and archived', async () => {
    const stage = setOldStories('stories-finished')
    await expectSaidAsBefore(stage)
    expect((await stage.spawn('diff', '--name-only')).stdout.split('\n')).toEqual(
      expect.arrayContaining(['B.txt', 'C.txt', 'ralph/tasks.json']),
    )
    const ran = await stage.ralph('archive')
    expect([ran.code, ran.stderr]).toEqual([0, ''])
  })
})
