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

  it('shows what each field may look like', () => {
    expect(JSON.parse(/^\[\n[\s\S]*?^\]$/m.exec(prompt)![0])).toEqual([
      {
        id: '#1',
        content: 'Add the orders table and its migration',
        status: 'pending',
        activeForm: 'Adding the orders table',
        blockedBy: [],
        description: 'What to build, where, and what to mind. One to five sentences.',
        acceptanceCriteria: ['npm test passes', 'GET /orders answers with an empty array'],
      },
      {
        id: '#2',
        content: 'Export orders as CSV',
        status: 'pending',
        activeForm: 'Exporting orders as CSV',
        blockedBy: ['#1'],
      },
    ])
  })

  const flat = prompt.replace(/\s+/g, ' ')

  it.each([
    'Divide this specification into a list of tasks.',
    'The answer is a JSON array of objects like these:',
    '- id: "#1", "#2", "#3" … in the order of the list.',
    '- content: what is to be done, as an instruction, in fewer than 80 characters.',
    '- status: always "pending".',
    '- activeForm: the same in the present participle, shown while it is worked on.',
    '- blockedBy: the ids of the tasks that it directly depends on; leave out what follows through others. No cycles.',
    '- description, acceptanceCriteria: optional; whoever works on the task reads them, and may know nothing else.',
    'How to divide:',
    '- Every deliverable of the specification is in a task, and nothing that it does not ask for.',
    '- A task is one session of work for one agent, and leaves the project working: its checks pass after it.',
    '- In order of priority: foundations first, then features, then tests that span several features, then polish. The tests of a single feature belong to that feature.',
    '- Dependencies are technical ones: what cannot be begun before the other is there. The order of the list says the rest.',
    'You may read the project, but edit nothing. End with the array alone: no words around it.',
  ])('says: %s', sentence => expect(flat).toContain(sentence))
})

const wishes = { list: [{ id: '#1' }], words: ['smaller tasks', 'fewer'] }
const WISHES = `<list>
[
  {
    "id": "#1"
  }
]
</list>

What the user wants to be different in it, the latest last:
- smaller tasks
- fewer`

describe('the prompt for another list', () => {
  it('has the list as it was shown, and every wish', () => {
    expect(
      decomposePrompt('S', [], wishes),
    ).toContain(`This specification was divided into a list of tasks. The user wants it changed; change it as they ask.

<specification>
S
</specification>

${WISHES}

Keep the rest of it, and give the whole list again.

The answer is a JSON array`)
  })
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
    expect(prompt).toMatch(
      /^This specification was to be divided into a list of tasks\. The answer could not be used; fix it\.\n\n<spec/,
    )
    expect(prompt).toContain(
      '\n\nKeep what is right, fix exactly these errors, and give the whole list again.\n\nThe ',
    )
    expect(prompt).not.toContain('The user was shown')
  })

  it('has the list that the user was shown, and the wishes', () => {
    expect(repairPrompt('S', { answer: 'A', errors: ['no'] }, [], wishes)).toContain(
      `</specification>\n\nThe user was shown this list before:\n\n${WISHES}\n\n<answer>\nA\n</answer>`,
    )
  })

  it('says that a very long answer was cut', () => {
    const of = (length: number) => repairPrompt(spec, { answer: 'x'.repeat(length), errors: ['no'] })
    expect(of(100_001)).toContain(
      `<answer>\n${'x'.repeat(100_000)}\n[cut: 100001 characters in all]\n</answer>`,
    )
    expect(of(100_000)).toContain(`<answer>\n${'x'.repeat(100_000)}\n</answer>`)
  })
})
