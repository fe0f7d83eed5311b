import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RunEvent, Settled } from '../../src/core/events.ts'
import { hooksOf } from '../../src/git/hooks.ts'
import { openScm } from '../../src/git/scm.ts'
import { recordStart } from '../../src/git/start.ts'
import { scratch } from '../support/scratch.ts'

const HOOK = (path: string, text = 'true') =>
  `mkdir -p $(dirname ${path}); printf '#!/bin/sh\\n${text}\\n' > ${path}; chmod +x ${path}`

const HUSKY = `git config core.hooksPath .husky/_; ${HOOK('.husky/_/pre-commit')}; ${HOOK('.husky/_/h')}; ${HOOK('.husky/pre-commit')}`
const OWN = `git config core.hooksPath .githooks; ${HOOK('.githooks/pre-commit')}; ${HOOK('.githooks/lib/run')}`
const PLAIN = HOOK('.git/hooks/pre-commit')

function lay(script: string) {
  const root = scratch('ralph-hooks-')
  const env = { PATH: process.env.PATH!, HOME: root }
  const sh = (text: string) => execFileSync('sh', ['-ec', text], { cwd: root, env, stdio: 'pipe' })
  sh(`git init -q -b main; git config user.name a; git config user.email a@b; mkdir src; echo 1 > src/a; ${script}
    git add -A; git commit -qm begin --no-verify`)
  return { root, env, sh }
}

describe('hooks count as changed', () => {
  it.each<[string, string, string]>([
    ['a hook of git', PLAIN, HOOK('.git/hooks/pre-commit', 'evil')],
    ['a new one', '', HOOK('.git/hooks/pre-push')],
    ['a folder of one', PLAIN, HOOK('.git/hooks/pre-commit.d/10', 'evil')],
    ['the hook itself, with husky', HUSKY, HOOK('.husky/pre-commit', 'evil')],
    ['what husky calls', HUSKY, HOOK('.husky/_/h', 'evil')],
    ['a script beside it, with husky', HUSKY, HOOK('.husky/scripts/deep/run', 'evil')],
    ['a script in a folder of hooks', OWN, HOOK('.githooks/lib/run', 'evil')],
    [
      'a folder of hooks behind a link',
      `${HOOK('tools/hooks/pre-commit')}; rm -rf .git/hooks; ln -s ../tools/hooks .git/hooks`,
      HOOK('tools/lib', 'evil'),
    ],
    ['another folder', `${PLAIN}; ${OWN}`, 'git config core.hooksPath .git/hooks'],
    ['the file of lefthook', `${PLAIN}; echo a > lefthook.yml`, 'echo b > lefthook.yml'],
    ['a second file of lefthook', PLAIN, 'echo b > .lefthook-local.yaml'],
    ['the file of pre-commit', PLAIN, 'echo b > .pre-commit-config.yaml'],
    ['the file of lint-staged', PLAIN, 'echo b > lint-staged.config.mjs'],
    ['a pipe in place of one', PLAIN, 'rm .git/hooks/pre-commit; mkfifo .git/hooks/pre-commit'],
  ])('by %s', async (_, before, change) => {
    const { root, env, sh } = lay(before)
    const was = await hooksOf(root, env)
    expect(await hooksOf(root, env)).toBe(was)
    sh(change)
    expect(await hooksOf(root, env)).not.toBe(was)
  })

  it.each<[string, string, string]>([
    ['other files', HUSKY, 'echo 2 > src/a; echo 3 > b; echo x > .git/hooks/x.sample'],
    ['the file of a manager without a hook', '', 'echo b > lefthook.yml'],
    ['a commit', OWN, 'echo 2 > src/a; git commit -qam two'],
  ])('but not by %s', async (_, before, change) => {
    const { root, env, sh } = lay(before)
    const was = await hooksOf(root, env)
    sh(change)
    expect(await hooksOf(root, env)).toBe(was)
  })
})

describe('hooks that changed', () => {
  it.each<[string, string, boolean]>([
    ['are not run', HOOK('.husky/pre-push', 'touch RAN; exit 0'), false],
    ['are run if they did not', 'true', true],
  ])('%s, neither for a commit nor for a push', async (_, change, runs) => {
    const husky = `${HUSKY}; ${HOOK('.husky/_/pre-push', 'sh .husky/pre-push')}; ${HOOK('.husky/pre-push', 'touch RAN')}`
    const { root, env, sh } = lay(
      `${husky}; git init -q --bare ../remote-$$; git remote add origin ../remote-$$`,
    )
    const start = await recordStart(root, env)
    sh(`${change}; echo 2 > src/a`)
    const events: RunEvent[] = []
    const scm = { command: 'git', program: 'git', tasks: [['commit'], ['push', '-q', 'origin', 'main']] }
    const step = openScm(scm, start, env, {
      record: event => void events.push(event),
      now: () => 0,
      ask: async () => 'message',
      unchecked: async () => [],
      run: async (argv, _id, input) => {
        execFileSync(argv[0]!, argv.slice(1), { cwd: root, env, input, stdio: 'pipe' })
        return null
      },
      locks: () => ({}),
    })
    const state = { intents: {}, doubts: {} } as never
    await step.apply({ id: 1, end: 'ok', findings: [] } as unknown as Settled, state)
    sh('test "$(git rev-parse origin/main)" = "$(git rev-parse HEAD)"')
    expect(existsSync(join(root, 'RAN'))).toBe(runs)
    expect(events.flatMap(e => (e.type === 'warned' ? [e.note] : []))).toEqual(
      runs ? [] : ['the git hooks were changed during the run, so they are not run'],
    )
  })
})
