import { listPaths } from '../core/format.ts'
import type { Check } from '../core/ports.ts'

/** What an agent or a check changed and must not, by path from the project. */
export type Violations = {
  /** Was changed, and is put back. */
  changed: string[]
  /** Could not be put back, and why. */
  failed: string[]
  /** Whole folders that were removed. The user may have asked for that: they are reported, and not put back. */
  gone: string[]
  /** The folders that keep what was replaced or removed. */
  kept: string[]
}

export const NO_VIOLATIONS: Violations = { changed: [], failed: [], gone: [], kept: [] }

export const isViolated = ({ changed, failed, gone }: Violations): boolean =>
  changed.length + failed.length + gone.length > 0

export function addViolations(a: Violations, b: Violations): Violations {
  const both = (of: (v: Violations) => string[]) => [...new Set([...of(a), ...of(b)])]
  return {
    changed: both(v => v.changed),
    failed: both(v => v.failed),
    gone: both(v => v.gone),
    kept: both(v => v.kept),
  }
}

/** How many paths a note names. */
const MOST = 50

/** All of it as the end of a sentence. */
export function listViolations({ changed, failed, gone, kept }: Violations): string {
  const lost = [...failed, ...gone.map(folder => `${folder} (it was removed)`)]
  const parts = [...changed, ...lost.map(file => `${file}, which is not put back`)]
  return `${listPaths(parts, MOST)}${kept.length > 0 ? ` (what was in their place is kept in ${kept.join(', ')})` : ''}`
}

/** The note for people and for the next prompt. */
function violationNote({ changed, failed, gone, kept }: Violations): string {
  const parts = []
  if (changed.length > 0)
    parts.push(
      `Protected files were changed and have been put back: ${listPaths(changed, MOST)}. Leave them as they are.`,
    )
  if (failed.length > 0) parts.push(`Protected files cannot be put back: ${listPaths(failed, MOST)}.`)
  if (gone.length > 0)
    parts.push(`Protected folders were removed, and are not put back: ${listPaths(gone, MOST)}.`)
  if (kept.length > 0) parts.push(`What was in their place is kept in ${kept.join(', ')}.`)
  return parts.join(' ')
}

/** The failed check of an iteration. None if nothing was changed. */
export const violationChecks = (violations: Violations): Check[] =>
  isViolated(violations)
    ? [
        {
          name: 'protect',
          run: async () => ({
            finding: {
              check: 'protect',
              verdict: 'fail',
              note: violationNote(violations),
              action: 'APPEND',
            },
            exit: null,
          }),
        },
      ]
    : []
