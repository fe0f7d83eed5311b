import { describe, expect, it } from 'vitest'
import type { Asker } from '../../../src/core/asker.ts'
import { askPerson } from '../../../src/workflows/build/ask-person.ts'
import type { CheckedList } from '../../../src/workflows/build/rules/planned.ts'

type Edited = { text: string } | { trouble: string }

/** Somebody who answers and edits in this order; `opened` is what their editor showed, `said` what they were told, `hints` what stood behind the choices. */
function somebody(answers: string[], edits: Edited[] = []) {
  const take = () => answers.shift()!
  const opened: string[] = []
  const said: string[] = []
  const hints: string[] = []
  const asker: Asker = {
    one: async (_, choices) => {
      hints.push(...choices.map(({ hint }) => hint))
      const answer = take()
      return choices.find(({ value }) => value === answer)!.value
    },
    line: async () => take(),
    some: async () => [],
  }
  const person = askPerson({
    asker: async () => asker,
    say: text => void said.push(text),
    edit: (text, ending) => {
      opened.push(`${ending}: ${text}`)
      return edits.shift()!
    },
    editor: 'ed',
  })
  return { person, opened, said, hints }
}

const PLAN: CheckedList = {
  items: [{ id: '1', content: 'Add a', activeForm: 'Adding a', status: 'pending' }],
  details: {},
}

describe('of a refined goal, a person', () => {
  it.each([
    ['refined', 'better'],
    ['original', 'mine'],
  ])('chooses %s', async (choice, goal) => {
    expect(await somebody([choice]).person.chooseGoal('mine', 'better')).toBe(goal)
  })

  it('is reminded of both in one line each, with a mark where it is cut', async () => {
    const { person, hints } = somebody(['refined'])
    await person.chooseGoal('mine', `better\n\n${'and '.repeat(60)}better`)
    expect(hints.slice(0, 2)).toEqual([`better ${'and '.repeat(28)}…`, 'mine'])
  })

  it('edits the refined one, and is asked again when the editor fails', async () => {
    const { person, opened, said } = somebody(
      ['edit', 'edit'],
      [{ trouble: 'The editor ed failed (exit 1)' }, { text: ' best \n' }],
    )
    expect(await person.chooseGoal('mine', 'better')).toBe('best')
    expect(opened).toEqual(['md: better', 'md: better'])
    expect(said.at(-1)).toBe('\nThe editor ed failed (exit 1); choose again')
  })
})

describe('of a plan, a person', () => {
  it('accepts it as they edited it', async () => {
    const list = [{ content: 'Add b', activeForm: 'Adding b', status: 'pending' }]
    const { person } = somebody(['edit', 'accept'], [{ text: JSON.stringify(list) }])
    expect(await person.reviewPlan(PLAN)).toMatchObject({
      type: 'accept',
      plan: { items: [{ content: 'Add b' }] },
    })
  })

  it('finds an edit that cannot be used in the editor again, and the old list stays', async () => {
    const { person, opened, said } = somebody(
      ['edit', 'edit', 'accept'],
      [{ text: '{}' }, { trouble: 'The file came back empty' }],
    )
    expect(await person.reviewPlan(PLAN)).toEqual({ type: 'accept', plan: PLAN })
    expect(opened[1]).toBe('json: {}')
    expect(said).toContain(
      'The list could not be used; Edit opens it again as you left it:\n- it is not an array',
    )
    expect(said).toContain('\nThe file came back empty; the list is as it was')
  })

  it('asks for another in their own words', async () => {
    const { person } = somebody(['again', 'Smaller tasks'])
    expect(await person.reviewPlan(PLAN)).toEqual({ type: 'again', words: 'Smaller tasks', plan: PLAN })
  })
})
