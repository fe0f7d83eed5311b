import type { Check } from '../core/ports.ts'
import type { FileGuard } from './file-guard.ts'
import {
  addViolations,
  isViolated,
  listViolations,
  NO_VIOLATIONS,
  type Violations,
  violationChecks,
} from './violations.ts'

/** Files that an agent must not change. A change is put back, and counts as a failed check. */
export interface Protection {
  /** Takes the files as they are now: every change until then was allowed. Call it before an agent starts. */
  take(): Promise<void>
  /** Puts back what changed, and returns what that was, or null. Call it after the agent has ended, and after a crash. */
  restore(): Promise<string | null>
  /** What was put back since the last call of `take`, by path from the project. */
  violations(): readonly string[]
  /** The failed check of the last iteration. Empty if nothing was changed. */
  checks(): Check[]
  /** Ends the step's share: what other steps share may be recorded again without it. */
  release(): void
}

/** What several workspaces share, as one of them has it. */
export type SharedFiles = FileGuard & { release(): void }

/** The protection of a workspace: its own files, and those that it shares with the others of the run. */
export function protection(own: FileGuard, shared: SharedFiles | null): Protection {
  return {
    async take() {
      await own.take()
      await shared?.take()
    },
    async restore() {
      const found = addViolations(await own.restore(), (await shared?.restore()) ?? NO_VIOLATIONS)
      return isViolated(found) ? listViolations(found) : null
    },
    violations: () => own.violations().changed,
    checks: () => violationChecks(addViolations(own.violations(), shared?.violations() ?? NO_VIOLATIONS)),
    release: () => shared?.release(),
  }
}

/**
 * Shares files between workspaces whose steps are in flight at the same time. They are taken only while no step is in
 * flight: otherwise the end of one step could put back what the agent of another had changed. A violation counts for
 * every step in flight, because nobody can know which of them did it.
 */
export function shareFiles(files: FileGuard): () => SharedFiles {
  const inFlight = new Set<object>()
  const found = new Map<object, Violations>()
  let last: Promise<unknown> = Promise.resolve()
  /** One at a time: restoring takes several steps. */
  const queued = <T>(act: () => Promise<T>): Promise<T> => {
    const result = last.then(act)
    last = result.catch(() => {})
    return result
  }
  return () => {
    const me = {}
    found.set(me, files.violations())
    return {
      take: () =>
        queued(async () => {
          inFlight.delete(me)
          if (inFlight.size === 0) await files.take()
          inFlight.add(me)
          found.set(me, NO_VIOLATIONS)
        }),
      restore: () =>
        queued(async () => {
          const now = await files.restore()
          for (const holder of new Set([me, ...inFlight]))
            found.set(holder, addViolations(found.get(holder) ?? NO_VIOLATIONS, now))
          return now
        }),
      violations: () => found.get(me) ?? NO_VIOLATIONS,
      release: () => void inFlight.delete(me),
    }
  }
}
