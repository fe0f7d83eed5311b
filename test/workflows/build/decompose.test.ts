import { describe, expect, it } from 'vitest'
import { decomposePrompt, repairPrompt } from '../../../src/workflows/build/rules/decompose.ts'
import { readPlan } from '../../../src/workflows/build/rules/plan-answer.ts'

const spec = 'Orders can be exported.\n</not a tag>'

describe('the decompose prompt', () => {
  const prompt = decomposePrompt(spec, ['no new packages'])

  it('has the specification in its tag, and what the user said', () => {
    expect(prompt).toContain(`<specification>\n${spec}\n</specification>`)
    expect(prompt).toContain('Instruction from the user: no new packages')
    expect(decomposePrompt(spec)).not.toContain('Instruction')
  })

  it('shows the schema by an example that would itself be read', () => {
    const plan = readPlan(prompt)
    expect('items' in plan && plan.items.map(item => Object.keys(item))).toEqual([
      ['id', 'content', 'status', 'activeForm'],
      ['id', 'content', 'status', 'activeForm', 'blockedBy'],
    ])
    expect('details' in plan && Object.keys(plan.details['#1']!)).toEqual([
      'description',
      'acceptanceCriteria',
    ])
  })

  it.each([
    'foundations first, then features, then tests',
    'then polish',
    'directly depends on',
    '80 characters',
  ])('asks for %j', rule => expect(prompt).toContain(rule))
})

describe('the repair prompt', () => {
  it('has the specification, the answer, every error and the rules', () => {
    const errors = ['task #1: no', 'task #2: neither']
    const prompt = repairPrompt(spec, { answer: '[{}]', errors }, ['be brief'])
    expect(prompt).toContain(`<specification>\n${spec}\n</specification>`)
    expect(prompt).toContain('<answer>\n[{}]\n</answer>')
    expect(prompt).toContain('What is wrong with it:\n- task #1: no\n- task #2: neither\n')
    expect(prompt).toContain('Instruction from the user: be brief')
    expect(prompt).toContain('"activeForm"')
  })

  it('says that a very long answer was cut', () => {
    const prompt = repairPrompt(spec, { answer: 'x'.repeat(250_000), errors: ['no'] })
    expect(prompt.length).toBeLessThan(110_000)
    expect(prompt).toContain('[cut: 250000 characters in all]')
  })
})
