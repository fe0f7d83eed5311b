import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { recordEnd } from '../../src/git/end-snapshot.ts'
import { keepDirty } from '../../src/git/kept-files.ts'
import { recordStart } from '../../src/git/start.ts'
import { openScratch } from '../../src/git/trees.ts'
import { applyUndo, save } from '../../src/git/undo.ts'
import { planUndo } from '../../src/git/undo-plan.ts'
import { pinFolder } from '../../src/store/files/pinned.ts'
import { setRepository } from '../cli/work-tree.ts'

/** A repository to which somebody did this, recorded as a run finds it, and the ways to take back what is done then. */
export async function setStart(prepare: string) {
  const stage = setRepository()
  const env = { ...stage.env, LANG: 'C.UTF-8' }
  stage.sh(prepare)
  const found = stage.state()
  const start = (await recordStart(stage.project, env))!
  const runDir = join(stage.root, 'run')
  mkdirSync(runDir)
  expect(keepDirty(start, runDir)).toEqual([])
  const plan = async () => {
    const scratch = openScratch(start, runDir, env)
    const left = await recordEnd(start, env)
    const root = pinFolder(start.root)
    const undoing = { start, root, runDir, left, isBegun: false, force: false, env, scratch }
    return { undoing, plan: await planUndo(undoing) }
  }
  const takeBack = async () => {
    const { undoing, plan: planned } = await plan()
    const saved = await save(undoing, planned, 'r1')
    await applyUndo(undoing, planned, 'r1')
    undoing.scratch.close()
    return { plan: planned, saved }
  }
  return { stage, env, found, start, plan, takeBack }
}
