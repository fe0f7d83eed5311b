import { execFileSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Act } from '../support/agent-script.ts'
import { item, plans, says, setBuild, statuses } from './build-scene.ts'

/** Green once the file is there. */
const needs = (file: string) => ({ baseline: false, guardrails: [{ command: `test -f ${file}` }] })

describe('a task whose checks are red', () => {
  it('gets a bug fix right behind it, waits for it, and is tried again', async () => {
    const stage = setBuild({
      settings: needs('fixed'),
      plan: [plans(item(1), item(2, ['#1']))],
      work: {
        '#1': [says('Made it.'), says('Now it is.')],
        '#1-bug-1': [[['file', 'list-then', ''], ['file', 'fixed', ''], ...says('The file was missing.')]],
      },
    })
    const ran = await stage.ralph('build', 'x')
    expect([ran.code, stage.names()]).toEqual([0, ['plan', '#1', '#1-bug-1', '#1', '#2']])
    expect(stage.list().map(({ id, content, activeForm }) => [id, content, activeForm])).toEqual([
      ['#1', 'Make part 1', 'Making part 1'],
      [
        '#1-bug-1',
        'Fix: Guardrail "test -f fixed" failed with exit code 1.',
        'Fixing Guardrail "test -f fixed" failed with exit code 1.',
      ],
      ['#2', 'Make part 2', 'Making part 2'],
    ])
    expect(stage.promptOf('#1-bug-1')).toMatch(
      /This is a bug fix\. #1 [\s\S]*Guardrail "test -f fixed" failed/,
    )
    expect(stage.promptOf('#1', 2)).toContain('A bug fix was made since')
    expect(ran.stdout).toMatch(/\[x\] #1 Make part 1\n {4}\[x\] #1-bug-1 Fix: /)
    expect(stage.ending()).toMatchObject({ proof: 'verified' })
  })

  it('is pending meanwhile, blocked by its bug fix, and so is what waits for it', async () => {
    const stage = setBuild({
      settings: needs('fixed'),
      plan: [plans(item(1), item(2, ['#1']))],
      work: {
        '#1-bug-1': [
          [
            ['list', 'items'],
            ['exit', 1],
          ],
        ],
      },
    })
    await stage.ralph('build', 'x', '-m', '3')
    expect(stage.list().map(({ id, status, blockedBy }) => [id, status, blockedBy])).toEqual([
      ['#1', 'pending', ['#1-bug-1']],
      ['#1-bug-1', 'pending', undefined],
      ['#2', 'pending', ['#1']],
    ])
  })

  it('is recorded in progress.txt with its error, and so is its fix', async () => {
    const stage = setBuild({
      settings: needs('fixed'),
      plan: [plans(item(1, [], { description: 'With care', acceptanceCriteria: ['round'] }))],
      work: {
        '#1': [says('Made it.'), says('Now it is.')],
        '#1-bug-1': [[['file', 'fixed', ''], ...says('It was missing.')]],
      },
    })
    await stage.ralph('build', 'x')
    const iso = '\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z'
    expect(stage.session('progress.txt')).toMatch(
      new RegExp(
        [
          '## Iteration 2 — #1: Make part 1',
          'Description: With care',
          'Acceptance criteria:',
          '- round',
          '',
          'Progress:',
          `- ✗ Status: failing \\(${iso}\\)`,
          '- Error: Guardrail "test -f fixed" failed with exit code 1\\.',
          '[\\s\\S]*- Bug fix added: #1-bug-1: Fix: Guardrail .*',
          '- The agent said:',
          '  > Made it\\.',
          '',
          '## Iteration 3 — #1-bug-1: Fix: .*',
          'Bug fix for #1',
          '',
          'Progress:',
          `- ✓ Status: completed \\(${iso}\\)`,
          '- The agent said:',
          '  > It was missing\\.',
          '',
          '## Iteration 4 — #1: Make part 1',
        ].join('\n'),
      ),
    )
  })

  it('is blocked when its bug fix has used its tries, others go on, and the build ends with 1', async () => {
    const stage = setBuild({
      settings: { baseline: false, stuckAfter: 99, guardrails: [{ command: '! test -f broken' }] },
      plan: [plans(item(1), item(2, ['#1']), item(3))],
      work: {
        '#1': [[['file', 'broken', ''], ...says('Made it.')]],
        '#3': [[['file', 'x', ''], ...says('no')]],
      },
    })
    const ran = await stage.ralph('build', 'x')
    expect([ran.code, stage.names().slice(0, 5)]).toEqual([1, ['plan', '#1', 'bug', 'bug', 'bug']])
    expect(ran.stdout).toMatch(
      /blocked: #1 waits for #1-bug-1; #1-bug-1: all tries at fixing are used: ! test -f broken failed/,
    )
  })

  it('is blocked after so many bug fixes as are set', async () => {
    const stage = setBuild({
      settings: {
        baseline: false,
        maxBugFixes: 1,
        guardrails: [{ command: 'test "$(cat state)" = good' }],
      },
      plan: [plans(item(1))],
      work: {
        '#1': [[['file', 'state', 'bad'], ...says('Made it.')]],
        '#1-bug-1': [[['file', 'state', 'good'], ...says('Mended.')]],
      },
    })
    const ran = await stage.ralph('build', 'x')
    expect([ran.code, stage.names()]).toEqual([1, ['plan', '#1', '#1-bug-1', '#1']])
    expect(ran.stdout).toContain('still red after 1 bug fixes')
  })
})

describe('an agent', () => {
  it('that says it failed has failed, and why is the bug fix', async () => {
    const stage = setBuild({
      settings: { guardrails: [{ command: 'true' }] },
      plan: [plans(item(1))],
      work: { '#1': [says('Hm. <failed>the API is not there</failed>'), says('Made it.')] },
    })
    expect((await stage.ralph('build', 'x')).code).toBe(0)
    expect(stage.names()).toEqual(['plan', '#1', 'bug', '#1'])
    expect(stage.list()[1]).toMatchObject({ id: '#1-bug-1', content: 'Fix: the API is not there' })
    expect(stage.promptOf('bug')).toContain('the agent: the API is not there')
    expect(stage.session('progress.txt')).toContain('- Error: the agent: the API is not there')
  })

  it('that says it failed, and not why, has failed; and so it is when it needs a person', async () => {
    const stage = setBuild({
      settings: { guardrails: [{ command: 'true' }] },
      plan: [plans(item(1), item(2))],
      work: { '#1': [says('No. <failed></failed>'), says('Made it.')], '#2': [says('<blocked> </blocked>')] },
    })
    const ran = await stage.ralph('build', 'x')
    expect([ran.code, stage.names()]).toEqual([1, ['plan', '#1', 'bug', '#1', '#2']])
    expect(stage.list()[1]).toMatchObject({ content: 'Fix: it gave no reason' })
    expect(ran.stdout).toContain('waits for you: it did not say what for')
  })

  it('that fails at length gives its bug fix a title that is read', async () => {
    const stage = setBuild({
      plan: [plans(item(1))],
      work: { '#1': [says(`<failed>${'x'.repeat(5000)}</failed>`), says('Made it.')] },
    })
    await stage.ralph('build', 'x')
    expect(stage.list()[1]!.content).toBe(`Fix: ${'x'.repeat(200)}`)
  })

  it('that needs a person has its task blocked with the question, and others go on', async () => {
    const stage = setBuild({
      plan: [plans(item(1), item(2, ['#1']), item(3))],
      work: { '#1': [says('<blocked>Which colour?</blocked>'), says('Blue it is.')] },
    })
    const ran = await stage.ralph('build', 'x')
    expect([ran.code, stage.names()]).toEqual([1, ['plan', '#1', '#3']])
    expect(ran.stdout).toContain('[ ] #1 Make part 1 › waits for you: Which colour?')
    expect(ran.stdout).toContain('blocked: #1: Which colour?; #2 waits for #1')
    expect(ran.stdout).toContain(`to go on: ralph build --resume ${stage.id()} "your answer"`)
    expect((await stage.ralph('status')).stdout).toMatch(
      /tasks\s+1 of 3 completed\n\s+blocked\s+#1: Which colour\?\n/,
    )
    expect(stage.session('progress.txt')).toContain('- Blocked: Which colour?')

    const again = await stage.ralph('build', '--resume', stage.id().slice(-3), 'Blue')
    expect([again.code, stage.names()]).toEqual([0, ['plan', '#1', '#3', '#1', '#2']])
    expect(stage.promptOf('#1', 2)).toContain('Instruction from the user: Blue')
  })

  it.each<[string, Act[]]>([
    ['exits with an error', [['exit', 3]]],
    ['reports one', [['claude', 'no', { is_error: true }]]],
    ['answers nothing', [['claude', '']]],
  ])('that %s is called again, and its task has not failed', async (_, trouble) => {
    const stage = setBuild({
      settings: { guardrails: [{ command: 'true' }] },
      plan: [plans(item(1))],
      work: { '#1': [trouble, says('Made it.')] },
    })
    expect((await stage.ralph('build', 'x')).code).toBe(0)
    expect(stage.names()).toEqual(['plan', '#1', '#1'])
    expect(statuses(stage.list())).toEqual(['#1 completed'])
  })

  it('that plans and has trouble is called again, and is paid for once more only', async () => {
    const stage = setBuild({ plan: [[['exit', 1]], plans(item(1))] })
    expect((await stage.ralph('build', 'x')).code).toBe(0)
    expect(stage.names()).toEqual(['plan', 'plan', '#1'])
    expect(stage.promptOf('plan', 2)).not.toContain('<answer>')
  })

  it('after which what ralph keeps in the project is gone loses nothing of the list and the log', async () => {
    const stage = setBuild({
      plan: [plans(item(1, [], { description: 'With care' }), item(2))],
    })
    await stage.ralph('build', 'x', '-m', '2')
    rmSync(join(stage.project, '.ralph'), { recursive: true })
    expect((await stage.ralph('resume', '-m', '9')).code).toBe(0)
    expect(statuses(stage.list())).toEqual(['#1 completed', '#2 completed'])
    expect(JSON.parse(stage.session('details.json'))).toEqual({ '#1': { description: 'With care' } })
    const log = stage.session('progress.txt')
    const headings = [...log.matchAll(/^##? (.*?)(?: \(.*)?$/gm)].map(([, words]) => words)
    expect(headings).toEqual([
      `Progress of ${stage.id()}`,
      'Plan: 2 tasks',
      'Iteration 2 — #1: Make part 1',
      'End: exhausted',
      'Resumed',
      'Iteration 3 — #2: Make part 2',
      'End: complete, claimed',
    ])
  })

  it('that has it removed while ralph works does not, either', async () => {
    const stage = setBuild({
      settings: { guardrails: [{ command: 'rm -rf .ralph/sessions' }], baseline: false },
    })
    expect((await stage.ralph('build', 'x')).code).toBe(0)
    expect(statuses(stage.list())).toEqual(['#1 completed', '#2 completed'])
    expect(stage.session('progress.txt')).toMatch(
      /^# Progress of[\s\S]*Iteration 2 — #1[\s\S]*Iteration 3 — #2/,
    )
  })

  it('that overwrites the log has it made whole again, with a warning', async () => {
    const command = 'for log in .ralph/sessions/*/progress.txt; do echo DONE > "$log"; done'
    const stage = setBuild({
      settings: { guardrails: [{ command }], baseline: false },
      work: { '#1': [says('Made it \u001b[31mred\u0007.')] },
    })
    expect((await stage.ralph('build', 'x')).code).toBe(0)
    const log = stage.session('progress.txt')
    expect(log).toMatch(/^# Progress of[\s\S]*Iteration 2 — #1[\s\S]*Iteration 3 — #2[\s\S]*## End/)
    expect(log.match(/^#/gm)).toHaveLength(5)
    expect(log).toContain('> Made it red.\n')
    expect(stage.warnings().filter(note => note.startsWith('progress.txt was overwritten'))).toHaveLength(2)
  })

  it('that removes the whole project ends the run, and nothing of it is made anew', async () => {
    const stage = setBuild({
      work: {
        '#1': [
          [
            ['remove', '../project'],
            ['exit', 1],
          ],
        ],
      },
    })
    const ran = await stage.ralph('build', 'x')
    expect([ran.code, existsSync(stage.project)]).toEqual([1, false])
  })
})

describe('a build that cannot go further', () => {
  it('names a cycle that was made by hand, and ends with 1', async () => {
    const stage = setBuild({
      settings: { guardrails: [{ command: 'true' }] },
      plan: [plans(item(1), item(2), item(3))],
    })
    expect((await stage.ralph('build', 'x', '-m', '2')).code).toBe(1)
    const made = stage
      .list()
      .map(i => (i.id === '#1' ? i : { ...i, blockedBy: [i.id === '#2' ? '#3' : '#2'] }))
    stage.write(`.ralph/sessions/${stage.id()}/tasks.json`, JSON.stringify(made))
    const ran = await stage.ralph('resume', '-m', '9')
    expect([ran.code, stage.names()]).toEqual([1, ['plan', '#1']])
    expect(ran.stdout).toContain('#2 waits for #3; #3 waits for #2')
    expect(ran.stdout).toContain('#2 → #3 → #2')
    expect(statuses(stage.list())).toEqual(['#1 completed', '#2 pending', '#3 pending'])
  })
})

it('commits every task that is green, and names the commit in progress.txt', async () => {
  const stage = setBuild({
    settings: { scm: { command: 'git', tasks: ['commit'] }, guardrails: [{ command: 'true' }] },
  })
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: stage.project, encoding: 'utf8', env: stage.env })
  git('config', 'user.name', 'T')
  git('config', 'user.email', 't@localhost')
  git('commit', '-q', '--allow-empty', '-m', 'start')
  expect((await stage.ralph('build', 'x')).code).toBe(0)
  expect(git('log', '--format=%s', '--name-only').split('\n').filter(Boolean)).toEqual([
    'A message',
    'made-#2',
    'A message',
    'made-#1',
    'start',
  ])
  expect(stage.session('progress.txt').match(/- Committed as [0-9a-f]{10}/g)).toHaveLength(2)
})
