import { readFileSync } from 'node:fs'
import { openStream } from './agent-stream.ts'
import { playAuth, playJudge } from './auth.ts'
import { playCart } from './cart.ts'
import { playNotes } from './notes.ts'
import { playShop } from './shop.ts'

/** The scripted agent of the demos. What it does depends only on its prompt and the files. */
export async function demoAgent(): Promise<number> {
  const prompt = readFileSync(0, 'utf8')
  const stream = await openStream()
  if (prompt.startsWith('You judge')) await playJudge(stream, prompt)
  else if (prompt.includes('## Ralph Loop Status')) await playAuth(stream, prompt)
  else if (prompt.includes('cart.test.js')) await playCart(stream, prompt)
  else if (prompt.startsWith('# Ralph Loop')) await playNotes(stream, prompt)
  else await playShop(stream, prompt)
  return 0
}
