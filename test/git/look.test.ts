import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../src/core/events.ts'
import { recordStart, treeStateAtStart } from '../../src/git/start.ts'
import { watchFiles } from '../../src/git/watch-files.ts'
import { setRepository } from '../cli/work-tree.ts'

/** What is recorded of a tree, step by step, that scripts change one after the other. */
async function follow(dirty: string, ...scripts: string[]): Promise<string[][]> {
  const stage = setRepository()
  const env = { ...stage.env, LANG: 'C.UTF-8' }
  stage.sh(dirty)
  const start = (await recordStart(stage.project, env))!
  const recorded: RunEvent[] = []
  const atStart = treeStateAtStart(start)
  const known = { repository: start, known: atStart, start: atStart }
  const files = watchFiles(
    stage.project,
    known,
    env,
    event => recorded.push(event),
    () => 0,
  )
  for (const [id, script] of scripts.entries()) {
    await files.begin()
    stage.sh(script)
    if (id % 2 === 0) files.prepare()
    if (id % 3 === 0) await files.fingerprint()
    await files.record(id)
  }
  return recorded.map(event => (event.type === 'changed' ? event.paths : []))
}

describe('the files that an iteration changed', () => {
  it.each<[string, string, string[], string[][]]>([
    ['nothing', 'true', ['true', 'true'], [[], []]],
    [
      'new, changed and removed',
      'true',
      ['echo x > new; rm c', 'echo y > new', 'git checkout -q c'],
      [['c', 'new'], ['new'], ['c']],
    ],
    ['what was dirty before, once it changes', 'echo m > c', ['true', 'echo n > c'], [[], ['c']]],
    ['a commit of what it changed', 'true', ['echo x > c; git commit -qam one'], [['c']]],
    [
      'no commit of what another changed',
      'true',
      ['echo x > c', 'git commit -qam one', 'echo y > run.sh'],
      [['c'], [], ['run.sh']],
    ],
    [
      'a commit that is taken back',
      'true',
      ['echo x > c; git commit -qam one', 'git reset -q --hard HEAD~'],
      [['c'], ['c']],
    ],
    [
      'none that are ignored, and none of ralph’s own',
      'true',
      ['echo x > ignored; mkdir -p .ralph; echo x > .ralph/x'],
      [[]],
    ],
  ])('are %s', async (_, dirty, scripts, files) => {
    expect(await follow(dirty, ...scripts)).toEqual(files)
  })

  it('are not known of the first after a crash, and are of the next', async () => {
    const stage = setRepository()
    const env = { ...stage.env, LANG: 'C.UTF-8' }
    const recorded: RunEvent[] = []
    const files = watchFiles(
      stage.project,
      { repository: await recordStart(stage.project, env), known: null, start: null },
      env,
      e => recorded.push(e),
      () => 0,
    )
    stage.sh('echo x > cut-off')
    await files.record(1)
    await files.begin()
    stage.sh('echo x > next')
    await files.record(2)
    expect(recorded).toEqual([{ type: 'changed', at: 0, id: 2, paths: ['next'], count: 1 }])
  })
})

describe('the files that a run changed', () => {
  const watch = async (isFresh: boolean) => {
    const stage = setRepository()
    const env = { ...stage.env, LANG: 'C.UTF-8' }
    stage.sh('echo mine > dirty; echo mine > dirtier')
    const repository = (await recordStart(stage.project, env))!
    const start = treeStateAtStart(repository)
    const known = isFresh ? start : null
    const open = () =>
      watchFiles(
        stage.project,
        { repository, known, start },
        env,
        () => {},
        () => 0,
      )
    return { stage, open }
  }

  it.each([
    ['of one process', true],
    ['after it was resumed', false],
  ])('add up, with what was committed: %s', async (_, isFresh) => {
    const { stage, open } = await watch(isFresh)
    let files = open()
    await files.begin()
    stage.sh('echo x > one; echo yours > dirty')
    await files.fingerprint()
    expect([...(await files.touched())!].sort()).toEqual(['dirty', 'one'])
    await files.record(1)
    stage.sh('git add one; git commit -qm one')
    if (!isFresh) files = open()
    await files.begin()
    stage.sh('rm c; git add -A . ":!dirty" ":!dirtier"; git commit -qm c; echo x > two')
    expect([...(await files.touched())!].sort()).toEqual(['c', 'dirty', 'one', 'two'])
    await files.record(2)
  })

  it('were checked only if they are as they were at the last two looks', async () => {
    const { stage, open } = await watch(true)
    const files = open()
    await files.begin()
    stage.sh('echo x > one; echo x > two; echo x > three')
    await files.fingerprint()
    stage.sh('echo y > two')
    const tree = (await files.fingerprint())!
    stage.sh('rm three; echo x > four')
    const paths = ['four', 'one', 'three', 'two']
    expect(await files.uncheckedAmong(paths, tree)).toEqual(['four', 'three', 'two'])
  })

  it('were checked after a crash only if the tree is the one that was', async () => {
    const { stage, open } = await watch(false)
    stage.sh('echo x > one')
    const tree = (await open().fingerprint())!
    expect(await open().uncheckedAmong(['one'], tree)).toEqual([])
    expect(await open().uncheckedAmong(['one'], undefined)).toEqual([])
    stage.sh('echo y > one')
    expect(await open().uncheckedAmong(['one'], tree)).toEqual(['one'])
  })

  it('are unknown once git can no longer tell', async () => {
    const { stage, open } = await watch(true)
    const files = open()
    await files.begin()
    stage.sh('rm -rf .git')
    expect(await files.touched()).toBe(null)
  })
})
