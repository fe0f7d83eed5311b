import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { scratch } from '../support/scratch.ts'

const RALPH = join(import.meta.dirname, '..', '..', 'dist', 'ralph.js')

/** Root may read everything, so the tests of root work as another user. */
const UID = process.getuid?.() === 0 ? 65534 : process.getuid!()

/** A project with a protected test, and an agent that is this script. */
function lay(script: string) {
  const base = scratch('ralph-unreadable-')
  const project = join(base, 'project')
  const home = join(base, 'home')
  mkdirSync(home)
  const files = {
    'test/a.js': 'strong\n',
    'test/deep/b.js': 'strong\n',
    '.ralph/settings.json': JSON.stringify({
      protect: ['test/**'],
      guardrails: [{ command: 'true' }],
      baseline: false,
    }),
    '../agent.sh': `${script}\necho '<response>DONE</response>'\n`,
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, path)), { recursive: true })
    writeFileSync(join(project, path), text)
  }
  const env = { PATH: process.env.PATH!, HOME: home, CI: '1', RALPH_TRUST: '1', GIT_CONFIG_NOSYSTEM: '1' }
  const call = (command: string, ...args: string[]) =>
    spawnSync(command, args, { cwd: project, env, encoding: 'utf8', uid: UID, gid: UID })
  if (process.getuid?.() === 0) {
    chownSync(base, UID, UID)
    for (const path of readdirSync(base, { recursive: true, encoding: 'utf8' }))
      chownSync(join(base, path), UID, UID)
  }
  call('git', 'init', '-q')
  const ralph = (...args: string[]) => call(process.execPath, RALPH, ...args)
  return {
    project,
    ralph,
    run: () => ralph('run', '-p', 'x', '-m', '1', '--no-sandbox', '--', 'sh', join(base, 'agent.sh')),
    read: (path: string) => readFileSync(join(project, path), 'utf8'),
  }
}

describe('what an agent makes unreadable is put back, and never green:', () => {
  it.each<[string, string]>([
    ['a protected folder', 'echo weak > test/a.js; chmod 000 test'],
    ['a folder within it', 'echo weak > test/deep/b.js; chmod 000 test/deep'],
    ['a protected file', 'echo weak > test/a.js; chmod 000 test/a.js'],
    ['a folder that cannot be written', 'echo weak > test/a.js; chmod 555 test'],
    ['a folder that cannot be searched', 'echo weak > test/deep/b.js; chmod 644 test/deep'],
    ['the folder of hooks', 'echo x > .git/hooks/pre-push; chmod 555 .git/hooks'],
    ['git’s configuration', 'git config core.fsmonitor ../evil; chmod 000 .git/config'],
    ['the folder of git', 'git config core.fsmonitor ../evil; chmod 555 .git'],
  ])('%s', (_, script) => {
    const { run, read } = lay(script)
    const ran = run()
    expect(ran.stdout).toContain('✗ protect')
    expect([ran.status, ran.stdout]).toEqual([1, expect.not.stringContaining('verified')])
    for (const path of ['test/a.js', 'test/deep/b.js']) expect(read(path)).toBe('strong\n')
    expect(read('.git/config')).not.toContain('evil')
  })
})

describe('what nobody can read at the start', () => {
  it('is refused in one line, because it could not be put back', () => {
    const { project, run } = lay('true')
    chmodSync(join(project, 'test/deep'), 0o000)
    const ran = run()
    expect([ran.status, ran.stdout]).toEqual([2, ''])
    expect(ran.stderr).toBe(
      `ralph: error: ${join(project, 'test/deep')} cannot be read, and a pattern in "protect" may match files in it; fix its permissions or narrow the pattern\n`,
    )
    chmodSync(join(project, 'test/deep'), 0o755)
    chmodSync(join(project, 'test/a.js'), 0o000)
    const next = run()
    expect([next.status, next.stdout]).toEqual([
      1,
      expect.stringContaining(`${join(project, 'test/a.js')} is protected and cannot be read`),
    ])
    chmodSync(join(project, 'test/a.js'), 0o644)
  })
})
