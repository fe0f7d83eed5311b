import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { DONE, FIRST_TRY, FIXED } from './demo-project.ts'

const BEAT_MS = 250

/**
 * The scripted agent of the demo. It speaks Claude Code's stream format, so it is read like a real one.
 * At first it makes a mistake and claims to be done; once it is shown the failing check, it mends it.
 */
export async function demoAgent(): Promise<number> {
  const prompt = readFileSync(0, 'utf8')
  const told = prompt.includes('failed with exit code')
  const say = async (line: Record<string, unknown>) => {
    process.stdout.write(`${JSON.stringify(line)}\n`)
    await pause(BEAT_MS)
  }
  const assistant = (block: Record<string, unknown>) =>
    say({ type: 'assistant', message: { content: [block] } })
  const text = (words: string) => assistant({ type: 'text', text: words })
  const tool = async (id: string, name: string, input: Record<string, unknown>, output: string) => {
    await assistant({ type: 'tool_use', id, name, input })
    await say({
      type: 'user',
      message: { content: [{ type: 'tool_result', tool_use_id: id, content: output }] },
    })
  }

  await say({ type: 'system', subtype: 'init', session_id: 'demo', model: 'demo' })
  await text(
    told
      ? 'The quantity is ignored. I will multiply by it.'
      : 'I will read the test, then write the function.',
  )
  await tool(
    'read',
    'Read',
    { file_path: told ? 'cart.js' : 'cart.test.js' },
    readFileSync(told ? 'cart.js' : 'cart.test.js', 'utf8'),
  )
  const edit = { old_string: readFileSync('cart.js', 'utf8'), new_string: told ? FIXED : FIRST_TRY }
  writeFileSync('cart.js', edit.new_string)
  await tool('edit', 'Edit', { file_path: 'cart.js', ...edit }, 'The file cart.js has been updated.')
  await text(told ? 'Now quantities count.' : 'total() adds up the prices. This should be it.')
  const result = `${told ? 'Fixed.' : 'All done!'}\n\n<response>${DONE}</response>`
  const usage = {
    input_tokens: told ? 1900 : 1200,
    cache_read_input_tokens: told ? 900 : 0,
    output_tokens: 180,
  }
  await say({ type: 'result', subtype: 'success', is_error: false, result, total_cost_usd: 0, usage })
  return 0
}
