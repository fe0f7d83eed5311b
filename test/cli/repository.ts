import { execFileSync } from 'node:child_process'
import { setStage } from './scene.ts'

/** A stage whose project is a repository with one commit and an identity. */
export function setRepository(options: Parameters<typeof setStage>[0] = {}) {
  const stage = setStage({ ...options, git: false })
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: stage.project, encoding: 'utf8', env: stage.env }).trim()
  git('init', '-q', '-b', 'main')
  git('config', 'user.name', 'T')
  git('config', 'user.email', 't@localhost')
  stage.write('README', 'hello\n')
  git('add', '-A')
  git('commit', '-q', '-m', 'start')
  const log = () => git('log', '--format=%s').split('\n')
  return {
    ...stage,
    git,
    log,
    filesIn: (rev: string) => git('show', '--format=', '--name-only', rev).split('\n').filter(Boolean),
  }
}
