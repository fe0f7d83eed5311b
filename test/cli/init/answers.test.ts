import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isYes, readList, refuseIterations, refuseYesNo } from '../../../src/cli/commands/init/answers.ts'
import { askSettings } from '../../../src/cli/commands/init/ask-settings.ts'
import { draftOf } from '../../../src/cli/commands/init/write-settings.ts'
import type { Asker } from '../../../src/core/asker.ts'
import { resolveFlags } from '../../../src/settings/load.ts'
import { findProblems } from '../../../src/settings/problems.ts'

test.each([
  ['', []],
  [' ', []],
  [',,', []],
  ['--model,opus', ['--model', 'opus']],
  [' --model opus ,\t--verbose , ', ['--model opus', '--verbose']],
])('the list %j is %j', (answer, entries) => {
  expect(readList(answer)).toEqual(entries)
})

test.each([
  ['1', true],
  ['010', true],
  ['9007199254740991', true],
  ['9007199254740992', false],
  ['0', false],
  ['000', false],
  ['-1', false],
  ['+1', false],
  ['1.5', false],
  ['1e3', false],
  ['0x10', false],
  ['ten', false],
  ['', false],
])('%j iterations: %s', (answer, isFine) => {
  expect(refuseIterations(answer) === undefined).toBe(isFine)
})

test.each([
  ['', false],
  ['n', false],
  ['No', false],
  ['y', true],
  ['YES', true],
])('%j is a yes: %s', (answer, yes) => {
  expect([refuseYesNo(answer), isYes(answer)]).toEqual([undefined, yes])
})

test.each(['yep', 'nay', '1', 'y n'])('%j is neither yes nor no', answer => {
  expect(refuseYesNo(answer)).toBe('It must be y or n.')
})

/** Answers each question with its words, one after the other, as a terminal gives them; then with nothing. */
function talker(words: Record<string, readonly string[]>): Asker {
  const said = new Map(Object.entries(words).map(([question, answers]) => [question, [...answers]]))
  return {
    async line(message, { otherwise = '', refuse } = {}) {
      const [, answers = []] = [...said].find(([question]) => message.startsWith(question)) ?? []
      for (;;) {
        const answer = (answers.shift() ?? '').trim() || otherwise
        if (refuse?.(answer) === undefined) return answer
      }
    },
    some: async (_, choices) => choices.map(choice => choice.value),
    one: async (_, choices) => choices[0]!.value,
  }
}

const words = fc.array(
  fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom('a', ' ', ',', '"', "'", '\\', '1', '0', '-') }),
    fc.constantFrom('', 'append', 'Replace', '3', 'commit,push', 'npm\u00a0test', 'r\u200bun', '-x\u202e'),
  ),
  { maxLength: 3 },
)

const talk = fc.record({
  'Agent command': words,
  'Agent flags': words,
  'Maximum iterations': words,
  'Completion response': words,
  'Add guardrail': words,
  'Fail action': words,
  Hint: words,
  'Configure SCM?': fc.constantFrom(['y'], ['maybe', 'YES'], []),
  'SCM command': words,
  'SCM tasks': words,
})

const OFFERS = {
  agents: ['claude'],
  proposals: [{ command: 'npm test', from: 'package.json' }],
  isProgram: () => false,
}

test('whatever is accepted makes settings that ralph accepts, too', async () => {
  await fc.assert(
    fc.asyncProperty(talk, async words => {
      const draft = draftOf(await askSettings(talker(words), OFFERS))
      expect(findProblems(draft, 'draft')).toEqual([])
      expect(() => resolveFlags(draft.scm?.tasks ?? [])).not.toThrow()
    }),
  )
})

test('answers of nothing at all take what is offered', async () => {
  expect(await askSettings(talker({}), OFFERS)).toEqual({
    agent: { command: 'claude', flags: [] },
    maximumIterations: 10,
    completionResponse: 'DONE',
    guardrails: [{ command: 'npm test', failAction: 'APPEND' }],
    scm: null,
  })
})

test('a fail action is read in any case', async () => {
  const words = { 'Add guardrail': ['a', 'b'], 'Fail action': ['', 'Replace', 'prePEND'] }
  const { guardrails } = await askSettings(talker(words), OFFERS)
  expect(guardrails.map(g => g.failAction)).toEqual(['APPEND', 'REPLACE', 'PREPEND'])
})

test('a path with spaces is an agent if there is such a program', async () => {
  const offers = { ...OFFERS, isProgram: (name: string) => name === '/opt/my tools/agent' }
  const { agent } = await askSettings(
    talker({ 'Agent command': ['claude -p', '/opt/my tools/agent'] }),
    offers,
  )
  expect(agent.command).toBe('/opt/my tools/agent')
})
