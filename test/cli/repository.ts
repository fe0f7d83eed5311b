import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { BEGIN, makeRepository, type Recipe } from '../support/repository.ts'
import { setStage } from './scene.ts'

/** A stage whose project is a repository with an identity and one commit, or with more made of these files. */
export function setRepository(
  options: Parameters<typeof setStage>[0] = {},
  { files, script }: Recipe = { script: '' },
) {
  const stage = setStage({ ...options, git: false })
  const settings = '.ralph/settings.json'
  const first = ['README', ...(existsSync(join(stage.project, settings)) ? [settings] : [])]
  stage.write('README', 'hello\n')
  makeRepository(stage.project, {
    files: { ...files, ...Object.fromEntries(first.map(name => [name, stage.read(name)])) },
    script: `${BEGIN}; git add ${first.join(' ')}; git commit -q -m start; ${script}`,
  })
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: stage.project, encoding: 'utf8', env: stage.env }).trim()
  const log = () => git('log', '--format=%s').split('\n')
  return {
    ...stage,
    git,
    log,
    filesIn: (rev: string) => git('show', '--format=', '--name-only', rev).split('\n').filter(Boolean),
  }
}
