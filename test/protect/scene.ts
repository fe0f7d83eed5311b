import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { recordStart } from '../../src/git/start.ts'
import { composeProtection, guardGit } from '../../src/host/protection.ts'
import { resolveSettings } from '../../src/settings/schema.ts'
import { BEGIN, makeRepository } from '../support/repository.ts'
import { scratch } from '../support/scratch.ts'

/** A project in a repository, another repository elsewhere, and a run's folder. */
export function layProject(patterns: string[] = ['test/**']) {
  const base = scratch('ralph-protect-')
  const project = join(base, 'project')
  const elsewhere = join(base, 'elsewhere')
  const runDir = join(base, 'run')
  mkdirSync(runDir)
  const person = {
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@b',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@b',
  }
  const env = { PATH: process.env.PATH!, HOME: base, GIT_CONFIG_NOSYSTEM: '1', ...person }
  const sh = (script: string, cwd = project) =>
    execFileSync('sh', ['-ec', script], { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(base, path)), { recursive: true })
    writeFileSync(join(base, path), text)
  }
  for (const name of ['project', 'elsewhere'])
    makeRepository(join(base, name), {
      files: {
        'test/a.js': `${name}: strong\n`,
        'test/deep/b.js': `${name}: strong too\n`,
        '.ralph/settings.json': `{"name":"${name}"}`,
        'src/x.js': 'x\n',
      },
      script: `${BEGIN}
        git config core.sshCommand "ssh -i ${name}"; git remote add origin https://127.0.0.1:1/${name}
        printf '#!/bin/sh\\n# ${name}\\n' > .git/hooks/pre-push; chmod +x .git/hooks/pre-push
        git add -A; git commit -qm begin`,
    })
  chmodSync(join(project, 'test/a.js'), 0o640)

  /** As a process of ralph would open it. */
  let started: ReturnType<typeof recordStart> | null = null
  const open = async () => {
    started ??= recordStart(project, env)
    const start = await started
    const spec = { project, settings: resolveSettings({ protect: patterns }), start }
    const shared = guardGit(project, runDir, env)(start)
    return composeProtection({ spec, more: [], name: 'protected.json', runDir, env, shared })
  }
  /** The same, with everything taken as it is now: before an agent works. */
  const begin = async () => {
    const protection = await open()
    await protection.take()
    return protection
  }
  return { base, project, elsewhere, runDir, env, sh, write, open, begin }
}

/** The note of the failed check; null if nothing was found. */
export async function noteOf(protection: Awaited<ReturnType<ReturnType<typeof layProject>['open']>>) {
  const [check] = protection.checks()
  return check ? (await check.run(null, new AbortController().signal)).finding.note : null
}

/** Everything in a folder, with what each file holds. Git's index and logs change by looking. */
export function contents(folder: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (/(^|\/)\.git\/(index|logs|objects|COMMIT_EDITMSG)/.test(path)) continue
    const stat = lstatSync(join(folder, path))
    if (stat.isSymbolicLink()) found[path] = `-> ${readlinkSync(join(folder, path))}`
    else if (stat.isFile())
      found[path] = `${(stat.mode & 0o777).toString(8)} ${readFileSync(join(folder, path), 'utf8')}`
    else found[path] = stat.isDirectory() ? 'folder' : 'special'
  }
  return found
}
