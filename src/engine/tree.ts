import type { Ports } from '../core/ports.ts'

/** Tells whether the working tree changed since it was last looked at. */
export interface Tree {
  look(): Promise<void>
  changed(): Promise<boolean>
}

/** Without fingerprints the tree counts as changed, so that nothing is called stuck by mistake. */
export function watchTree(fingerprint: Ports['fingerprint']): Tree {
  let last: string | null = null
  return {
    async look() {
      last = await fingerprint()
    },
    async changed() {
      const before = last
      last = await fingerprint()
      return before === null || last === null || before !== last
    },
  }
}
