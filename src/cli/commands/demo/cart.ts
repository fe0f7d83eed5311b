import type { AgentStream } from './agent-stream.ts'
import { json } from './scratch.ts'

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

/** First it makes a mistake and claims to be done. Once it is shown the failing check, it corrects the mistake. */
export async function playCart(stream: AgentStream, prompt: string): Promise<void> {
  const hasFailed = prompt.includes('failed with exit code')
  await stream.text(
    hasFailed
      ? 'The quantity is ignored. I will multiply by it.'
      : 'I will read the test, then write the function.',
  )
  await stream.read(hasFailed ? 'cart.js' : 'cart.test.js')
  await stream.write('cart.js', hasFailed ? FIXED : FIRST_TRY)
  await stream.text(hasFailed ? 'Now quantities count.' : 'total() adds up the prices. This should be it.')
  await stream.end(
    `${hasFailed ? 'Fixed.' : 'All done!'}\n\n<response>DONE</response>`,
    hasFailed ? { input: 1900, cached: 900 } : { input: 1200 },
  )
}
