import type { AgentStream } from './agent-stream.ts'
import { json } from './scratch.ts'

const GOAL = 'A small shop: prices, discounts, a cart, and a receipt as text. No dependencies.'

/** The build's project: only a goal and a check. */
export const shop = {
  goal: GOAL,
  message: 'A shop with nothing in it',
  files: {
    'package.json': json({ name: 'shop', type: 'module', private: true }),
    'shop.test.js': `import test from 'node:test'

test('the project is there', () => {})
`,
    '.ralph/settings.json': json({
      agent: { command: 'demo' },
      guardrails: [{ command: 'node --test', failAction: 'APPEND', hint: 'Do not change the tests.' }],
    }),
  },
}

const task = (
  id: string,
  content: string,
  activeForm: string,
  blockedBy: string[],
  acceptanceCriteria: string[],
) => ({ id, content, status: 'pending', activeForm, blockedBy, acceptanceCriteria })

const PLAN = [
  task('#1', 'Write prices in cents', 'Writing prices', [], ['money(1250) is "12.50"']),
  task('#2', 'Add a cart that adds up', 'Adding the cart', ['#1'], ['quantities count']),
  task(
    '#3',
    'Add discounts by code',
    'Adding discounts',
    ['#1'],
    ['SAVE10 takes off a tenth, in whole cents'],
  ),
  task('#4', 'Print a receipt', 'Printing the receipt', ['#2', '#3'], ['one line per item, then the total']),
  task('#5', 'Describe it in a README', 'Describing it', ['#4'], ['says how to print a receipt']),
]

const DISCOUNT = `const CODES = { SAVE10: 10 }

export const discounted = (cents, code) => cents - (cents * (CODES[code] ?? 0)) / 100
`

const WHOLE_CENTS = DISCOUNT.replace(
  'cents - (cents * (CODES[code] ?? 0)) / 100',
  'cents - Math.round((cents * (CODES[code] ?? 0)) / 100)',
)

/** The result of each task: its files, and the agent's final text. */
const WORK: Readonly<Record<string, { files: Record<string, string>; finalText: string }>> = {
  '#1': {
    files: { 'money.js': 'export const money = cents => (cents / 100).toFixed(2)\n' },
    finalText: 'Prices are whole cents; money() writes them.',
  },
  '#2': {
    files: {
      'cart.js': `export const total = items => items.reduce((sum, { cents, quantity = 1 }) => sum + cents * quantity, 0)\n`,
      'cart.test.js': `import assert from 'node:assert/strict'
import test from 'node:test'
import { total } from './cart.js'

test('counts quantities', () => assert.equal(total([{ cents: 200, quantity: 3 }, { cents: 50 }]), 650))
`,
    },
    finalText: 'The cart adds up, quantities included.',
  },
  '#3': {
    files: {
      'discount.js': DISCOUNT,
      'discount.test.js': `import assert from 'node:assert/strict'
import test from 'node:test'
import { discounted } from './discount.js'

test('takes off a tenth', () => assert.equal(discounted(1000, 'SAVE10'), 900))
test('in whole cents', () => assert.equal(discounted(1001, 'SAVE10'), 901))
`,
    },
    finalText: 'SAVE10 takes off ten percent.',
  },
  '#3-bug-1': {
    files: { 'discount.js': WHOLE_CENTS },
    finalText: 'A tenth of 1001 cents is no whole number of cents; it is rounded now.',
  },
  '#4': {
    files: {
      'receipt.js': `import { total } from './cart.js'
import { discounted } from './discount.js'
import { money } from './money.js'

export const receipt = (items, code) =>
  [
    ...items.map(({ name, cents, quantity = 1 }) => \`\${quantity} x \${name} \${money(cents * quantity)}\`),
    \`total \${money(discounted(total(items), code))}\`,
  ].join('\\n')
`,
    },
    finalText: 'The receipt has a line per item and the total, discount included.',
  },
  '#5': {
    files: { 'README.md': '# Shop\n\n    node -e "import(\'./receipt.js\')"\n' },
    finalText: 'The README says how to print a receipt.',
  },
}

/** Plans, does one task at a time, and makes one mistake, which a check finds. */
export async function playShop(stream: AgentStream, prompt: string): Promise<void> {
  if (prompt.includes('<request>')) {
    await stream.text('The request is clear; I will only add how to tell that each part works.')
    return stream.end(`<refined>${GOAL} Each part has a test that node --test runs.</refined>`, {
      input: 900,
    })
  }
  if (prompt.includes('<specification>')) {
    await stream.text(
      'Prices first: everything else counts in them. The receipt needs the cart and the discounts.',
    )
    return stream.end(JSON.stringify(PLAN, null, 2), { input: 1400 })
  }
  const id = /^# Your task: .*\((\S+)\)$/m.exec(prompt)?.[1] ?? ''
  const work = WORK[id] ?? { files: {}, finalText: 'I do not know this task.' }
  const again = id === '#3' && prompt.includes('A bug fix was made since')
  await stream.text(again ? 'The fix is in; the tests pass now.' : `On it: ${id}.`)
  if (!again) for (const [path, text] of Object.entries(work.files)) await stream.write(path, text)
  await stream.end(again ? 'Discounts are whole cents now.' : work.finalText, { input: 1600, cached: 700 })
}
