import { readFileSync } from 'node:fs'
import { actCart } from './cart.ts'
import { actNotes } from './notes.ts'
import { actShop } from './shop.ts'
import { startSpeaking } from './speak.ts'

/** The scripted agent of the demos: what it does depends on nothing but its prompt and the files. */
export async function demoAgent(): Promise<number> {
  const prompt = readFileSync(0, 'utf8')
  const voice = await startSpeaking()
  if (prompt.includes('cart.test.js')) await actCart(voice, prompt)
  else if (prompt.startsWith('# Ralph Loop')) await actNotes(voice, prompt)
  else await actShop(voice, prompt)
  return 0
}
