import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { journalPath } from '../../src/store/journal.ts'
import { setRepository } from './repository.ts'
import { setStories } from './stories-stage.ts'

/** A committed protected file, and an agent that does this in its first iteration and says that it is done in each. */
function setStage(script: string, settings: Record<string, unknown> = {}) {
  const stage = setRepository({
    settings: { protect: ['spec.md', 'tests/**'], baseline: false, ...settings },
  })
  mkdirSync(join(stage.project, 'tests'))
  stage.write('spec.md', 'as it was\n')
  for (const name of 'abc') stage.write(`tests/${name}`, `${name}\n`)
  stage.write('.gitignore', '.ralph/sessions\n.ralph/.gitignore\nignored\n')
  stage.git('add', '-A')
  stage.git('commit', '-q', '-m', 'spec')
  const agent = join(stage.root, 'agent')
  const plan = '[{"id":"#1","content":"Make it","activeForm":"Making it","status":"pending","blockedBy":[]}]'
  writeFileSync(
    agent,
    `#!/bin/sh
input=$(cat)
case $input in *'<specification>'*) echo '${plan}'; exit ;; esac
[ -e '${stage.root}/begun' ] || { : > '${stage.root}/begun'; ${script}; }
echo '<response>DONE</response>'\n`,
    { mode: 0o755 },
  )
  return {
    ...stage,
    agent,
    run: (...options: string[]) => stage.ralph('run', '-p', 'x', '-m', '3', ...options, '--', agent),
    history: () => stage.log().reverse().slice(2),
    inHead: (path: string) => stage.git('show', `HEAD:${path}`),
    restored: () => stage.journal().filter(e => e.type === 'committed' && e.by === 'ralph').length,
  }
}

const COMMIT = 'echo new > made; echo other > spec.md; git add -A; git commit -qm work'

describe('a protected file that the agent changed and committed', () => {
  it.each([
    ['run', (stage: ReturnType<typeof setStage>) => stage.run()],
    ['build', (stage: ReturnType<typeof setStage>) => stage.ralph('build', 'Make it', '--', stage.agent)],
  ])('is put back in HEAD too, and nothing else is: %s', async (_, start) => {
    const stage = setStage(COMMIT)
    expect((await start(stage)).code).toBe(0)
    expect(stage.history()).toEqual(['work', 'ralph: restore spec.md'])
    expect(stage.filesIn('HEAD')).toEqual(['spec.md'])
    expect([stage.inHead('spec.md'), stage.inHead('made')]).toEqual(['as it was', 'new'])
    expect(stage.git('status', '--porcelain')).toBe('')
  })

  it('is put back in HEAD too in a story loop', async () => {
    const stage = setStories({
      calls: [`echo other > ralph/prd.md; commit 'feat: all mine'`],
    })
    expect((await stage.ralph('stories')).code).toBe(0)
    expect(stage.git('show', 'HEAD:ralph/prd.md')).toBe('# Shop')
    expect(stage.history()).toContain('ralph: restore ralph/prd.md')
    expect(stage.git('status', '--porcelain', '--', 'ralph')).toBe('')
  })

  it.each([
    ['commits what the run changed', COMMIT, ['work', 'ralph: restore spec.md']],
    ['finds it amended', `${COMMIT} --amend`, ['ralph: restore spec.md']],
  ])('is put back once where ralph %s', async (_, script, subjects) => {
    const stage = setStage(script, { scm: { command: 'git', tasks: ['commit'] } })
    expect((await stage.run()).code).toBe(0)
    expect(stage.git('log', '--format=%s').split('\n').reverse().slice(-subjects.length)).toEqual(subjects)
    expect([stage.inHead('spec.md'), stage.restored()]).toEqual(['as it was', 1])
  })

  it('is in HEAD as it was, whatever was done to it: removed, added, ignored, linked, made executable, merged', async () => {
    const stage = setStage(`git checkout -qb b; echo x > spec.md; git commit -qam b
      git checkout -q main; git merge -q --no-ff -m merged b
      git rm -q tests/a; ln -sf a tests/b; chmod +x tests/c; echo x > tests/new; git add -A
      echo x > tests/ignored; git add -f tests; git commit -qm work; echo again > spec.md`)
    const before = stage.git('ls-tree', '-r', 'HEAD')
    expect((await stage.run()).code).toBe(0)
    expect(stage.git('ls-tree', '-r', 'HEAD')).toBe(before)
    expect(stage.git('status', '--porcelain')).toBe('')
    expect(stage.git('log', '-1', '--format=%B')).toBe(
      'ralph: restore 6 protected files\n\nspec.md\ntests/a\ntests/b\ntests/c\ntests/ignored\ntests/new',
    )
  })

  it('leaves changes of yours uncommitted, in the file and beside it', async () => {
    const stage = setStage('echo other > spec.md; git commit -qm work spec.md')
    stage.write('spec.md', 'mine\n')
    stage.write('README', 'mine too\n')
    expect((await stage.run()).code).toBe(0)
    expect([stage.inHead('spec.md'), stage.read('spec.md')]).toEqual(['as it was', 'mine\n'])
    expect(stage.git('status', '--porcelain')).toBe('M README\n M spec.md')
  })

  it('stays as it is on another branch', async () => {
    const stage = setStage('git checkout -q other')
    stage.git('checkout', '-qb', 'other')
    stage.write('spec.md', 'of the other branch\n')
    stage.git('commit', '-qam', 'other')
    stage.git('checkout', '-q', 'main')
    stage.git('commit', '-q', '--allow-empty', '-m', 'more')
    await stage.run()
    expect([stage.log()[0], stage.restored()]).toEqual(['other', 0])
  })

  it('is put back in HEAD after a crash', async () => {
    const stage = setStage(`${COMMIT}; : > ../committed; sleep 60`)
    const ralph = stage.start('run', '-p', 'x', '-m', '3', '--', stage.agent)
    while (!existsSync(join(stage.root, 'committed'))) await delay(20)
    ralph.kill('SIGKILL')
    await ralph.ended
    expect((await stage.ralph('resume')).code).toBe(0)
    expect([stage.inHead('spec.md'), stage.log()[0]]).toEqual(['as it was', 'ralph: restore spec.md'])
  })

  it('is put back in HEAD after a crash that came when its commit was on record', async () => {
    const stage = setStage(COMMIT)
    await stage.spawn('run', '-p', 'x', '-m', '1', '--', stage.agent)
    const path = journalPath(stage.runs()[0]!)
    const lines = readFileSync(path, 'utf8').split('\n')
    const until = lines.findIndex(line => line.includes('"by":"agent"'))
    writeFileSync(path, `${lines.slice(0, until + 1).join('\n')}\n`)
    stage.git('reset', '-q', '--soft', 'HEAD~1')
    expect((await stage.ralph('resume', '-m', '3')).code).toBe(0)
    expect([stage.inHead('spec.md'), stage.log()[0]]).toEqual(['as it was', 'ralph: restore spec.md'])
  })

  it('leaves the run unverified while HEAD cannot be put right', async () => {
    const stage = setStage(`${COMMIT}; mkdir .git/refs/heads/main.lock`, {
      guardrails: [{ command: 'true' }],
    })
    const ran = await stage.run()
    expect(ran.stdout + ran.stderr).toContain('HEAD has them as they were committed meanwhile: spec.md')
    expect(stage.journal().findLast(e => e.type === 'finished')).toMatchObject({ proof: 'claimed' })
  })
})
