import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { missing, openPlace } from '../runners/sandbox/place.ts'
import { startMockModel } from '../support/loopback-model.mjs'
import { BIN, CLIS, eventsIn } from './clis.ts'

/** A script of the project, so that no rule for commands sees what it does: it works, and tries what it must not do. */
const script = (beside: string) => `echo right > answer.txt; git add answer.txt; git commit -qm answer
exec > tried.txt 2>&1
touch '${beside}/x' && echo GOT
touch "$HOME/x" && echo GOT
cat "$HOME/.ssh/id_ed25519"
echo evil > .git/hooks/pre-commit && echo GOT
git config core.fsmonitor ./evil && echo GOT
unshare -Ur true && echo GOT
curl -sS -m 5 http://127.0.0.2:1/
env > env.txt
`

const why = missing === null ? '' : ` (${missing})`

describe.each(['claude', 'codex'])('the real %s in srt', name => {
  const cli = CLIS[name]!
  it.skipIf(missing !== null || !existsSync(join(BIN, name)))(
    `works and commits, cannot get out, and does not see its key${why}`,
    async () => {
      const place = openPlace('')
      const mock = await startMockModel({
        turns: [
          { text: 'Writing.', tools: [cli.shell('sh work.sh')] },
          { text: 'All done. <response>DONE</response>' },
        ],
      })
      onTestFinished(() => mock.close())
      writeFileSync(place.at('project/work.sh'), script(place.at('beside')))
      const files = {
        ...cli.files(mock.url),
        '.ssh/id_ed25519': 'private-key',
        // A sandbox of its own, which cannot be made inside another.
        '.claude/settings.json': '{"sandbox": {"enabled": true}}',
      }
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(place.at(`home/${path}`)), { recursive: true })
        writeFileSync(place.at(`home/${path}`), text)
      }
      // Codex has the address of its model in a file of its own, which ralph does not read.
      place.settings({
        sandbox: { allowedDomains: ['127.0.0.1'] },
        guardrails: [{ command: 'grep -q right answer.txt' }],
      })
      await place.ready()
      const key = 'sk-the-real-key-of-the-user'
      const env = Object.fromEntries(
        Object.entries(cli.env(mock.url)).map(([variable, value]) => [
          variable,
          value === 'dummy' ? key : value,
        ]),
      )
      const run = ['run', '-p', 'Write the answer.', '-a', name, '--model', cli.model, '-m', '2']
      const ran = await place.ralph([...run, '--json', '--trust', '--sandbox=srt'], {
        ...env,
        PATH: `${BIN}:${place.env.PATH}`,
      })
      const events = eventsIn(ran.stdout)
      expect(events.at(-1), ran.stderr).toMatchObject({
        type: 'finished',
        result: 'complete',
        proof: 'verified',
      })
      const read = (path: string) => readFileSync(place.at(`project/${path}`), 'utf8')
      expect(read('tried.txt')).not.toMatch(/GOT|private-key/)
      expect(read('env.txt')).not.toContain(key)
      expect((await place.run(['git', 'log', '-1', '--format=%s'])).stdout).toBe('answer\n')
      expect(readdirSync(place.at('beside'))).toEqual([])
      expect(JSON.stringify(mock.requests)).not.toMatch(/private-key/)
      const kept = events.flatMap(event =>
        event.type === 'denied' ? event.host : event.type === 'refused' ? event.path : [],
      )
      expect(kept.sort()).toEqual(['127.0.0.2', place.at('beside/x'), place.at('home/x')].sort())
    },
  )
})
