import { expect, it, onTestFinished } from 'vitest'
import { git, hurryGitWhen } from '../../src/git/git.ts'
import { setRepository } from '../cli/work-tree.ts'

it.each([
  ['its HEAD', 'rm .git/HEAD; mkfifo .git/HEAD'],
  ['its packed refs', 'git pack-refs --all; rm .git/packed-refs; mkfifo .git/packed-refs'],
  ['its configuration', 'rm .git/config; mkfifo .git/config'],
  ['its index', 'rm .git/index; mkfifo .git/index'],
  ['what it ignores', 'rm -f .git/info/exclude; mkdir -p .git/info; mkfifo .git/info/exclude'],
])(
  'a git that waits for a pipe in the place of %s is given up when the user wants to end',
  async (_, script) => {
    const { project, env, sh } = setRepository()
    sh(script)
    const hard = new AbortController()
    onTestFinished(hurryGitWhen(hard.signal))
    const answer = git(project, env, ['status', '--porcelain', '--untracked-files=all'])
    hard.abort()
    const later = git(project, env, ['status', '--porcelain', '--untracked-files=all'])
    expect([await answer, await later]).toEqual([null, null])
  },
)
