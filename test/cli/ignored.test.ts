import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ending } from './scene.ts'
import { setRepository } from './work-tree.ts'

const OWN = ['.env', 'local.db', 'cache/deep/x', 'global', '-odd "name']
const SCM = { command: 'git', tasks: ['commit', 'push -q origin HEAD'] }

/** A repository with files of the user's that git ignores in each of the ways there are, and a remote. */
function setScene(settings: unknown = { scm: SCM, guardrails: [{ command: 'true' }] }) {
  const stage = setRepository({ settings })
  const global = join(stage.root, 'global-ignore')
  writeFileSync(global, 'global\n-odd*\n')
  mkdirSync(join(stage.project, 'cache/deep'), { recursive: true })
  stage.sh(`printf '.env\\ncache/\\n' >> .gitignore; echo local.db >> .git/info/exclude
    git config core.excludesFile ${global}; git add -A; git commit -qm ignore
    git init -q --bare ../remote; git remote add origin ../remote`)
  for (const name of OWN) stage.write(name, `secret ${name}\n`)
  const remote = (path: string) => {
    try {
      const args = ['-C', join(stage.root, 'remote'), 'log', '--all', '--format=%H', '--', path]
      return execFileSync('git', args, { encoding: 'utf8' }).trim()
    } catch {
      return ''
    }
  }
  return {
    ...stage,
    remote,
    mine: () =>
      OWN.filter(name => existsSync(join(stage.project, name)) && stage.read(name) === `secret ${name}\n`),
    /** What of it is in any commit. */
    committed: (...revs: string[]) =>
      OWN.filter(name => stage.git('log', ...revs, '--format=%H', '--', `:(literal)${name}`) !== ''),
  }
}

/** What makes git list the user's files. */
const WAYS: [string, string][] = [
  ['.gitignore', 'echo nothing > .gitignore'],
  [
    '.gitignore, with all rules turned round',
    "printf '!.env\\n!cache\\n!cache/**\\n!local.db\\n!global\\n!-odd*\\n' >> .gitignore",
  ],
  ['no .gitignore', 'rm .gitignore'],
  ['info/exclude', ': > .git/info/exclude'],
  ['all of it', 'rm .gitignore .git/info/exclude; git config --unset core.excludesFile'],
  ['the index, by force', "git add -f .env local.db cache global -- '-odd \"name'"],
]

describe('what git ignored when the run began, and an agent makes it list by', () => {
  it.each(WAYS)('%s, is not committed, not pushed, and stays when the run is undone', async (_, script) => {
    const stage = setScene()
    const ran = await stage.agent(`echo "Add it"; ${script}; echo more >> src/a`)
    expect(ran.code, ran.stdout + ran.stderr).toBe(0)
    expect(stage.committed('--all')).toEqual([])
    expect(OWN.filter(path => stage.remote(path) !== '')).toEqual([])
    expect(await stage.ralph('undo', '--yes')).toMatchObject(ending(0, 'put back'))
    expect(stage.mine()).toEqual(OWN)
    expect(stage.committed('--all')).toEqual([])
    // Git's own folder is not part of an undo.
    expect(
      stage
        .git('status', '--porcelain')
        .replaceAll(/^\?\? .*$/gm, '')
        .trim(),
    ).toBe('')
  })

  it('is named where ralph leaves it out, and is no change of the run', async () => {
    const stage = setScene()
    const ran = await stage.agent('echo "Add it"; echo nothing > .gitignore; echo more >> src/a')
    expect(ran.stderr).toMatch(
      /warning: left uncommitted, because git ignored them when the run began: \.env, .*, cache\/deep\/x\n/,
    )
    const changed = stage.journal().find(event => event.type === 'changed')
    expect(changed).toMatchObject({ paths: ['.gitignore', 'src/a'] })
    expect((await stage.spawn('diff', '--name-only')).stdout).toBe('.gitignore\nsrc/a\n')
  })
})

describe('an agent that commits what git ignored when the run began', () => {
  it.each([
    ['and keeps it', 'true'],
    ['and removes it from the next commit', 'git rm -q --cached .env; git commit -qm oops'],
  ])('%s is told of loudly, and ralph pushes nothing of it; the file stays', async (_, then) => {
    const stage = setScene()
    const once = `[ -e ../once ] || { : > ../once; git add -f .env; git commit -qm mine; ${then}; }`
    const ran = await stage.agent(`echo "Add it"; ${once}; echo more >> src/a`)
    const isKept = then === 'true'
    if (isKept)
      expect(ran.stderr).toMatch(/THE AGENT COMMITTED files that git ignored when the run began: \.env;/)
    expect(ran.stderr).toMatch(
      /git push is not run, because commits contain files that git ignored .*: \.env; the other SCM/,
    )
    expect(stage.remote('.env')).toBe('')
    await stage.ralph('undo', '--yes')
    expect(stage.mine()).toEqual(OWN)
    expect(stage.committed('HEAD')).toEqual([])
  })
})

it('what an agent makes in the run is its own, ignored before or not', async () => {
  const stage = setScene()
  const work = 'echo x > new; mkdir -p lib; echo y > lib/z'
  await stage.agent(`echo "Add it"; ${work}; echo lib >> .gitignore; sed -i /lib/d .gitignore`)
  expect(stage.git('show', '--format=', '--name-only', 'HEAD').split('\n')).toEqual(
    expect.arrayContaining(['lib/z', 'new']),
  )
  await stage.ralph('undo', '--yes')
  expect([existsSync(join(stage.project, 'new')), existsSync(join(stage.project, 'lib'))]).toEqual([
    false,
    false,
  ])
})

/** Also for a second time, when the same agent is asked for a message. */
const OUT = 'git rm -rq --cached --ignore-unmatch'

describe('what an agent takes out of git and has git ignore, by', () => {
  it.each([
    ['.gitignore', `${OUT} src/a; printf 'src/a\\n.ralph/\\n' > .gitignore`],
    ['info/exclude', `${OUT} src/a; echo a > .git/info/exclude`],
    ['a rule for its folder', `${OUT} src; printf 'src/\\n.ralph/\\n' > .gitignore`],
  ])('%s, is left uncommitted and named, and the rest is committed', async (_, script) => {
    const stage = setRepository({
      settings: { scm: { command: 'git', tasks: ['commit'] }, guardrails: [{ command: 'true' }] },
    })
    const ran = await stage.agent(`echo "Ignore it"; ${script}; echo new > src/a; echo new > c`)
    expect(ran.code, ran.stdout + ran.stderr).toBe(0)
    expect(ran.stderr).toMatch(
      /left uncommitted, because the run took them out of git and had git ignore them: src\/a/,
    )
    expect([stage.git('show', 'HEAD:c'), stage.git('show', 'HEAD:src/a')]).toEqual(['new', 'one'])
    expect(stage.read('src/a')).toBe('new\n')
  })
})

describe('what ralph cannot commit is left and named, and the rest is committed:', () => {
  it.each([
    ['a file in a submodule', 'echo new > sub/file', /files in these submodules changed.*: sub\n/],
    ['a new file in a submodule', 'echo new > sub/new', /files in these submodules changed.*: sub\n/],
    ['a pipe in the place of a file', 'rm src/a; mkfifo src/a', /neither files nor links: src\/a\n/],
    ['a name that is not UTF-8', 'echo new > "$(printf "\\377")"', /names are not UTF-8: /],
  ])('%s', async (_, script, said) => {
    const stage = setRepository({
      settings: { scm: { command: 'git', tasks: ['commit'] }, guardrails: [{ command: 'true' }] },
    })
    stage.sh(`git init -q ../sub; cd ../sub; echo old > file; git add -A
      git -c user.name=T -c user.email=t@localhost commit -qm sub
      cd - > /dev/null; git -c protocol.file.allow=always submodule -q add ../sub sub; git commit -qam sub`)
    const ran = await stage.agent(`echo "Change it"; ${script}; echo new > c`)
    expect(ran.code, ran.stdout + ran.stderr).toBe(0)
    expect(ran.stderr).toMatch(said)
    expect(stage.git('show', '--format=', '--name-only', 'HEAD', '--', ':!.ralph')).toBe('c')
  })
})
