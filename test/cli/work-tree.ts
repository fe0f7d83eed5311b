import { execFileSync } from 'node:child_process'
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { BEGIN, makeRepository } from '../support/repository.ts'
import { setStage } from './scene.ts'

/** A stage in a repository with a few commits' worth of files; an agent is a shell script. */
export function setRepository(options: { settings?: unknown; commit?: boolean } = {}) {
  const stage = setStage({ settings: options.settings, git: false })
  const sh = (script: string) =>
    execFileSync('sh', ['-ec', script], { cwd: stage.project, encoding: 'utf8', env: stage.env })
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: stage.project, encoding: 'utf8', env: stage.env }).trim()
  const commit = `mkdir src; echo one > src/a; echo two > src/b; echo three > c; echo x > run.sh; ln -s c link
    printf 'a\\0b' > binary; printf 'ignored\\n.ralph/\\n' > .gitignore; git add -A; git commit -qm start`
  makeRepository(stage.project, { script: options.commit === false ? BEGIN : `${BEGIN}; ${commit}` })
  return {
    ...stage,
    sh,
    git,
    /** One that says something in the end: an empty answer would be tried again. */
    agent: (script: string, ...args: string[]) =>
      stage.ralph('run', '-p', 'x', '-m', '1', '-c', '', ...args, '--', 'sh', '-ec', `${script}\necho done`),
    /**
     * Everything there is to see: files with kind, mode and content, HEAD and its branch, the branches, and what in the index or
     * the tree is not as in HEAD, with the hash of what the index has.
     */
    state() {
      const status = git('status', '--porcelain=v2', '--branch').split('\n')
      return {
        files: filesIn(stage.project),
        head: status.filter(line => line.startsWith('#')),
        refs: git('for-each-ref', 'refs/heads', 'refs/tags'),
        changed: status.filter(line => !line.startsWith('#')),
      }
    },
  }
}

function filesIn(root: string, folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name)
    const file = join(root, path)
    if (path === '.git' || path === '.ralph') return []
    if (entry.isDirectory()) return filesIn(root, path)
    if (entry.isSymbolicLink()) return [`${path} -> ${readlinkSync(file)}`]
    return [`${path} ${(lstatSync(file).mode & 0o777).toString(8)} ${readFileSync(file, 'latin1')}`]
  })
}
