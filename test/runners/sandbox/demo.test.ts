import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { auth } from '../../../src/cli/commands/demo/auth.ts'
import { cart } from '../../../src/cli/commands/demo/cart.ts'
import { notes } from '../../../src/cli/commands/demo/notes.ts'
import { shop } from '../../../src/cli/commands/demo/shop.ts'
import { missing, openPlace } from './place.ts'

/** Each workflow with the project of its demo. */
const WORKFLOWS: [command: string, words: string[], files: Readonly<Record<string, string>>][] = [
  ['run', ['-f', 'PROMPT.md'], cart.files],
  ['build', [shop.goal, '--yes'], shop.files],
  ['stories', [], notes.files],
  ['pipeline', [], auth.files],
]

describe.skipIf(missing !== null)(`in srt${missing === null ? '' : ` (${missing})`}`, () => {
  test.each(WORKFLOWS)(
    'ralph %s completes its demo: agents, checks and commits work inside',
    { timeout: 120_000 },
    async (command, words, files) => {
      const place = openPlace('')
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(place.at(`project/${name}`)), { recursive: true })
        writeFileSync(place.at(`project/${name}`), text)
      }
      place.settings({ env: { pass: ['DEMO_AGENT_FAST'] } })
      await place.ready()
      await place.run(['sh', '-c', 'git add -A && git commit -qm all'])
      const inside = ['--sandbox=srt', '--trust', '-a', 'demo', '--check', 'test -n "$SANDBOX_RUNTIME"']
      const ran = await place.ralph([command, ...words, ...inside], { DEMO_AGENT_FAST: '1' })
      expect(ran.code, ran.stdout + ran.stderr).toBe(0)
      expect(ran.stdout).not.toContain('the sandbox refused')
      expect(readdirSync(place.at('tmp'))).toEqual([])
    },
  )
})
