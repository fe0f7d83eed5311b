import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { diffRun } from '../../src/runs/diff.ts'
import { type UndoOptions, undoRun } from '../../src/runs/undo.ts'
import { workflows } from '../../src/workflows/index.ts'
import { setRepository } from '../cli/work-tree.ts'
import { callWith } from '../support/io.ts'

/** Undoes a run after such an answer. `shown`: all that was said about it. */
async function undone(env: Record<string, string>, at: UndoOptions, agrees: () => boolean, name?: string) {
  const shown: string[] = []
  const { code, lines, revert } = await undoRun(workflows, name, at, env, async plan => {
    shown.push(...plan)
    return agrees()
  })
  return { code, shown: [...shown, ...lines].join('\n'), revert }
}

/** A repository in which a run has added a line to `src/a`, and what can be done to that without a terminal. */
async function setRun() {
  const stage = setRepository()
  await stage.agent('echo more >> src/a')
  const at = { projectDir: stage.project }
  const undo = (answer: boolean) => undone(stage.env, at, () => answer)
  const diff = async () => {
    let shown = ''
    const ran = await callWith(stage.env, io =>
      diffRun(undefined, at, io, async ({ args, cwd, env }) => {
        shown = execFileSync('git', args, { cwd, env, encoding: 'utf8' })
        return 0
      }),
    )
    return { ...ran, shown }
  }
  return { stage, undo, diff }
}

describe('without a terminal', () => {
  it('whoever is asked decides about an undo, once they have seen the plan', async () => {
    const { stage, undo } = await setRun()
    const refused = await undo(false)
    expect([refused.code, stage.read('src/a')]).toEqual([1, 'one\nmore\n'])
    expect(refused.shown).toMatch(/^undo of run \S+\n {2}put back {2}1 file: src\/a\nnothing was undone$/)
    const agreed = await undo(true)
    expect([agreed.code, stage.read('src/a')]).toEqual([0, 'one\n'])
    expect(agreed.shown).toMatch(/\nundone; what was there is kept in refs\/\S+, and this brings it back:$/)
    expect(agreed.revert).toMatch(/^git restore /)
  })

  it('a diff goes to whoever calls git, and warnings to the stream that was given', async () => {
    const { stage, diff } = await setRun()
    expect(await diff()).toMatchObject({
      code: 0,
      stderr: '',
      shown: expect.stringMatching(/ one\n\+more\n$/),
    })
    stage.sh('echo later >> src/a')
    expect((await diff()).stderr).toBe(
      'ralph: warning: changed since the run ended, so it is shown as it is now: src/a\n',
    )
  })
})

describe('what somebody does while an undo waits for its answer', () => {
  it.each([
    ['edits a file', 'echo mine >> src/a', /the project changed meanwhile|and again since it ended/],
    ['adds a file', 'echo mine > other', /the project changed meanwhile|and again since it ended/],
    [
      'puts a link in the place of a folder',
      'mv src ../src; ln -s ../outside src',
      /the project changed meanwhile|and again since it ended/,
    ],
    [
      'puts a link in the place of a file',
      'ln -sf ../outside/a src/a',
      /the project changed meanwhile|and again since it ended/,
    ],
    [
      'puts a dangling link there',
      'ln -sf ../outside/none src/a',
      /the project changed meanwhile|and again since it ended/,
    ],
    [
      'puts a folder there',
      'rm src/a; mkdir src/a; echo x > src/a/b',
      /the project changed meanwhile|and again since it ended/,
    ],
    ['commits', 'git commit -qam mine', 'there are commits that the run did not make'],
    ['moves the project away', 'cd ..; mv project moved', 'was moved or replaced meanwhile'],
    [
      'replaces it by a copy',
      'cd ..; mv project moved; cp -a moved project',
      'was moved or replaced meanwhile',
    ],
    [
      'replaces it by a link',
      'cd ..; mv project moved; ln -s moved project',
      'was moved or replaced meanwhile',
    ],
  ])('%s: nothing is undone, here or elsewhere', async (_, script, words) => {
    const stage = setRepository()
    stage.sh('mkdir ../outside; echo theirs > ../outside/a')
    await stage.agent('echo more >> src/a; echo x > new; mkdir dir; echo y > dir/y')
    const at = { projectDir: stage.project }
    let before: string[] = []
    const list =
      'find . -path ./home -prune -o -type f -exec md5sum {} +; find . -path ./home -prune -o -type l'
    const seen = () =>
      execFileSync('sh', ['-c', list], { cwd: stage.root, encoding: 'utf8' })
        .split('\n')
        .filter(line => !line.includes('.git/'))
    const asked = undone(stage.env, at, () => {
      stage.sh(script)
      before = seen()
      return true
    })
    await expect(asked).rejects.toThrow(words)
    expect(seen()).toEqual(before)
  })
})

describe('an undo', () => {
  it('does not call it undone if the copy of an uncommitted file was changed, and uses none such', async () => {
    const stage = setRepository()
    stage.sh('echo mine >> src/a')
    await stage.agent('echo more >> src/a; echo evil > "$RALPH_HOME/runs/$RALPH_RUN/start/src/a"')
    const at = { projectDir: stage.project, yes: true }
    const ran = await undone(stage.env, at, () => true)
    expect([ran.code, stage.read('src/a')]).toEqual([1, 'one\nmine\nmore\n'])
    expect(ran.shown).toContain(
      '1 file: src/a (had uncommitted changes before the run and was not copied, so it cannot be put back)',
    )
    expect(ran.shown).toMatch(/\nnothing was undone$/)
  })

  it.each([
    ['the project', 'cd ..; mv project moved; cp -a moved project', 'is not the folder that the run was in'],
    ['its repository', 'mv .git ../git; cp -a ../git .git', 'is not the repository that the run was in'],
    [
      'its repository, by a link',
      'mv .git ../git; cp -a ../git ../copy; ln -s ../copy .git',
      'is not the repository',
    ],
  ])('refuses another folder at the path of %s, unless one insists', async (_, script, words) => {
    const { stage } = await setRun()
    const [id] = readdirSync(join(stage.project, '.ralph', 'sessions'))
    stage.sh(script)
    const at = { projectDir: stage.project, yes: true }
    const undo = (force: boolean) => undone(stage.env, { ...at, force }, () => true, id)
    await expect(undo(false)).rejects.toThrow(words)
    expect(stage.read('src/a')).toBe('one\nmore\n')
    expect((await undo(true)).code).toBe(0)
    expect(stage.read('src/a')).toBe('one\n')
  })

  it.each([
    ['a new file', 'rm -r dir; ln -s ../outside dir'],
    ['a new file, hidden from git', 'rm -r dir; ln -s ../outside dir; echo /dir >> .git/info/exclude'],
    ['a changed file', 'mv src ../src; ln -s ../outside src'],
  ])('removes and changes nothing behind a link in the place of the folder of %s', async (_, script) => {
    const stage = setRepository()
    stage.sh('mkdir ../outside; for f in a b y; do echo theirs > ../outside/$f; done')
    await stage.agent(
      `echo more >> src/a; mkdir dir; echo y > dir/y; git add -A; git commit -qm all; ${script}`,
    )
    const at = { projectDir: stage.project, yes: true, force: true }
    await undone(stage.env, at, () => true).catch(() => {})
    for (const name of ['a', 'b', 'y']) expect(stage.read(`../outside/${name}`)).toBe('theirs\n')
    expect(stage.read('../outside/y')).toBe('theirs\n')
  })
})
