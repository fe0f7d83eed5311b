import type { Ports } from '../core/ports.ts'

/** Tells whether the working tree changed since it was last looked at. */
export interface Tree {
  look(): Promise<void>
  changed(): Promise<boolean>
}

/** Where the tree cannot be told apart it counts as changed: then nothing is ever called stuck by mistake. */
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
