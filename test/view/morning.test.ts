import { describe, expect, it } from 'vitest'
import { AT_CAP } from '../../src/core/table.ts'
import { lastNight, type RunNight } from '../../src/view/morning/model.ts'
import { morningOf } from '../../src/view/morning/morning.ts'
import { later, NIGHT, night } from './morning-scene.ts'
import { doubt, green, type IterationOptions, journal, MINUTE, red, taskState } from './report-journal.ts'

const ID = '20260301-221530-k3f'
const TASKS: [string, string][] = [
  ['#1', 'Add a cart'],
  ['#2', 'Add tax'],
]
const build = () => journal({ tasks: TASKS })
const done = (task: string, more: IterationOptions = {}): IterationOptions => ({
  task,
  move: 'pass',
  findings: [green()],
  usd: 0.5,
  to: { ...taskState('done'), proof: true },
  ...more,
})
const blocked = (task: string, why: string, move: 'ask' | 'spent' = 'spent'): IterationOptions => ({
  task,
  move,
  to: taskState('blocked', why),
})
const needsOf = (one: RunNight) =>
  one.needs?.needs.map(({ kind, task, why, commands }) => [kind, task, why, ...commands])

describe('the last night', () => {
  it.each([
    ['2026-03-02T00:00', '2026-03-01T18:00', 'since yesterday 18:00'],
    ['2026-03-02T07:30', '2026-03-01T18:00', 'since yesterday 18:00'],
    ['2026-03-02T11:59', '2026-03-01T18:00', 'since yesterday 18:00'],
    ['2026-03-02T12:00', '2026-03-01T12:00', 'in the last 24 hours'],
    ['2026-03-02T23:15', '2026-03-01T23:15', 'in the last 24 hours'],
  ])('at %s is that since %s', (now, since, words) => {
    const at = (time: string) => new Date(time).getTime()
    expect(lastNight(at(now))).toEqual({ since: at(since), now: at(now), words })
  })
})

describe('what needs a person', () => {
  it('is a question of a task, with the command that answers it, then the one that goes on', () => {
    const pen = build()
      .iterate(done('#1'))
      .iterate(blocked('#2', 'Which country?', 'ask'))
    const one = night(pen.finish('blocked', '#2 Which country?'), { name: 'night' })
    expect(needsOf(one)).toEqual([['question', '#2', 'Which country?', 'ralph tell night 2 "your answer"']])
    expect(one.needs!.resume).toBe('ralph resume night')
  })

  it('is the question alone while the run is at work: the answer is enough', () => {
    const { events } = build()
      .iterate(blocked('#2', 'Which country?', 'ask'))
      .start({ task: '#1' })
    expect(night(events, { live: true }).needs).toMatchObject({ needs: [{ kind: 'question' }], resume: null })
  })

  it('is no longer a question once the task was tried again', () => {
    const pen = build()
      .iterate(blocked('#2', 'Which country?', 'ask'))
      .iterate(blocked('#2', 'all tries are used'))
    expect(needsOf(night(pen.finish('blocked', '')))).toEqual([
      ['blocked', '#2', 'all tries are used', `ralph tell ${ID} 2 "what to do"`],
    ])
  })

  it('is a story left at the cap, which a person decides about', () => {
    const tasks: [string, string][] = [['US-001', 'Add a note']]
    const pen = journal({ tasks }).iterate(blocked('US-001', 'sent back 5 times: no tests'))
    expect(needsOf(night(pen.finish('blocked', ''), { workflow: 'stories', name: 'night' }))).toEqual([
      [
        'decision',
        'US-001',
        'sent back 5 times: no tests',
        'ralph approve night US-001',
        'ralph reject night US-001 "why"',
      ],
    ])
  })

  it('has no command in it that an agent chose: the id of a task is one word for the shell', () => {
    const id = "#$(reboot);'x"
    const pen = journal({ tasks: [[id, 'x']] }).iterate(blocked(id, 'why', 'ask'))
    const [[, , , command]] = needsOf(night(pen.finish('blocked', ''), { name: 'night' })) as [string[]]
    expect(command).toBe(`ralph tell night '$(reboot);'\\''x' "your answer"`)
  })

  it('is a host that the sandbox kept it from, until it is allowed', () => {
    const pen = build().add({ type: 'denied', host: 'a.example' }).add({ type: 'denied', host: 'b.example' })
    const { events } = pen.add({ type: 'allowed', host: 'a.example' })
    expect(needsOf(night(events, { live: true, name: 'night' }))).toEqual([
      ['host', null, 'the sandbox refused b.example', 'ralph sandbox allow night b.example'],
    ])
    expect(night(pen.finish('complete', 'complete', 'verified')).needs).toBeNull()
  })

  it('is no host to allow where that would not help', () => {
    const { events } = build().add({ type: 'denied', host: 'a.example', why: 'its address is private' })
    expect(needsOf(night(events, { live: true }))).toEqual([
      ['host', null, 'the sandbox refused a.example: its address is private'],
    ])
  })

  it('is a limit that it waits for; to try now is to resume it', () => {
    const until = NIGHT.now + MINUTE
    const { events } = build().iterate({ task: '#1', end: 'limited' })
    const limited = events.map(e =>
      e.type === 'settled' ? { ...e, patch: { until: { claude: until } } } : e,
    )
    const one = night(limited, { live: true, name: 'night' })
    expect(one.needs).toMatchObject({
      needs: [{ kind: 'limit', commands: [] }],
      resume: 'ralph resume night',
    })
    expect(night(limited, { live: true, period: { ...NIGHT, now: until } }).needs).toBeNull()
  })

  it.each([
    ['failures', 'failed'],
    ['inactive', 'failed'],
    ['unusable', 'failed'],
    ['limited', 'limit'],
    ['exhausted', 'unfinished'],
    ['budget', 'unfinished'],
    ['blocked', 'blocked'],
  ] as const)('is a run that ended by %s', (result, kind) => {
    const one = night(
      build()
        .iterate({ task: '#1', move: 'fail', findings: [red()] })
        .finish(result, 'the reason'),
    )
    expect(one.needs!.needs).toMatchObject([{ kind, why: expect.stringContaining('the reason') }])
    expect(one.needs!.resume).toContain(`ralph resume ${ID}`)
  })

  it('is a run that was cut off, stopped or paused', () => {
    const { events } = build().start({ task: '#1' })
    expect(needsOf(night(events))).toEqual([['crashed', null, 'it was cut off: its process died']])
    const stopped = build().add({ type: 'stopped', why: 'interrupted' }).events
    expect(needsOf(night(stopped))).toEqual([['stopped', null, 'stopped: interrupted']])
    const paused = build().add({ type: 'control', hold: 'pause' }).events
    expect(night(paused, { live: true }).needs).toMatchObject({
      needs: [{ kind: 'paused' }],
      resume: `ralph resume ${ID}`,
    })
  })

  it.each(['complete', 'cancelled'] as const)('is nothing of a run that ended as %s', result => {
    const pen = build().iterate(blocked('#2', 'cancelled by a person'))
    expect(night(pen.finish(result, result)).needs).toBeNull()
  })

  it('is nothing of a task that a person gave up, nor of a run that was undone', () => {
    const pen = build().iterate(blocked('#2', 'cancelled by a person')).start({ task: '#1' })
    expect(night(pen.events, { live: true }).needs).toBeNull()
    expect(night(build().add({ type: 'undone', saved: 'x' }).events).needs).toBeNull()
  })

  it('is nothing of a run of which a person gave up all that is left', () => {
    const pen = build().iterate(done('#1')).iterate(blocked('#2', 'cancelled by a person'))
    expect(night(pen.finish('blocked', '#2 cancelled by a person')).needs).toBeNull()
  })

  it('comes with the most urgent first, of a run and among the runs', () => {
    const failed = night(build().finish('failures', 'x'), { name: 'failed' })
    const asking = night(
      build()
        .iterate(blocked('#1', 'stuck'))
        .iterate(blocked('#2', 'Which?', 'ask'))
        .finish('blocked', 'x'),
      { name: 'asking' },
    )
    const { needsYou } = morningOf([failed, asking], NIGHT)
    expect(needsYou.map(({ name, needs }) => [name, ...needs.map(({ kind }) => kind)])).toEqual([
      ['asking', 'question', 'blocked'],
      ['failed', 'failed'],
    ])
  })
})

describe('what landed', () => {
  const hows = (one: RunNight) => one.landed?.tasks.map(({ task, how }) => [task, how])

  it('tells verified, claimed and approved at the cap apart', () => {
    const tasks: [string, string][] = ['A', 'B', 'C', 'D'].map(id => [id, id])
    const pen = journal({ tasks })
      .iterate(done('A'))
      .iterate(done('B', { to: taskState('done') }))
    pen
      .iterate(done('C', { move: 'capped', to: taskState('done', AT_CAP) }))
      .iterate({ task: 'D', move: 'more' })
    expect(hows(night(pen.events))).toEqual([
      ['A', 'verified'],
      ['B', 'claimed'],
      ['C', 'capped'],
    ])
  })

  it('is doubted where something speaks against the green checks of the run', () => {
    const one = night(build().iterate(done('#1', { doubts: [doubt] })).events)
    expect(hows(one)).toEqual([['#1', 'doubted']])
    expect(one.costs).toMatchObject({ verified: 0, perVerified: null })
  })

  it('is a person’s where a person said so', () => {
    const pen = build().add({ type: 'edited', by: 'person', state: { '#1': taskState('done') } })
    expect(hows(night(pen.events))).toEqual([['#1', 'person']])
    expect(night(pen.events).lookAt!.reasons[0]).toBe('done by a person: #1')
    const both = night(pen.iterate(done('#2')).events)
    expect(both.lookAt!.reasons.slice(0, 2)).toEqual(['done by a person: #1', 'verified: #2'])
  })

  it('is not what was done before, nor what was taken up again, nor a bug fix', () => {
    const before = build()
      .iterate(done('#1'))
      .later(3 * 60 * MINUTE)
      .iterate(done('#2'))
    expect(hows(night(before.events, { period: later(5) }))).toEqual([['#2', 'verified']])
    const again = build().iterate(done('#1')).iterate({ task: '#1', move: 'more' })
    expect(night(again.events).landed).toBeNull()
    const [began, ...events] = journal({ tasks: [['#1-bug-1', 'Fix: x']] }).iterate(done('#1-bug-1')).events
    const fix = { id: '#1-bug-1', title: 'Fix: x', blockedBy: [], parent: '#1' }
    expect(night([{ ...began, tasks: [fix] } as never, ...events]).landed).toBeNull()
  })

  it('has its commits and files; what was merged stands for the commits before', () => {
    const pen = build().start({ task: '#1' }).end()
    pen.add({ type: 'changed', id: 1, count: 2, paths: ['a.js', 'b.js'] })
    pen.add({ type: 'committed', id: 1, by: 'agent', from: 'a'.repeat(40), to: 'b'.repeat(40) })
    pen.settle(done('#1'))
    const [task] = night(pen.events).landed!.tasks
    expect(task!.commits).toEqual(['aaaaaaaaaa..bbbbbbbbbb'])
    expect(night(pen.events).landed).toMatchObject({ files: 2, isCommitted: true })
    pen.add({ type: 'merged', id: 1, workspace: 'w', from: 'c'.repeat(40), to: 'd'.repeat(40) })
    expect(night(pen.events).landed!.tasks[0]!.commits).toEqual(['dddddddddd'])
  })

  it('is nothing of a run that was undone, but it was paid for', () => {
    const one = night(build().iterate(done('#1')).add({ type: 'undone', saved: 'x' }).events)
    expect([one.landed, one.lookAt]).toEqual([null, null])
    expect(one.costs).toMatchObject({ usd: 0.5, verified: 0 })
  })
})

describe('what it cost', () => {
  it('is what was paid in the night, also for an iteration that began before it', () => {
    const pen = build()
      .iterate(done('#1', { usd: 4 }))
      .later(2 * 60 * MINUTE)
    pen
      .start({ task: '#2' })
      .end({ usd: 1, ms: 3 * 60 * MINUTE })
      .settle(done('#2'))
    const { costs } = night(pen.events, { period: later(8) })
    expect(costs).toMatchObject({ usd: 1, verified: 1, perVerified: 1, workedMs: 3 * 60 * MINUTE })
    expect(night(pen.events, { period: later(13) }).costs).toBeNull()
  })

  it('counts the time of what is under way, from the evening on', () => {
    const { events } = build()
      .iterate(done('#1'))
      .later(5 * MINUTE)
      .start({ task: '#2' })
    const workedMs = (hours: number, live: boolean) =>
      night(events, { live, period: later(hours) }).costs!.workedMs
    const sinceStart = NIGHT.now - events.at(-1)!.at
    expect([workedMs(0, true), workedMs(0, false)]).toEqual([6 * MINUTE + sinceStart, 6 * MINUTE])
    expect(workedMs(12, true)).toBe(60 * MINUTE)
  })

  it('adds up over runs; the tasks that nothing verified were paid for, too', () => {
    const one = night(
      build()
        .iterate(done('#1'))
        .iterate(done('#2', { to: taskState('done'), usd: 1 })).events,
    )
    const other = night(build().iterate({ task: '#1', move: 'more', tokens: [10, 5, 1] }).events)
    const { costs } = morningOf([one, other], NIGHT)
    expect(costs.total).toMatchObject({
      usd: 1.5,
      unpriced: 1,
      verified: 1,
      perVerified: 1.5,
      tokens: { input: 10, cached: 5, output: 1 },
      workedMs: 3 * MINUTE,
    })
  })

  it('is marked as an estimate if any of it is one, and unknown where no agent told it', () => {
    const [began, ...events] = build().iterate(done('#1')).events
    const estimated = events.map(e =>
      e.type === 'ended' ? { ...e, result: { ...e.result, estimated: true as const } } : e,
    )
    expect(morningOf([night([began!, ...estimated])], NIGHT).costs.total.estimated).toBe(true)
    const silent = night(build().iterate(done('#1', { usd: undefined })).events)
    expect(silent.costs).toMatchObject({ usd: null, verified: 1, perVerified: null })
  })
})

describe('what to look at first', () => {
  const named = (name: string, iteration: IterationOptions, files = 1) => {
    const pen = build().start({ task: '#1' }).end(iteration)
    pen.add({
      type: 'changed',
      id: 1,
      count: files,
      paths: Array.from({ length: files }, (_, n) => `${n}.js`),
    })
    return night(pen.settle(iteration).finish('cancelled', 'cancelled'), { name })
  }
  const verified = (name: string, files?: number) => named(name, done('#1'), files)
  const claimed = (name: string, files?: number) => named(name, done('#1', { to: taskState('done') }), files)
  const capped = (name: string) => named(name, done('#1', { to: taskState('done', AT_CAP) }))
  const doubted = (name: string) => named(name, done('#1', { doubts: [doubt] }))
  const left = (name: string) => named(name, { task: '#1', move: 'more' })

  it('is what is doubted, then approved at the cap, claimed, left unfinished, verified', () => {
    const nights = [
      verified('verified'),
      left('left'),
      claimed('claimed'),
      capped('capped'),
      doubted('doubted'),
    ]
    const { lookFirst } = morningOf(nights, NIGHT)
    expect(lookFirst.map(({ name }) => name)).toEqual(['doubted', 'capped', 'claimed', 'left', 'verified'])
    expect(lookFirst.map(({ reasons }) => reasons[0])).toEqual([
      'doubted: tests: a.test.js was deleted',
      'approved at the cap, not by a reviewer: #1',
      'claimed: nothing verified it: #1',
      'it ended with changes, and nothing was done',
      'verified',
    ])
  })

  it('is among equals what changed more, and what nobody knows of before that', () => {
    const unknown = night(build().iterate(done('#1')).events, { name: 'unknown' })
    const { lookFirst } = morningOf(
      [verified('small'), verified('large', 20), unknown, verified('same')],
      NIGHT,
    )
    expect(lookFirst.map(({ name, reasons }) => [name, reasons.at(-1)])).toEqual([
      ['unknown', 'it is not known which files changed'],
      ['large', 'large: 20 files changed'],
      ['small', '1 file changed'],
      ['same', '1 file changed'],
    ])
  })

  it('has the commands to look and to take it back, where they would work', () => {
    const { events } = build().iterate(done('#1')).start({ task: '#2' })
    const commands = (one: RunNight) => [...one.lookAt!.look, one.lookAt!.undo]
    expect(commands(night(events, { name: 'night' }))).toEqual([
      'ralph diff night',
      'ralph report night',
      'ralph undo night',
    ])
    expect(commands(night(events, { name: 'night', live: true }))).toEqual([
      'ralph diff night',
      'ralph report night',
      null,
    ])
    expect(commands(night(events, { name: 'night', inGit: false }))).toEqual(['ralph report night', null])
  })

  it('is nothing of a run that changed nothing', () => {
    expect(night(build().finish('failures', 'x')).lookAt).toBeNull()
  })
})

describe('what is still running', () => {
  it('tells since when, at what, and what the whole run cost so far', () => {
    const { events } = build().iterate(done('#1')).start({ task: '#2' })
    expect(night(events, { live: true, period: later(12) }).atWork).toMatchObject({
      phase: 'running',
      began: Date.UTC(2026, 2, 1, 22, 15, 30),
      iteration: 2,
      iterations: 10,
      doing: '#2 Add tax',
      spent: { usd: 0.5 },
    })
    expect(night(events).atWork).toBeNull()
  })
})

describe('secrets', () => {
  it('are left out wherever an agent wrote them', () => {
    const key = `sk-${'a1'.repeat(12)}`
    const pen = journal({
      tasks: [
        ['A', `Use ${key}`],
        ['B', 'x'],
      ],
    }).iterate(done('A'))
    const one = night(pen.iterate(blocked('B', `Is ${key} right?`, 'ask')).finish('blocked', key))
    expect(JSON.stringify(morningOf([one], NIGHT))).not.toContain(key)
  })
})
