import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { diffRun } from '../../src/runs/diff.ts'
import { undoRun } from '../../src/runs/undo.ts'
import { setRepository } from '../cli/work-tree.ts'
import { callWith } from '../support/io.ts'

/** A repository in which a run has added a line to `src/a`, and what can be done to that without a terminal. */
async function setRun() {
  const stage = setRepository()
  await stage.agent('echo more >> src/a')
  const at = { projectDir: stage.project }
  const undo = (answer: boolean) => callWith(stage.env, io => undoRun(undefined, at, io, async () => answer))
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
    expect(refused.stdout).toMatch(/^undo of run \S+\n {2}put back {2}1 file: src\/a\nnothing was undone\n$/)
    const agreed = await undo(true)
    expect([agreed.code, stage.read('src/a')]).toEqual([0, 'one\n'])
    expect(agreed.stdout).toMatch(/\nundone; what was there is kept in refs\/\S+, and this brings it back:\n/)
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
