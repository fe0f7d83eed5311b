import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { setStage } from './scene.ts'

it('an agent and its hooks are told the workflow, the stage, and what the user allows', async () => {
  const stage = setStage({ settings: { blocklist: { allow: ['git push **'] } } })
  const names = ['RALPH_WORKFLOW', 'RALPH_STAGE', 'RALPH_ALLOW']
  const script = `printf '%s\\n' ${names.map(name => `"$${name}"`).join(' ')} > told; echo "<response>DONE</response>"`
  const ran = await stage.ralph('run', '-p', 'x', '--', 'sh', '-c', script)
  expect(ran.code, ran.stderr).toBe(0)
  const told = readFileSync(join(stage.project, 'told'), 'utf8')
  expect(told).toBe('run\nwork\n["git push **"]\n')
})
