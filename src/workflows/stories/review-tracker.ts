import type { StepId } from '../../core/table.ts'
import type { TaskId } from '../../core/task.ts'
import type { Look } from '../../git/look.ts'
import type { Had } from './copied-approval.ts'

export interface ReviewWatch {
  /** A review is about to begin, on this tree. */
  begin(id: StepId, look: Look): Promise<void>
  /** Its agent is gone, and no check has run yet. */
  end(id: StepId): Promise<void>
  /** Whether its approval is its own, and was not there before it in some other corner of git. */
  isOwn(id: StepId, story: TaskId): Promise<boolean>
  /** What it changed, and where its approval came from if not from itself, whatever befell ralph meanwhile. Told once. */
  deeds(id: StepId): Promise<{ touched: string[]; from: string | null }>
}

/** A look at the tree, as it is kept. */
type Held = Omit<Look, 'contents'> & {
  id: StepId
  contents: [string, string][]
  had: Had
  touched: string[] | null
  from: string | null
}

type Git = {
  changedSince(before: Look): Promise<string[]>
  had(): Promise<Had>
  takenFrom(had: Had, story: TaskId): Promise<string | null>
}

/** Sees what a review changes. `note` is where the tree before it is held. */
export function watchReviews(
  note: { read(): Held | null; write(held: Held): void; drop(): void },
  git: Git,
): ReviewWatch {
  const of = (id: StepId) => {
    const held = note.read()
    return held?.id === id ? held : null
  }
  const changed = (held: Held) => git.changedSince({ ...held, contents: new Map(held.contents) })
  return {
    async begin(id, { root, head, contents }) {
      const had = await git.had()
      note.write({ id, root, head, contents: [...contents], had, touched: null, from: null })
    },
    async end(id) {
      const held = of(id)
      if (held) note.write({ ...held, touched: await changed(held) })
    },
    async isOwn(id, story) {
      const held = of(id)
      const from = held && (await git.takenFrom(held.had, story))
      if (held && from !== null) note.write({ ...held, from })
      return from === null
    },
    async deeds(id) {
      const held = of(id)
      if (!held) return { touched: [], from: null }
      const touched = held.touched ?? (await changed(held))
      note.drop()
      return { touched, from: held.from }
    },
  }
}
