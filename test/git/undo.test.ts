import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { applyUndo } from '../../src/git/undo.ts'
import { commandToRevert } from '../../src/runs/undo-lines.ts'
import { setStart } from './undo-scene.ts'

/** What a user may have lying around, uncommitted. */
const DIRTY = `echo mine >> src/a; printf 'q\\r\\n\\0' > binary; rm c; chmod +x run.sh; mkdir notes; echo n > notes/todo
  echo staged > staged; git add staged; git mv src/b moved; ln -sf elsewhere link; echo x > "odd  'name\\"
-- ü"`

/** What an agent may do to a tree. */
const HAVOC: [string, string][] = [
  ['a changed file', 'echo more >> src/a'],
  ['a new file', 'echo x > new; mkdir -p deep/er; echo y > deep/er/file'],
  ['a removed file', 'rm -f src/a binary'],
  ['a renamed file', 'git mv -f src/a src/z'],
  ['another mode', 'chmod -x run.sh; chmod +x src/a'],
  ['a changed link', 'ln -sf somewhere link'],
  ['a file in place of a link', 'rm link; echo file > link'],
  ['a link in place of a file', 'rm src/a; ln -s /etc/passwd src/a'],
  ['a link in place of a folder', 'rm -r src; ln -s /etc src'],
  ['a file in place of a folder', 'rm -r src; echo file > src'],
  ['a folder in place of a file', 'rm -f run.sh; mkdir run.sh; echo in > run.sh/side'],
  ['a binary file', "printf '\\1\\0\\2' > binary"],
  ['an odd name', 'echo x > "$(printf "new\\nline")"; echo y > "-rf"; echo z > "\\"quoted\\" ü"'],
  ['nothing at all', 'true'],
  ['its own staging', 'echo x > new; git add -A'],
  ['its own commits', 'echo x > new; git add -A; git commit -qm one; echo y >> new; git commit -qam two'],
  ['a commit that removes', 'git rm -rqf src; git commit -qm gone'],
  ['another branch', 'git switch -qc other; echo x > new; git add new; git commit -qm one -- new'],
  [
    'two branches',
    'git commit -qam one --allow-empty; git switch -qc other; git commit -q --allow-empty -m two',
  ],
  ['a detached HEAD', 'git switch -q --detach; git commit -q --allow-empty -m two'],
  ['another history', 'git commit -q --amend --allow-empty -m other'],
  ['cleaning up', 'git stash -qu; git stash drop -q || true'],
  ['a reset', 'git reset -q --hard; git clean -qfd'],
]

/** Lets somebody do something to a tree, and takes it back; gives the states around that. */
async function takeBack(dirty: string, script: string) {
  const scene = await setStart(dirty)
  const { stage, found, start } = scene
  stage.sh(script)
  const made = stage.state()
  const { plan, saved } = await scene.takeBack()
  return { stage, found, made, undone: stage.state(), back: commandToRevert(start, plan, saved) }
}

describe.each([
  ['a clean tree', 'true'],
  ['a dirty tree', DIRTY],
])('an undo in %s', (_, dirty) => {
  it.each(HAVOC)('puts everything back after %s, and can itself be taken back', async (_, script) => {
    const { stage, found, made, undone, back } = await takeBack(dirty, script)
    expect({ ...undone, refs: '' }).toEqual({ ...found, refs: '' })
    expect(stage.git('rev-parse', 'main')).toBe(found.refs.split(' ')[0])
    execFileSync('sh', ['-ec', back], { cwd: stage.project, env: stage.env })
    const { files, head, refs } = stage.state()
    expect([head, refs]).toEqual([made.head, made.refs])
    // What was new and gone is there again: a way back takes nothing away that nobody else has.
    expect(files).toEqual(expect.arrayContaining(made.files))
    if (dirty === 'true') expect(files).toEqual(made.files)
  })
})

it('puts back a detached HEAD that the run committed on', async () => {
  const { found, undone } = await takeBack('git switch -q --detach', 'git commit -q --allow-empty -m one')
  expect(undone).toEqual(found)
})

it('puts back line ends that git does not tell apart', async () => {
  const text = `echo '* text' > .gitattributes; git add -A; git commit -qm text; printf 'one\\r\\nmine\\r\\n' > src/a`
  const { found, undone } = await takeBack(text, "printf 'one\\nmine\\n' > src/a")
  expect(undone).toEqual(found)
})

describe('a link that somebody puts in the place of a folder once an undo has begun', () => {
  it.each<[string, string, string, string]>([
    ['removed', 'true', 'mkdir dir; echo new > dir/theirs', 'mv dir ../dir; ln -s ../outside dir'],
    ['checked out', 'true', 'echo more >> src/a', 'mv src ../src; ln -s ../outside src'],
    ['copied back', 'echo mine >> src/a', 'echo more >> src/a', 'mv src ../src; ln -s ../outside src'],
  ])('keeps what would be %s there as it is', async (_, dirty, script, plant) => {
    const scene = await setStart(dirty)
    const { stage } = scene
    stage.sh(script)
    const { undoing, plan } = await scene.plan()
    stage.sh(`mkdir ../outside; echo theirs > ../outside/theirs; cp ../outside/theirs ../outside/a; ${plant}`)
    await applyUndo(undoing, plan, 'r1').catch(() => {})
    undoing.scratch.close()
    stage.sh('cd ../outside; test "$(cat a theirs)" = "$(printf "theirs\\ntheirs")"')
  })
})
