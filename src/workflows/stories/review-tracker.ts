import { join, relative } from 'node:path'
import type { StepId } from '../../core/table.ts'
import { changedBetween, readTreeState, type TreeState } from '../../git/tree-state.ts'
import { dropMemo, readMemo, writeMemo } from '../../store/memos.ts'
import type { Context } from '../workflow.ts'
import type { StoriesSpec } from './spec.ts'

type StoriesContext = Pick<Context<StoriesSpec>, 'spec' | 'env' | 'runDir'>

/** The tree before a review, as a memo on disk keeps it, and the files that the review changed. */
type ReviewMemo = Omit<TreeState, 'contents'> & {
  id: StepId
  contents: [string, string][]
  /** Null until the review's agent has exited. */
  touched: string[] | null
}

const MEMO = 'review'

/** The tree as it is. Null outside a repository, or if git cannot tell. */
export const lookAtTree = async ({ spec, env }: StoriesContext): Promise<TreeState | null> =>
  spec.start && readTreeState(spec.project, env, spec.start)

/** A review is about to start on this tree. */
export const reviewStarts = (
  { runDir }: StoriesContext,
  id: StepId,
  { root, head, contents }: TreeState,
): void =>
  writeMemo(runDir, MEMO, { id, root, head, contents: [...contents], touched: null } satisfies ReviewMemo)

/** The agent of a step has exited, and no check has run yet. */
export async function reviewExits(context: StoriesContext, id: StepId): Promise<void> {
  const memo = memoOf(context, id)
  if (memo)
    writeMemo(context.runDir, MEMO, {
      ...memo,
      touched: await changedSince(context, memo),
    } satisfies ReviewMemo)
}

/** The files that a step changed, if it was a review. Works after a crash too; the memo is then removed. */
export async function takeTouched(context: StoriesContext, id: StepId): Promise<string[]> {
  const memo = memoOf(context, id)
  if (!memo) return []
  const touched = memo.touched ?? (await changedSince(context, memo))
  dropMemo(context.runDir, MEMO)
  return touched
}

function memoOf({ runDir }: StoriesContext, id: StepId): ReviewMemo | null {
  const memo = readMemo<ReviewMemo>(runDir, MEMO)
  return memo?.id === id ? memo : null
}

async function changedSince(context: StoriesContext, memo: ReviewMemo): Promise<string[]> {
  const before = { ...memo, contents: new Map(memo.contents) }
  const after = await lookAtTree(context)
  const paths = after ? await changedBetween(before, after, context.env) : []
  return paths.map(path => relative(context.spec.project, join(before.root, path)))
}
