import type { StepId } from '../../core/workflow.ts'
import type { Look } from '../../git/look.ts'

export interface ReviewWatch {
  /** A review is about to begin, on this tree. */
  begin(id: StepId, look: Look): void
  /** Its agent is gone, and no check has run yet. */
  end(id: StepId): Promise<void>
  /** What it changed, whatever befell ralph meanwhile. Told once. */
  touched(id: StepId): Promise<string[]>
}

/** A look at the tree, as it is kept. */
type Held = Omit<Look, 'contents'> & { id: StepId; contents: [string, string][]; touched: string[] | null }

/** Sees what a review changes. `note` is where the tree before it is held. */
export function watchReviews(
  note: { read(): Held | null; write(held: Held): void; drop(): void },
  changedSince: (before: Look) => Promise<string[]>,
): ReviewWatch {
  const of = (id: StepId) => {
    const held = note.read()
    return held?.id === id ? held : null
  }
  const changed = (held: Held) => changedSince({ ...held, contents: new Map(held.contents) })
  return {
    begin: (id, { root, head, contents }) =>
      note.write({ id, root, head, contents: [...contents], touched: null }),
    async end(id) {
      const held = of(id)
      if (held) note.write({ ...held, touched: await changed(held) })
    },
    async touched(id) {
      const held = of(id)
      if (!held) return []
      const touched = held.touched ?? (await changed(held))
      note.drop()
      return touched
    },
  }
}
