import { join, relative } from 'node:path'
import type { StepId } from '../../core/table.ts'
import { changedBetween, readTreeState, type TreeState } from '../../git/tree-state.ts'
import { dropNote, readNote, writeNote } from '../../store/notes.ts'
import type { Context } from '../workflow.ts'
import type { StoriesSpec } from './spec.ts'

type StoriesContext = Pick<Context<StoriesSpec>, 'spec' | 'env' | 'runDir'>

/** The tree before a review, as a note on disk keeps it, and the files that the review changed. */
type ReviewNote = Omit<TreeState, 'contents'> & {
  id: StepId
  contents: [string, string][]
  /** Null until the review's agent has exited. */
  touched: string[] | null
}

const NOTE = 'review'

/** The tree as it is. Null outside a repository, or if git cannot tell. */
export const lookAtTree = async ({ spec, env }: StoriesContext): Promise<TreeState | null> =>
  spec.start && readTreeState(spec.project, env, spec.start)

/** A review is about to start on this tree. */
export const reviewStarts = (
  { runDir }: StoriesContext,
  id: StepId,
  { root, head, contents }: TreeState,
): void =>
  writeNote(runDir, NOTE, { id, root, head, contents: [...contents], touched: null } satisfies ReviewNote)

/** The agent of a step has exited, and no check has run yet. */
export async function reviewExits(context: StoriesContext, id: StepId): Promise<void> {
  const note = noteOf(context, id)
  if (note)
    writeNote(context.runDir, NOTE, {
      ...note,
      touched: await changedSince(context, note),
    } satisfies ReviewNote)
}

/** The files that a step changed, if it was a review. Works after a crash too; the note is then removed. */
export async function takeTouched(context: StoriesContext, id: StepId): Promise<string[]> {
  const note = noteOf(context, id)
  if (!note) return []
  const touched = note.touched ?? (await changedSince(context, note))
  dropNote(context.runDir, NOTE)
  return touched
}

function noteOf({ runDir }: StoriesContext, id: StepId): ReviewNote | null {
  const note = readNote<ReviewNote>(runDir, NOTE)
  return note?.id === id ? note : null
}

async function changedSince(context: StoriesContext, note: ReviewNote): Promise<string[]> {
  const before = { ...note, contents: new Map(note.contents) }
  const after = await lookAtTree(context)
  const paths = after ? await changedBetween(before, after, context.env) : []
  return paths.map(path => relative(context.spec.project, join(before.root, path)))
}
