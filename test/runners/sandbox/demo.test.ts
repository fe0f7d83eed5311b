import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectFiles, readScript } from '../../../src/cli/commands/demo/script.ts'
import type { DemoName } from '../../../src/cli/verbs/begin.ts'
import { missing, openPlace } from './place.ts'

/** Each workflow with the project of its demo. */
const WORKFLOWS: [command: DemoName, words: (goal: string) => string[]][] = [
  ['run', () => ['-f', 'PROMPT.md']],
  ['build', goal => [goal, '--yes']],
  ['stories', () => []],
  ['pipeline', () => []],
]

describe.skipIf(missing !== null)(`in srt${missing === null ? '' : ` (${missing})`}`, () => {
  test.each(WORKFLOWS)(
    'ralph %s completes its demo: agents, checks and commits work inside',
    { timeout: 120_000 },
    async (command, words) => {
      const place = openPlace('')
      const script = await readScript(command)
      for (const [name, text] of projectFiles(script)) {
        mkdirSync(dirname(place.at(`project/${name}`)), { recursive: true })
        writeFileSync(place.at(`project/${name}`), text)
      }
      place.settings({ env: { pass: ['DEMO_AGENT_FAST'] } })
      await place.ready()
      await place.run(['sh', '-c', 'git add -A && git commit -qm all'])
      const inside = ['--sandbox=srt', '--trust', '-a', 'demo', '--check', 'test -n "$SANDBOX_RUNTIME"']
      const ran = await place.ralph([command, ...words(script.goal ?? ''), ...inside], {
        DEMO_AGENT_FAST: '1',
      })
      expect(ran.code, ran.stdout + ran.stderr).toBe(0)
      expect(ran.stdout).not.toContain('the sandbox refused')
      expect(readdirSync(place.at('tmp'))).toEqual([])
    },
  )
})
