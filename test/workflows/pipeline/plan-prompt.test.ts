import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { planPrompt, planText, repairPlanPrompt } from '../../../src/workflows/pipeline/rules/plan-prompt.ts'

type Role = { verification_config: { command?: string; stages?: object[] } }
type Task = { completion: { outcome: string; acceptance_criteria: string[]; coder: Role; qa: Role } }

describe('the prompt for a list of tasks', () => {
  const prompt = planPrompt(' Log in.\n', [])

  it.each([
    'Turn the specification below into tasks',
    '## Task Generation Requirements',
    'For EACH task you create, you MUST specify:',
    '### Required Fields\n1. **outcome**',
    '2. **acceptance_criteria**',
    '### Optional Per-Agent Criteria\nFor each agent (coder, reviewer, tester, qa), you MAY specify:',
    '- **promise**',
    '- **verification_method**: One of: string_match, semantic, external, multi_stage',
    '- **verification_config**',
    'Use external, with a command that is really there',
    '### Example Task Definition\n\n```yaml\n- id:',
    'IMPORTANT: Tasks without completion criteria will fail during Ralph loop execution.\n\nAnswer with the list of tasks as YAML',
  ])('says: %s', words => {
    expect(prompt).toContain(words)
  })

  it('has an example of a task with criteria for a coder and for qa', () => {
    const [{ completion, ...task }] = parse(planText(prompt)) as [Task]
    expect(Object.keys(task)).toEqual(['id', 'title', 'description', 'priority', 'dependencies'])
    const { outcome, acceptance_criteria: criteria, coder, qa } = completion
    expect([typeof outcome, criteria.length]).toEqual(['string', 1])
    const fields = ['promise', 'description', 'verification_method', 'verification_config']
    expect([Object.keys(coder), Object.keys(qa)]).toEqual([fields, fields])
    expect(coder.verification_config.command).toBe('test -f src/auth/middleware.py')
    const { stages } = qa.verification_config
    expect(stages).toEqual([
      { name: 'all_tests', method: 'external', config: { command: 'pytest tests/' } },
      { name: 'criteria_check', method: 'semantic', config: { check_for: '{{acceptance_criteria}}' } },
    ])
  })

  it('ends with the specification, and names the ids that are taken', () => {
    expect(prompt).toMatch(/\n# The specification\n\nLog in\.$/)
    expect(prompt).not.toContain('are taken')
    expect(planPrompt('x', ['T1'])).toContain('These ids are taken: T1. Use others.\n\nAnswer')
    expect(planPrompt('x', ['T1', 'T2'])).toContain('taken: T1, T2.')
  })

  it('comes again with the answer and what is wrong with it', () => {
    const again = repairPlanPrompt('x', ' ANSWER ', ['no id', 'no title'])
    expect(again.slice(planPrompt('x', []).length)).toBe(
      '\n\n# Your last answer\n\nANSWER\n\n# What is wrong with it\n\n- no id\n- no title\n\nGive the whole list again, with all of this fixed.',
    )
  })
})

it.each([
  ['a: 1', 'a: 1'],
  ['Here:\n```yaml\na: 1\n```\nDone.', 'a: 1\n'],
  ['```\na: 1\n```\n```yml\nb: 2\n```', 'b: 2\n'],
  ['```json\n{}\n```', '{}\n'],
  ['```sh\nls\n```', '```sh\nls\n```'],
])('the tasks of the answer %j are %j', (answer, text) => {
  expect(planText(answer)).toBe(text)
})
