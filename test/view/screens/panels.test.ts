import { describe, expect, it } from 'vitest'
import { runningChecks } from '../../../src/view/screens/panels/check-panel.ts'
import { pipelineTable } from '../../../src/workflows/pipeline/table.ts'
import { storiesTable } from '../../../src/workflows/stories/table.ts'
import { green, journal, red, taskState } from '../report-journal.ts'
import { factsOf, LARGE, modelWith, openScreen, rowWith, runWith, SMALL } from './scene.ts'

const TASKS: [string, string][] = [
  ['T-1', 'Sign tokens'],
  ['T-2', 'Check tokens'],
  ['T-3', 'Rotate keys'],
]

const verified = { ...taskState('done'), proof: true }

const piped = factsOf(
  journal({ tasks: TASKS })
    .iterate({ task: 'T-1', stage: 'coder', move: 'fail', findings: [red('coder verification')], usd: 0.5 })
    .iterate({
      task: 'T-1',
      stage: 'coder',
      move: 'pass',
      findings: [green('coder verification')],
      usd: 1,
      to: verified,
    })
    .iterate({ task: 'T-2', stage: 'coder', move: 'pass', usd: 0.25, to: taskState('reviewer') })
    .add({ type: 'changed', id: 3, paths: ['auth.js'], count: 1 })
    .start({ task: 'T-2', stage: 'reviewer', agent: 'codex' }).events,
  {
    command: 'pipeline',
    listed: true,
    table: pipelineTable(),
    subject: '3 tasks',
    criteriaOf: ({ id }) => [`- ${id} is signed`],
  },
)

const opened = (size = SMALL) =>
  openScreen(modelWith({ run: runWith(piped), now: piped.lastEvent.at + 5000 }), { size })

describe.each([
  ['at 80×24', SMALL],
  ['at 160×45', LARGE],
])('the lanes of a pipeline %s', (_, size) => {
  it('have a column for each role and for what is done, and each task with its iterations and its proof', () => {
    const screen = opened(size)
    screen.type('3')
    const [titles] = screen.lines().slice(3)
    expect(titles).toMatch(/coder 1 +reviewer 1 +tester 0 +qa 0 +done 1 +blocked 0/)
    expect(screen.text()).toContain('● T-2')
    expect(screen.text()).toMatch(/2× ✓ ver/)
  })
})

describe('a selected task', () => {
  it('shows what must hold, what was tried, what failed and what it changed', () => {
    const screen = opened(LARGE)
    screen.type('3j\r')
    const text = screen.text()
    expect(text).toContain('T-2 · Check tokens')
    expect(text).toContain('- T-2 is signed')
    expect(text).toContain('3 coder: pass')
    expect(text).toContain('auth.js')
    screen.type('\x1b')
    expect(screen.text()).toContain('reviewer 1')
  })

  it('is answered, and skipped after a yes', () => {
    const screen = opened()
    const run = piped.began.id
    screen.type('2jaUse HS256\rSy')
    expect(screen.effects).toEqual([
      { type: 'tell', run, text: 'Use HS256', task: 'T-2' },
      { type: 'skip', run, task: 'T-2' },
    ])
  })
})

describe('the agents', () => {
  it('are shown by role: who, at which try, and what the last promise was worth', () => {
    const screen = opened()
    screen.type('4')
    const text = screen.text()
    expect(text).toContain('○ coder · claude · idle')
    expect(text).toContain('its promise was verified')
    expect(text).toContain('● reviewer · codex · at work 5s')
    expect(text).toContain('iteration 4 · try 1/5')
  })
})

describe('the checks', () => {
  it('have their state, and the end of the selected log', () => {
    const checks = [
      { check: 'npm test', state: 'fail', note: 'exit code 1', log: '/s/a.log' },
      { check: 'tsc', state: 'pass', note: '', log: null },
    ] as const
    const run = runWith(piped, { checks, log: { path: '/s/a.log', lines: ['1 test failed'] } })
    const screen = openScreen(modelWith({ run }))
    screen.type('5L')
    expect(screen.text()).toContain('✗ npm test: exit code 1')
    expect(screen.text()).toContain('1 test failed')
    expect(screen.effects).toEqual([{ type: 'view', path: '/s/a.log' }])
  })

  it('that run are known by their logs', () => {
    expect(runningChecks('/s/iter-001', ['prompt.txt', 'guardrail_001_npm_test.log'])).toEqual([
      { check: 'npm test', state: 'running', note: '', log: '/s/iter-001/guardrail_001_npm_test.log' },
    ])
  })
})

describe('the iterations', () => {
  it('say what one cost at most only if that is known', () => {
    const costs = (usd?: number) => {
      const run = runWith(
        factsOf(journal().iterate({ move: 'more', ...(usd !== undefined && { usd }) }).events),
      )
      const screen = openScreen(modelWith({ run }))
      screen.type('6')
      return screen.text()
    }
    expect(costs(0.5)).toContain('cost per iteration, at most $0.50')
    expect(costs()).toContain('cost per iteration, which is not known')
  })

  it('have a chart of what each cost, and open with their checks and files', () => {
    const screen = opened(LARGE)
    screen.type('6')
    expect(screen.lines()[3]).toBe(' \u2585\u2588\u2583\u00b7')
    screen.type('kkk\r')
    expect(screen.text()).toContain('iteration 1 · T-1 · Sign tokens')
    expect(screen.text()).toContain('✗ coder verification')
    screen.type('PL')
    expect(screen.effects).toEqual([
      { type: 'view', path: '/session/iter-001/prompt.txt' },
      { type: 'view', path: '/home/me/shop/a.log' },
    ])
  })
})

describe('a story that no review settles', () => {
  const capped = factsOf(
    journal({ tasks: TASKS })
      .iterate({
        task: 'T-1',
        stage: 'review',
        move: 'capped',
        to: { ...taskState('blocked', 'not approved in 5 reviews'), blockedAt: 'review' },
      })
      .start({ task: 'T-2', stage: 'implement' }).events,
    {
      ...{ command: 'stories', listed: true, table: storiesTable(), subject: '', criteriaOf: () => [] },
      decideCommands: run => [`ralph approve ${run}`],
    },
  )
  const open = () => openScreen(modelWith({ run: runWith(capped) }))
  const run = capped.began.id

  it('is approved after a yes, or sent back with a reason', () => {
    const screen = open()
    expect(screen.text()).toContain('T-1 · Sign tokens is left for you: not approved in 5 reviews')
    screen.type('+y-The total is wrong\r')
    expect(screen.effects).toEqual([
      { type: 'decide', run, story: 'T-1', isApproved: true, why: '' },
      { type: 'decide', run, story: 'T-1', isApproved: false, why: 'The total is wrong' },
    ])
  })

  it('is on top of the overview', () => {
    const rows = [rowWith(piped, { id: 'b' }), rowWith(capped, { id: 'a', name: 'shop' })]
    expect(openScreen(modelWith({ rows })).lines()[2]).toContain('shop')
  })
})

describe('a host that the sandbox refused', () => {
  const denied = factsOf([...piped.latest, { type: 'denied', at: piped.lastEvent.at, host: 'npmjs.org' }])

  it('is named, and allowed after a yes', () => {
    const screen = openScreen(modelWith({ run: runWith(denied) }))
    expect(screen.text()).toContain('the sandbox refused npmjs.org')
    screen.type('Hy')
    expect(screen.effects).toEqual([{ type: 'allow', run: piped.began.id, host: 'npmjs.org' }])
  })
})

describe('what people may edit', () => {
  it('is opened in the editor', () => {
    const screen = openScreen(modelWith({ run: runWith(piped, { editable: '/p/tasks.json' }) }))
    screen.type('e')
    expect(screen.effects).toEqual([{ type: 'edit', path: '/p/tasks.json' }])
  })
})
