import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { layProject, noteOf } from './scene.ts'

/** Makes a mark if git ever runs it. */
const EVIL = '../evil'

/** What a person does next, in the project. */
const NEXT = [
  'git status',
  'git add -A',
  'git commit -qm mine --allow-empty',
  'git checkout -q -b x',
  'git diff HEAD~1',
  'git fetch -q --all',
  'git push -q',
  'git archive --format=x HEAD',
  'git submodule update',
  'git ls-remote https://127.0.0.1:1/x',
]

function lay() {
  const scene = layProject()
  writeFileSync(join(scene.base, 'evil'), `#!/bin/sh\ntouch ${join(scene.base, 'RAN')}\n`, { mode: 0o755 })
  const ran = () => existsSync(join(scene.base, 'RAN'))
  /** Runs what a person does next; nothing of that may run the agent's program. */
  const goOn = () => {
    scene.sh(NEXT.map(command => `${command} >/dev/null 2>&1 </dev/null || true`).join('\n'))
  }
  return { ...scene, ran, goOn, config: () => scene.sh('git config --local --list') }
}

const key = (name: string, value = EVIL): [string, string] => [name, `git config '${name}' '${value}'`]

describe('what would make git run or send something is put back, and red:', () => {
  it.each<[string, string]>([
    key('core.fsmonitor'),
    key('remote.origin.url', 'ext::sh -c ../evil'),
    key('url.https://127.0.0.1:2/.insteadOf', 'https://'),
    key('include.path', '../evil.inc'),
    ['an empty value', "git config core.hooksPath ''"],
    ['a key without a value', 'printf "[core]\\n\\tfsmonitor\\n" >> .git/config'],
    ['a key that is removed', 'git config --unset core.sshCommand'],
    ['a section that is renamed', 'git config --rename-section remote.origin remote.other'],
    ['a second value', 'git config --add remote.origin.url https://127.0.0.1:2/x'],
    ['a file that git cannot read', 'echo "[[[" > .git/config'],
    ['no file at all', 'rm .git/config'],
    ['a folder', 'rm .git/config; mkdir .git/config'],
    [
      'a file that is too large',
      "yes '#' | head -c 2000000 >> .git/config; git config core.fsmonitor ../evil",
    ],
  ])('%s', async (_, script) => {
    const { sh, begin, ran, goOn, config } = lay()
    const before = config()
    const protection = await begin()
    sh(`${script} 2>/dev/null`)
    expect(await protection.restore()).toContain('.git/config')
    expect(config()).toBe(before)
    expect(await noteOf(protection)).toContain('.git/config')
    goOn()
    expect(ran()).toBe(false)
    // It stays mended, and nothing more is found.
    expect(await protection.restore()).toBeNull()
  })

  const HOOK = `printf '#!/bin/sh\\n../evil\\n' > hook; chmod +x hook`
  it.each<[string, string, string]>([
    ['a hook', `${HOOK}; mv hook .git/hooks/post-checkout`, '.git/hooks/post-checkout'],
    ['a changed hook', `${HOOK}; mv hook .git/hooks/pre-push`, '.git/hooks/pre-push'],
    [
      'another configuration, in commondir',
      `cp -r .git ../alt; git config --file ../alt/config core.fsmonitor ../evil; echo ../../alt > .git/commondir`,
      '.git/commondir',
    ],
    [
      'config.worktree',
      'git config --file .git/config.worktree core.fsmonitor ../evil',
      '.git/config.worktree',
    ],
    ['attributes', 'mkdir -p .git/info; echo "* filter=x" > .git/info/attributes', '.git/info/attributes'],
    ['alternates', 'echo /else > .git/objects/info/alternates', '.git/objects/info/alternates'],
    ['grafts', 'git rev-parse HEAD > .git/info/grafts', '.git/info/grafts'],
    [
      'replaced objects',
      'mkdir -p .git/refs/replace; git rev-parse HEAD > .git/refs/replace/x',
      '.git/refs/replace/x',
    ],
    [
      'an old-style remote',
      'mkdir -p .git/remotes; echo "URL: /else" > .git/remotes/evil',
      '.git/remotes/evil',
    ],
    ['an included file', 'git config --file shared.inc core.fsmonitor ../evil', 'shared.inc'],
    ['what an included file includes', 'git config --file deep.inc core.fsmonitor ../evil', 'deep.inc'],
    ['a linked work tree', 'echo /else > .git/worktrees/tree/commondir', '.git/worktrees/tree/commondir'],
    ['a submodule', 'git -C sub config core.fsmonitor ../../evil', 'sub/.git/config'],
    [
      'a hook of a submodule',
      `${HOOK}; mv hook sub/.git/hooks/post-checkout`,
      'sub/.git/hooks/post-checkout',
    ],
    [
      'a new repository in the index',
      'git init -q new; git -C new commit -q --allow-empty -m n; git -C new config core.fsmonitor ../../evil; git add new 2>/dev/null',
      'new/.git/config',
    ],
    [
      'a new repository in a commit, with a hook',
      `git init -q new; git -C new commit -q --allow-empty -m n; ${HOOK}; mv hook new/.git/hooks/post-checkout; git add new 2>/dev/null; git commit -qm new`,
      'new/.git/hooks/post-checkout',
    ],
    [
      'a new repository that lies elsewhere',
      'git init -q --separate-git-dir ../far new; git -C new commit -q --allow-empty -m n; git -C new config core.fsmonitor ../../evil; git add new 2>/dev/null',
      'new/.git',
    ],
    [
      'a new repository within a new one',
      'git init -q new; git init -q new/in; git -C new/in commit -q --allow-empty -m n; git -C new/in config core.fsmonitor ../../../evil; git -C new add in 2>/dev/null; git -C new commit -qm n; git add new 2>/dev/null',
      'new/in/.git/config',
    ],
  ])('%s', async (_, script, path) => {
    const { project, sh, begin, ran, goOn } = lay()
    sh(`git config --file deep.inc user.name a; git config --file shared.inc include.path deep.inc
      git config include.path ../shared.inc; git worktree add -q ../tree
      git init -q sub; git -C sub commit -q --allow-empty -m s; git add -A 2>/dev/null; git commit -qm sub`)
    const protection = await begin()
    sh(script)
    expect(await protection.restore()).toContain(path)
    expect(await noteOf(protection)).toContain(path)
    goOn()
    expect(ran()).toBe(false)
    expect(await protection.restore()).toBeNull()
    expect(readFileSync(join(project, '.git/config'), 'utf8')).toContain('shared.inc')
  })
})

describe('what honest work does to git stays, and is not red:', () => {
  it.each<[string, string]>([
    key('user.name', 'Agent'),
    ['a branch', 'git branch y; git checkout -q -b z --track main'],
    ['a commit', 'echo 1 > src/y.js; git add -A; git commit -qm y'],
    ['a stash and a rebase', 'echo 1 >> src/x.js; git stash -q; git rebase -q main; git stash pop -q'],
    ['a work tree', 'git worktree add -q ../more; git worktree remove ../more; git worktree add -q ../other'],
    ['garbage collection', 'git gc -q'],
    ['a new repository that nobody visits', 'git init -q new'],
    [
      'a new submodule',
      'git -c protocol.file.allow=always submodule --quiet add ../../elsewhere sub 2>/dev/null || git -c protocol.file.allow=always submodule --quiet add $PWD/../elsewhere sub; git commit -qm sub',
    ],
    ['a submodule that goes', 'git rm -q --cached inner; rm -rf inner; git commit -qm gone'],
  ])('%s', async (_, script) => {
    const { sh, begin, config } = lay()
    sh(
      'git init -q inner; git -C inner commit -q --allow-empty -m s; git add -A 2>/dev/null; git commit -qm inner',
    )
    const protection = await begin()
    sh(script)
    const after = config()
    expect(await protection.restore()).toBeNull()
    expect(await noteOf(protection)).toBeNull()
    expect(config()).toBe(after)
    await protection.take()
    expect(await protection.restore()).toBeNull()
  })

  it('stays too where something else is put back', async () => {
    const { sh, begin, config } = lay()
    const protection = await begin()
    sh("git config user.name Agent; git config branch.x.remote origin; git config alias.st '!../evil'")
    expect(await protection.restore()).toContain('.git/config alias.st')
    expect(config()).toContain('user.name=Agent')
    expect(config()).toContain('branch.x.remote=origin')
    expect(config()).not.toContain('alias')
  })
})
