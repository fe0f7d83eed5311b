import { expect, it } from 'vitest'
import { setStage } from './scene.ts'

it.each([
  ['npm', 'npm stands for several hosts, in sandbox.allowedDomains only; give one host'],
  ['https://a.example', '"https://a.example" is not a host; give a name without https:// and without a path'],
])('ralph sandbox allow takes one host, not %s', async (host, why) => {
  const { code, stderr } = await setStage().ralph('sandbox', 'allow', host)
  expect([code, stderr]).toEqual([2, `ralph: error: ${why}\n`])
})
