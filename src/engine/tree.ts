import type { Ports } from '../core/ports.ts'

/** Tells whether the files of a workspace changed since it was last looked at. */
export interface Trees {
  /** Its fingerprint now. */
  look(workspace: string | undefined): Promise<string | null>
  changed(workspace: string | undefined): Promise<boolean>
  /** Its fingerprint when it was last looked at. */
  last(workspace: string | undefined): string | null
}

/** Without fingerprints a workspace counts as changed, so that nothing is called stuck by mistake. */
export function watchTrees(fingerprint: Ports['fingerprint']): Trees {
  const last = new Map<string | undefined, string | null>()
  const look = async (workspace: string | undefined) => {
    const now = await fingerprint(workspace)
    last.set(workspace, now)
    return now
  }
  return {
    look,
    last: workspace => last.get(workspace) ?? null,
    async changed(workspace) {
      const before = last.get(workspace) ?? null
      const now = await look(workspace)
      return before === null || now === null || before !== now
    },
  }
}
