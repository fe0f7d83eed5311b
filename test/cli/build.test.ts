import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { item, plans, says, setBuild, statuses } from './build-scene.ts'
import { ending, eventsOf, refusal } from './scene.ts'

const GREEN = { guardrails: [{ command: 'true' }] }

describe('a build', () => {
  it('of a goal in words makes a list and works it off', async () => {
    const stage = setBuild({ settings: GREEN })
    const ran = await stage.ralph('build', 'Make a shop')
    expect([ran.code, stage.names()]).toEqual([0, ['plan', '#1', '#2']])
    expect(stage.promptOf('plan')).toContain('<specification>\nMake a shop\n</specification>')
    expect(stage.promptOf('#1')).toContain('<goal>\nMake a shop\n</goal>')
    expect(statuses(stage.list())).toEqual(['#1 completed', '#2 completed'])
    expect(ran.stdout).toMatch(/\[x\] #1 Make part 1\n\[x\] #2 Make part 2\nProgress: 2\/2 \(100%\)/)
    expect(ran.stdout).toContain('done, verified')
    expect(stage.ending()).toMatchObject({ result: 'complete', proof: 'verified' })
  })

  it('of a specification plans what the file says, and names it to those who work', async () => {
    const stage = setBuild()
    stage.write('spec.md', 'A shop with a cart')
    expect((await stage.ralph('build', 'spec.md')).code).toBe(0)
    expect(stage.promptOf('plan')).toContain('<specification>\nA shop with a cart\n</specification>')
    expect(stage.promptOf('#1')).toContain('The specification is in spec.md.')
  })

  it('started elsewhere names the specification as it is seen from the project', async () => {
    const stage = setBuild()
    mkdirSync(join(stage.project, 'inner'))
    stage.write('spec.md', 'A shop')
    expect((await stage.ralph('build', 'spec.md', '-C', 'inner')).code).toBe(0)
    expect(stage.promptOf('#1')).toContain(`The specification is in ${join(stage.project, 'spec.md')}.`)
  })

  it('has a list of two-space JSON with five fields, and blockers that go as they are done', async () => {
    const stage = setBuild({ work: { '#2': [[['file', 'now', ''], ['list', 'items'], ...says('Made')]] } })
    await stage.ralph('build', 'x')
    const text = stage.session('tasks.json')
    expect(text).toBe(`${JSON.stringify(JSON.parse(text), null, 2)}\n`)
    expect(stage.list()[1]).toEqual({
      id: '#2',
      content: 'Make part 2',
      status: 'completed',
      activeForm: 'Making part 2',
    })
  })

  it('keeps descriptions and criteria in details.json, in the prompt and in progress.txt', async () => {
    const more = { description: 'With care', acceptanceCriteria: ['it is round'] }
    const stage = setBuild({ plan: [plans(item(1, [], more), item(2))] })
    await stage.ralph('build', 'x')
    expect(JSON.parse(stage.session('details.json'))).toEqual({ '#1': more })
    expect(stage.promptOf('#1')).toContain('With care\n\nAcceptance criteria:\n- it is round')
    expect(stage.session('progress.txt')).toContain(
      '## Plan: 2 tasks\n- #1: Make part 1\n  Description: With care\n  Acceptance criteria:\n  - it is round\n- #2',
    )
  })

  it('works in the order of the list, and of what waits for what', async () => {
    const stage = setBuild({ plan: [plans(item(1, ['#3']), item(2), item(3, ['#4']), item(4))] })
    expect((await stage.ralph('build', 'x')).code).toBe(0)
    expect(stage.names()).toEqual(['plan', '#2', '#4', '#3', '#1'])
  })

  it('tells every agent the list, the log, the latest commits and its task, and starts it afresh', async () => {
    const stage = setBuild()
    await stage.ralph('build', 'x')
    const at = `.ralph/sessions/${stage.id()}`
    for (const part of [`\`${at}/tasks.json\``, `\`${at}/progress.txt\``, '`git log --oneline -10`', '(#2)'])
      expect(stage.promptOf('#2')).toContain(part)
    expect(stage.promptOf('#2')).not.toContain('Made #1.')
  })

  it('without guardrails says what init would propose, and ends as claimed', async () => {
    const stage = setBuild()
    stage.write('package.json', JSON.stringify({ scripts: { test: 'true' } }))
    const ran = await stage.ralph('build', 'x')
    expect(ran.stderr).toMatch(/warning: no checks: .*; ralph init would propose: npm test/)
    expect(ran).toMatchObject(ending(0, 'done as claimed'))
  })

  it('has no ceiling by default, and keeps to one that is given', async () => {
    const many = Array.from({ length: 12 }, (_, n) => item(n + 1))
    const stage = setBuild({
      plan: [plans(...many)],
      work: Object.fromEntries(many.map(({ id }) => [id, [says('ok')]])),
    })
    expect((await stage.ralph('build', 'x')).code).toBe(0)
    expect(stage.names()).toHaveLength(13)

    const short = setBuild()
    const ran = await short.ralph('build', 'x', '-m', '2')
    expect([ran.code, short.names()]).toEqual([1, ['plan', '#1']])
    expect(ran.stdout).toContain('all 2 iterations are used')
  })

  it('of one iteration makes its plan, and ends with 0 if that is one', async () => {
    const stage = setBuild()
    expect((await stage.ralph('build', 'x', '--once')).code).toBe(0)
    expect(stage.names()).toEqual(['plan'])
    const broken = setBuild({ plan: [says('no')] })
    expect((await broken.ralph('build', 'x', '--once')).code).toBe(1)
  })

  it('that is only tried starts and writes nothing', async () => {
    const stage = setBuild()
    const ran = await stage.ralph('build', 'Make a shop', '--dry-run')
    expect([ran.code, stage.names()]).toEqual([0, []])
    expect(ran.stdout).toMatch(
      /goal +Make a shop[\s\S]*until +every task is completed[\s\S]*prompt\nMake a shop/,
    )
    const told = await stage.ralph('build', 'Make a shop', '--dry-run', '--json')
    expect(JSON.parse(told.stdout)).toMatchObject({
      workflow: 'build',
      subject: { type: 'goal', name: 'Make a shop' },
      prompt: 'Make a shop',
    })
    expect(() => stage.id()).toThrow()
  })

  it('tells programs its events', async () => {
    const stage = setBuild()
    const events = eventsOf(await stage.ralph('build', 'x', '--json'))
    const settled = events.filter(e => e.type === 'settled')
    expect(settled.map(e => [e.task, e.stage, e.move])).toEqual([
      ['plan', 'decompose', 'pass'],
      ['#1', 'work', 'pass'],
      ['#2', 'work', 'pass'],
    ])
    expect(settled[0]!.add).toMatchObject([{ id: '#1' }, { id: '#2', blockedBy: ['#1'] }])
  })
})

describe('the goal', () => {
  it('is refined where that is asked for, and the refined one is planned', async () => {
    const stage = setBuild()
    expect((await stage.ralph('build', 'rough', '--refine', 'auto')).code).toBe(0)
    expect(stage.names()).toEqual(['refine', 'plan', '#1', '#2'])
    expect(stage.promptOf('refine')).toContain('<request>\nrough\n</request>')
    expect(stage.promptOf('plan')).toContain('<specification>\nThe refined goal\n</specification>')
    expect(stage.promptOf('#1')).toContain('<goal>\nThe refined goal\n</goal>')
    const calls = stage
      .session('agent-calls.jsonl')
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(calls.map(call => call.stage ?? 'choice')).toEqual([
      'refine',
      'choice',
      'decompose',
      'work',
      'work',
    ])
    expect(calls[1]).toMatchObject({
      original: 'rough',
      refined: 'The refined goal',
      chosen: 'The refined goal',
    })
    expect(stage.session('progress.txt')).toMatch(/## Goal, refined \(\S+Z\)\nThe refined goal\n/)
    expect(stage.edits().map(edit => edit.by)).toEqual(['ralph'])
  })

  it('is planned as it is without a terminal to ask at, and that is said', async () => {
    const stage = setBuild()
    const ran = await stage.ralph('build', 'rough')
    expect(ran.stderr).toMatch(/warning: there is no terminal to ask about a refined goal/)
    expect(stage.names()).toEqual(['plan', '#1', '#2'])
    const off = await setBuild().ralph('build', 'rough', '--refine', 'off')
    expect([off.code, off.stderr]).toEqual([0, expect.not.stringContaining('refined')])
  })

  it('that two answers do not refine is planned as it is, and that is said', async () => {
    const stage = setBuild({ refine: [says('I would not know how')] })
    const ran = await stage.ralph('build', 'rough', '--refine', 'auto')
    expect(stage.names()).toEqual(['refine', 'refine', 'plan', '#1', '#2'])
    expect(stage.promptOf('plan')).toContain('<specification>\nrough\n</specification>')
    expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining('could not be refined')])
  })
})

describe('the plan', () => {
  const LIST = JSON.stringify([item(1), item(2)], null, 2)
  it.each([
    ['in a fence', `\`\`\`json\n${LIST}\n\`\`\``],
    ['between words', `Here [as asked] it is:\n${LIST}\nThat is all.`],
    ['in an object', `{"tasks": ${LIST}}`],
    ['without ids', JSON.stringify([{ content: 'Make part 1' }, { content: 'Make part 2' }])],
  ])('%s is read', async (_, answer) => {
    const stage = setBuild({ plan: [says(answer)] })
    expect((await stage.ralph('build', 'x')).code).toBe(0)
    expect(statuses(stage.list())).toEqual(['#1 completed', '#2 completed'])
  })

  it('that cannot be used is mended by one call that is told exactly what is wrong', async () => {
    const twice = plans(item(1), item(1), item(3, ['#9']))
    const stage = setBuild({ plan: [twice, plans(item(1))] })
    expect((await stage.ralph('build', 'x')).code).toBe(0)
    expect(stage.names()).toEqual(['plan', 'plan', '#1'])
    const again = stage.promptOf('plan', 2)
    expect(again).toContain(`<answer>\n${(twice[0] as string[])[1]}\n</answer>`)
    expect(again).toContain('- task #1: its id is used more than once')
    expect(again).toContain('- task #3: blockedBy names "#9", which is not in the list')
  })

  it('that cannot be used twice ends the build with 1, and the answers are kept', async () => {
    const stage = setBuild({ plan: [says('no list'), says('still none')] })
    const ran = await stage.ralph('build', 'x')
    expect([ran.code, stage.names()]).toEqual([1, ['plan', 'plan']])
    expect(ran.stdout).toMatch(/blocked: .*the answer holds no JSON array of tasks/)
    expect(stage.session('iter-001/answer.txt')).toBe('no list')
    expect(stage.session('iter-002/answer.txt')).toBe('still none')
    expect(stage.session('progress.txt')).toContain('- Error: plan: the answer holds no JSON array of tasks')
    const status = (await stage.ralph('status')).stdout
    expect(status).toMatch(/go on\s+ralph resume/)
  })

  it('alone is made by --plan-only, and worked off by resume', async () => {
    const stage = setBuild()
    const ran = await stage.ralph('build', 'x', '--plan-only')
    expect([ran.code, stage.names()]).toEqual([0, ['plan']])
    expect(ran.stdout).toMatch(/\[ \] #2 Make part 2 › blocked by #1[\s\S]*to go on: ralph resume \S+/)
    expect(statuses(stage.list())).toEqual(['#1 pending', '#2 pending'])
    const again = await stage.ralph('resume')
    expect([again.code, stage.names()]).toEqual([0, ['plan', '#1', '#2']])
    expect(again.stdout).toMatch(/until\s+every task is completed/)
  })
})

describe('a list that somebody has', () => {
  it.each([
    [
      'the tasks of another build',
      'tasks.json',
      JSON.stringify([
        { id: '#1', content: 'Make part 1', status: 'completed', activeForm: 'x' },
        { id: '#2', content: 'Make part 2', status: 'in_progress', activeForm: 'x', blockedBy: ['#1'] },
      ]),
    ],
    [
      'user stories',
      'prd.json',
      JSON.stringify({
        userStories: [
          { id: '#1', title: 'Make part 1', passes: true },
          { id: '#2', title: 'Make part 2', passes: false, dependsOn: ['#1'] },
        ],
      }),
    ],
    ['a checklist', 'TODO.md', '# Things\n\n- [x] Make part 1\n- [ ] Make part 2\n'],
  ])('%s is worked off, and what is done stays done', async (_, name, text) => {
    const stage = setBuild()
    stage.write(name, text)
    const ran = await stage.ralph('build', '--tasks', name)
    expect([ran.code, ran.stderr]).toEqual([0, expect.not.stringContaining('refined')])
    expect(stage.names()).toEqual(['#2'])
    expect(statuses(stage.list())).toEqual(['#1 completed', '#2 completed'])
  })

  it('may come with a goal, and is written at once where only the plan is wanted', async () => {
    const stage = setBuild()
    stage.write('TODO.md', '- [ ] Make part 1\n')
    expect((await stage.ralph('build', 'Make a shop', '--tasks', 'TODO.md', '--plan-only')).code).toBe(0)
    expect([stage.names(), statuses(stage.list())]).toEqual([[], ['#1 pending']])
    expect((await stage.ralph('resume')).code).toBe(0)
    expect(stage.promptOf('#1')).toContain('<goal>\nMake a shop\n</goal>')
  })

  it('that is broken is refused with file, place and rule', async () => {
    const stage = setBuild()
    stage.write('list.json', '[\n  { "content": "" }\n]')
    expect(await stage.ralph('build', '--tasks', 'list.json')).toMatchObject(
      refusal(/error: list\.json.*content must be a string/),
    )
  })
})

describe('bad input is refused with 2 and one line', () => {
  it.each<[string[], RegExp]>([
    [[], /A prompt argument is required\. Usage: ralph build/],
    [['  '], /A prompt argument is required/],
    [['docs'], /docs is a directory/],
    [['spec.md'], /spec file not found: spec\.md/],
    [['./nothing/here'], /spec file not found/],
    [['empty.md'], /spec file empty\.md is empty/],
    [
      ['--tasks', 'x.json', '--refine', 'auto'],
      /--refine cannot be used with --tasks: there is a list already/,
    ],
    [['--tasks', 'x.json', '--yes'], /--yes cannot be used with --tasks/],
    [['--tasks', 'nothing.json'], /tasks file nothing\.json/],
    [['x', '--yolo'], /--yolo is not needed/],
    [['x', '--feature-list', 'f'], /--feature-list is gone/],
    [['x', '--completion-promise', 'f'], /--completion-promise is gone/],
    [['x', '-c', 'f'], /--completion-response \(-c\) is for ralph run/],
    [['x', '--done-pattern', 'f'], /--done-pattern is for ralph run/],
    [['x', '--until-green'], /--until-green is for ralph run/],
    [['x', '--refine', 'maybe'], /--refine/],
    [['x', '-m', '0'], /-m/],
    [['x', '-m', '-3'], /-m/],
    [['x', 'y'], /too many arguments/],
  ])('build %j', async (args, words) => {
    const stage = setBuild()
    mkdirSync(join(stage.project, 'docs'))
    stage.write('empty.md', ' \n')
    const ran = await stage.ralph('build', ...args)
    expect([ran.code, ran.stderr.trim().split('\n')]).toEqual([2, [expect.stringMatching(words)]])
    expect(stage.names()).toEqual([])
  })
})
