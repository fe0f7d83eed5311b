import { describe, expect, it } from 'vitest'
import { readBlocked, readFailed } from '../../../src/core/completion.ts'
import type { Finding } from '../../../src/core/events.ts'
import { type TaskPromptOptions, taskPrompt } from '../../../src/workflows/build/rules/prompt.ts'
import { buildTable as build } from '../../../src/workflows/build/table.ts'
import { green, ok, play, task, trouble } from '../../core/play.ts'

const scene: TaskPromptOptions = {
  session: '.ralph/sessions/r1',
  goal: { text: 'Build a snake game' },
  parent: null,
  checks: ['npm test', 'npm run lint'],
  count: null,
}
const red: Finding = { check: 'npm test', verdict: 'fail', note: 'Guardrail "npm test" failed.' }
const spec = { description: 'A grid of cells.', acceptanceCriteria: ['20 by 20', 'npm test passes'] }

/** The prompt of what comes next in a run. */
function nextPrompt(run: ReturnType<typeof play>, more: Partial<TaskPromptOptions> = {}) {
  const decision = run.decide()
  if (decision.type !== 'work') throw new Error(decision.type)
  const { task } = decision
  const parent = run.tasks.find(({ id }) => id === task.parent) ?? null
  return taskPrompt({ task, state: run.state }, { ...scene, parent, ...more })
}
const start = (more: object = {}) => play(build(), [task('#1', { spec, ...more }), task('#2')])

describe('the prompt of a task', () => {
  it('has the goal, the task with its details, the way to get up to speed, and the rules', () => {
    const prompt = nextPrompt(start())
    expect(prompt).toContain('<goal>\nBuild a snake game\n</goal>')
    expect(prompt).toContain(
      '# Your task: Do #1 (#1)\n\nA grid of cells.\n\nAcceptance criteria:\n- 20 by 20\n- npm test passes\n',
    )
    const places = ['/tasks.json`', '/progress.txt`', '`git log --oneline -10`', '# Rules'].map(text =>
      prompt.indexOf(text),
    )
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(places[0]).toBeGreaterThan(0)
    expect(prompt).toContain('- Work only on #1')
    expect(prompt).toContain('ralph runs `npm test`, `npm run lint` itself')
    expect(prompt).not.toContain('What failed')
    expect(prompt).not.toContain('bug fix')
  })

  const flat = nextPrompt(start()).replace(/\s+/g, ' ')

  it.each([
    'You work on one task of a larger plan. Its goal: <goal>',
    '# Getting up to speed You start with a fresh context. Before you edit anything:',
    '1. Read `.ralph/sessions/r1/tasks.json`: all tasks, their status, and what blocks them.',
    '2. Read the end of `.ralph/sessions/r1/progress.txt`: what was done before, and what went wrong.',
    '3. Run `git log --oneline -10`: the latest commits.',
    '- Work only on #1, and finish it completely. Do not work on other tasks.',
    '- You do not decide whether it is done: when you end, ralph runs `npm test`, `npm run lint` itself, and #1 is completed if all of it passes. Run it first.',
    '- Ralph keeps `.ralph/sessions/r1/tasks.json`. You may add tasks there that turn out to be needed, and reorder it; what you write about completion, rewrite or remove is put back. Leave `.ralph/sessions/r1/progress.txt` alone.',
    '- Nobody answers while you work. Decide what you can decide, and say in your last message what you decided.',
    '- End with a few sentences on what you did and what the next one should know: they go into progress.txt.',
    '- If you could not do it, say why in your last message: <failed>the reason in one line</failed>',
    '- If only a person can help (a decision, access, a secret), ask in your last message: <blocked>your question</blocked>',
  ])('says: %s', sentence => expect(flat).toContain(sentence))

  it('of a task without details has its title alone', () => {
    expect(nextPrompt(play(build(), [task('#1')]))).toContain(
      '# Your task: Do #1 (#1)\n\n# Getting up to speed',
    )
  })

  it('of a bug fix says what to do, and nothing of a parent without details', () => {
    const run = play(build(), [task('#1')])
    run.step(ok({ findings: [red] }))
    expect(nextPrompt(run)).toContain(
      'This is a bug fix. #1 (Do #1) was worked on and its checks failed; it waits for you. Find the cause and fix it there, so that the checks pass. Do not weaken or skip a check.\n\n# Getting',
    )
  })

  it('names the file of a specification instead of repeating it', () => {
    const prompt = nextPrompt(start(), { goal: { file: 'specs/snake.md' } })
    expect(prompt).toContain(
      'You work on one task of a larger plan. The specification is in specs/snake.md.\n\n#',
    )
  })

  it('shows the tags for failure and for a question as they are read', () => {
    const prompt = nextPrompt(start())
    expect(readFailed(prompt)).toBe('the reason in one line')
    expect(readBlocked(prompt)).toBe('your question')
  })

  it('says what completes a task that nothing checks', () => {
    expect(nextPrompt(start(), { checks: [] })).toContain(
      'when you end, ralph completes #1 unless you say that it failed. Test your work first.\n',
    )
  })

  it('for a bug fix has what failed, and the task that waits for it', () => {
    const run = start()
    run.step(ok({ findings: [green, red] }))
    const prompt = nextPrompt(run)
    expect(prompt).toContain(
      '# Your task: Fix: Guardrail "npm test" failed. (#1-bug-1)\n\nThis is a bug fix. #1 (Do #1)',
    )
    expect(prompt).toContain('What #1 asks for:\nA grid of cells.\n- 20 by 20\n')
    expect(prompt).toContain('# What failed before\n\nGuardrail "npm test" failed.')
    run.step(ok({ findings: [{ ...red, note: 'still red' }] }))
    expect(nextPrompt(run)).toContain('# What failed before\n\nstill red')
    expect(nextPrompt(run)).not.toContain('# What failed before\n\nGuardrail')
  })

  it('after its bug fix has what failed before it', () => {
    const run = start()
    run.step(ok({ findings: [red] }))
    run.step(ok({ findings: [green] }))
    const prompt = nextPrompt(run)
    expect(prompt).toContain('# Your task: Do #1 (#1)')
    expect(prompt).toContain(
      '# What failed before\n\nA bug fix was made since; check whether this still fails.\n\nGuardrail',
    )
  })

  it('puts a note that is to be prepended first, and lets none replace the task', () => {
    const run = start()
    const findings: Finding[] = [
      { ...red, note: 'REPLACED', action: 'REPLACE' },
      { ...red, note: 'PREPENDED', action: 'PREPEND' },
      { check: 'the agent', verdict: 'fail', note: 'no network', claim: true },
    ]
    run.step(ok({ findings }))
    const prompt = nextPrompt(run, { count: 'Iteration 2.' })
    expect(prompt.startsWith('Iteration 2.\n\nPREPENDED\n\nYou work on')).toBe(true)
    expect(prompt).toContain('# Your task')
    expect(prompt.endsWith('# What failed before\n\nREPLACED\n\nthe agent: no network')).toBe(true)
  })

  it('warns of a tree that nobody finished editing', () => {
    const run = start()
    run.step(trouble('interrupted'))
    expect(nextPrompt(run)).toMatch(/^Note: the previous iteration was interrupted\./)
  })

  it('ends with what the user said, in every later prompt', () => {
    const run = start()
    run.record({ type: 'instructed', at: 1, text: 'use TypeScript' })
    expect(nextPrompt(run).endsWith('\n\nInstruction from the user: use TypeScript')).toBe(true)
    run.step(ok({ findings: [green] }))
    expect(nextPrompt(run)).toContain('(#2)')
    expect(nextPrompt(run).endsWith('\n\nInstruction from the user: use TypeScript')).toBe(true)
  })

  it('names a single check, a parent with a single line, and doubts about earlier work', () => {
    const run = play(build(), [task('#1', { spec: { description: 'A grid.' } })])
    const doubt = { ...green, check: 'tests', note: 'DOUBT', doubts: ['a.test.js was deleted'] }
    run.step(ok({ findings: [red, doubt] }))
    const prompt = nextPrompt(run, { checks: ['npm test'] })
    expect(prompt).toContain('ralph runs `npm test` itself')
    expect(prompt).toContain('What #1 asks for:\nA grid.')
    expect(prompt).toMatch(/\n\nDOUBT$/)
  })
})
