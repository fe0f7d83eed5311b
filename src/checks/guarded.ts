import type { Finding } from '../core/events.ts'
import type { Check } from '../core/ports.ts'

/** Protected files as a check needs them. */
export type ProtectedFiles = {
  /** Resolves once their right state is known. */
  taken(): Promise<void>
  /** Puts back what changed. Returns its description, which ends a sentence, or null if nothing changed. */
  restore(): Promise<string | null>
}

/**
 * A check may run the agent's code, which could change what the next check judges by. So protected files are put back
 * after each check, before the next one starts, and a check during which they changed is red.
 */
export const guarded = (check: Check, files: ProtectedFiles): Check => ({
  ...check,
  async run(work, signal) {
    await files.taken()
    const ran = await check.run(work, signal)
    const restored = await files.restore()
    return restored === null ? ran : { ...ran, finding: spoiled(ran.finding, restored) }
  },
})

function spoiled(finding: Finding, restored: string): Finding {
  const note = `Protected files were changed while "${finding.check}" ran, and have been put back: ${restored}. No code that a check runs may change them.`
  return {
    ...finding,
    verdict: 'fail',
    note: finding.verdict === 'fail' ? `${note}\n${finding.note}` : note,
    action: finding.action ?? 'APPEND',
  }
}
