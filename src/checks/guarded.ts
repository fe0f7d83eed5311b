import type { Finding } from '../core/events.ts'
import type { Check } from '../core/ports.ts'

/** Protected files as a check needs them. */
export type ProtectedFiles = {
  /** Resolves once it is known how they should be. */
  ready(): Promise<void>
  /** Puts back what changed, and returns what that was. */
  restore(): Promise<string[]>
}

/**
 * A check may run the agent's code, which could change what the next check judges by. So protected files are put back
 * after each check, before the next one starts, and a check during which they changed is red.
 */
export const guarded = (check: Check, files: ProtectedFiles): Check => ({
  name: check.name,
  async run(work, signal) {
    await files.ready()
    const ran = await check.run(work, signal)
    const restored = await files.restore()
    return restored.length === 0 ? ran : { ...ran, finding: spoiled(ran.finding, restored) }
  },
})

function spoiled(finding: Finding, paths: string[]): Finding {
  const note = `Protected files were changed while "${finding.check}" ran, and have been put back: ${paths.join(', ')}. No code that a check runs may change them.`
  return {
    ...finding,
    verdict: 'fail',
    note: finding.verdict === 'fail' ? `${note}\n${finding.note}` : note,
    action: finding.action ?? 'APPEND',
  }
}
