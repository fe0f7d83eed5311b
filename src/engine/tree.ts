import type { Workspace } from '../core/workspaces.ts'

/** What is looked at; a folder may be opened anew between two looks. */
type Place = Pick<Workspace, 'dir' | 'fingerprint'>

/** Tells whether the files of a workspace changed since it was last looked at. */
export interface Trees {
  /** Its fingerprint now. */
  look(workspace: Place): Promise<string | null>
  changed(workspace: Place): Promise<boolean>
  /** Its fingerprint when it was last looked at. */
  last(workspace: Place): string | null
}

/** Without fingerprints a workspace counts as changed, so that nothing is called stuck by mistake. */
export function watchTrees(): Trees {
  const seen = new Map<string, string | null>()
  const last = ({ dir }: Place) => seen.get(dir) ?? null
  const look = async (workspace: Place) => {
    const now = await workspace.fingerprint()
    seen.set(workspace.dir, now)
    return now
  }
  return {
    look,
    last,
    async changed(workspace) {
      const before = last(workspace)
      const now = await look(workspace)
      return before === null || now === null || before !== now
    },
  }
}
