import { readFileSync } from 'node:fs'
import { actCart } from './cart.ts'
import { actShop } from './shop.ts'
import { startSpeaking } from './speak.ts'

/** The scripted agent of the demos: what it does depends on nothing but its prompt and the files. */
export async function demoAgent(): Promise<number> {
  const prompt = readFileSync(0, 'utf8')
  const voice = await startSpeaking()
  await (prompt.includes('cart.test.js') ? actCart(voice, prompt) : actShop(voice, prompt))
  return 0
}
