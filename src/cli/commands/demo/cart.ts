import { json } from './scratch.ts'
import type { Voice } from './speak.ts'

const UNWRITTEN = `export function total(items) {
  throw new Error('not written yet')
}
`

const FIRST_TRY = `export function total(items) {
  return items.reduce((sum, item) => sum + item.price, 0)
}
`

const FIXED = `export function total(items) {
  return items.reduce((sum, item) => sum + item.price * (item.quantity ?? 1), 0)
}
`

/** The prompt loop's project: one function, and a test that fails. */
export const cart = {
  message: 'A cart without a total',
  files: {
    'package.json': json({ name: 'cart', type: 'module', private: true }),
    'cart.js': UNWRITTEN,
    'cart.test.js': `import assert from 'node:assert/strict'
import test from 'node:test'
import { total } from './cart.js'

test('adds up the prices', () => assert.equal(total([{ price: 2 }, { price: 3 }]), 5))
test('counts quantities', () => assert.equal(total([{ price: 2, quantity: 3 }]), 6))
`,
    'PROMPT.md': 'Make the tests in cart.test.js pass. Change only cart.js.\n',
    '.ralph/settings.json': json({
      maximumIterations: 5,
      agent: { command: 'demo' },
      guardrails: [{ command: 'node --test', failAction: 'APPEND', hint: 'Do not change the tests.' }],
    }),
  },
}

/** At first it makes a mistake and claims to be done; once it is shown the failing check, it mends it. */
export async function actCart(voice: Voice, prompt: string): Promise<void> {
  const told = prompt.includes('failed with exit code')
  await voice.text(
    told
      ? 'The quantity is ignored. I will multiply by it.'
      : 'I will read the test, then write the function.',
  )
  await voice.read(told ? 'cart.js' : 'cart.test.js')
  await voice.write('cart.js', told ? FIXED : FIRST_TRY)
  await voice.text(told ? 'Now quantities count.' : 'total() adds up the prices. This should be it.')
  await voice.end(
    `${told ? 'Fixed.' : 'All done!'}\n\n<response>DONE</response>`,
    told ? { input: 1900, cached: 900 } : { input: 1200 },
  )
}
