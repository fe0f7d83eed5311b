import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const DONE = 'DONE'

const PROMPT = `Make the tests in cart.test.js pass. Change only cart.js.
When everything is done, say <response>${DONE}</response>.
`

const UNWRITTEN = `export function total(items) {
  throw new Error('not written yet')
}
`

export const FIRST_TRY = `export function total(items) {
  return items.reduce((sum, item) => sum + item.price, 0)
}
`

export const FIXED = `export function total(items) {
  return items.reduce((sum, item) => sum + item.price * (item.quantity ?? 1), 0)
}
`

const TEST = `import assert from 'node:assert/strict'
import test from 'node:test'
import { total } from './cart.js'

test('adds up the prices', () => assert.equal(total([{ price: 2 }, { price: 3 }]), 5))
test('counts quantities', () => assert.equal(total([{ price: 2, quantity: 3 }]), 6))
`

const SETTINGS = {
  maximumIterations: 5,
  agent: { command: 'demo' },
  guardrails: [{ command: 'node --test', failAction: 'APPEND', hint: 'Do not change the tests.' }],
}

/** A scratch git project with a failing test; it stays, so that one can look around in it. */
export function makeDemoProject(): { dir: string; promptFile: string } {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-demo-')))
  const write = (name: string, text: string) => writeFileSync(join(dir, name), text)
  write('package.json', `${JSON.stringify({ name: 'cart', type: 'module', private: true }, null, 2)}\n`)
  write('cart.js', UNWRITTEN)
  write('cart.test.js', TEST)
  write('PROMPT.md', PROMPT)
  mkdirSync(join(dir, '.ralph'))
  write('.ralph/settings.json', `${JSON.stringify(SETTINGS, null, 2)}\n`)
  initRepository(dir)
  return { dir, promptFile: join(dir, 'PROMPT.md') }
}

/** Without git the demo works as well: only nothing then tells what changed. */
function initRepository(dir: string): void {
  const who = ['-c', 'user.name=Ralph', '-c', 'user.email=ralph@localhost', '-c', 'commit.gpgsign=false']
  const git = (...args: string[]) => execFileSync('git', [...who, ...args], { cwd: dir, stdio: 'ignore' })
  try {
    git('init', '-q')
    git('add', '-A')
    git('commit', '-q', '-m', 'A cart without a total')
  } catch {
    return
  }
}
