import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Act } from '../support/agent-script.ts'
import { setStage } from './scene.ts'

const WORDS = [
  ...['--api-key', 'hunter2a', '--token=hunter2b', '-H', 'Authorization: Bearer hunter2c'],
  ...['postgres://u:hunter2d@db/x', 'API_TOKEN=hunter2e', '--auth', 'u:hunter2f', '{"password":"hunter2g"}'],
]

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(name => join(folder, name))

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

describe('a secret in the words of a command', () => {
  it('is in no file but the journal, which a resumed run needs, and in nothing that is printed', async () => {
    const stage = setStage({ settings: { guardrails: [{ command: 'true --password hunter2h' }] } })
    const agent = ['--', 'sh', '-c', 'echo "<response>DONE</response>"', ...WORDS]
    const dry = await stage.ralph('run', '-p', 'x', '--dry-run', ...agent)
    const json = await stage.ralph('run', '-p', 'x', '--dry-run', '--json', ...agent)
    const ran = await stage.ralph('run', '-p', 'x', '-m', '1', '-V', ...agent)
    expect(ran.code, ran.stderr).toBe(0)
    const shown = { dry: dry.stdout, json: json.stdout, ran: ran.stdout + ran.stderr }
    for (const [what, text] of Object.entries(shown)) expect(text, what).not.toMatch(/hunter2[a-g]/)
    for (const form of [[], ['--json'], ['--markdown'], ['--html']])
      expect((await stage.ralph('report', ...form)).stdout).not.toContain('hunter2')
    const files = [...filesIn(join(stage.project, '.ralph', 'sessions')), ...filesIn(stage.ralphHome)]
    const holders = files.filter(
      path => statSync(path).isFile() && /hunter2[a-g]/.test(readFileSync(path, 'utf8')),
    )
    expect(holders).toEqual([join(stage.runs()[0]!, 'journal.ndjson')])
  })
})

describe('a session', () => {
  const private_ = (stage: ReturnType<typeof setStage>) => {
    const sessions = join(stage.project, '.ralph', 'sessions')
    const found = [sessions, ...filesIn(sessions), stage.ralphHome, ...filesIn(stage.ralphHome)]
    const open = found.filter(path => modeOf(path) !== (statSync(path).isDirectory() ? '700' : '600'))
    // Files that were dirty before the run are kept with their own permissions, in a folder of the owner's.
    return open.filter(path => !/\/runs\/[^/]+\/start\//.test(path)).map(path => `${modeOf(path)} ${path}`)
  }
  const DONE: Act = ['claude', 'Done. <response>DONE</response>']

  it.each<[string, Act[][], string[]]>([
    ['of a run', [[DONE]], ['run', '-p', 'x', '-m', '1']],
    ['of a build', [[['claude', '["one"]']], [DONE]], ['build', 'do it', '--yes', '-m', '1']],
    ['that an agent removed', [[['remove', '.ralph/sessions'], DONE]], ['run', '-p', 'x', '-m', '1']],
  ])('%s is for its owner only, with all that is in it', async (_, calls, words) => {
    const stage = setStage({ calls, settings: { guardrails: [{ command: 'echo x >&2' }] } })
    const before = process.umask(0o022)
    try {
      await stage.ralph(...words)
    } finally {
      process.umask(before)
    }
    expect(private_(stage)).toEqual([])
    expect(modeOf(join(stage.project, '.ralph'))).toBe('755')
  })
})
