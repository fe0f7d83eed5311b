import { apply, type Bench, conclude, settleAs } from './iterate.ts'

/**
 * After a crash the journal tells how far each step came, and it goes on from there:
 * started but not ended → reaped and settled as interrupted; ended but not settled → its checks;
 * settled but not applied → applied again.
 */
export async function recover(bench: Bench): Promise<void> {
  const { book, ports, signals } = bench
  for (const settled of Object.values(book.state.unapplied)) await apply(bench, settled)
  for (const step of Object.values(book.state.flight)) {
    if (signals.soft.aborted) return
    if (step.ref && !step.ended) await ports.runner.reap(step.ref)
    if (step.ended || step.agent === null) await conclude(bench, step)
    else {
      const note = 'interrupted by a crash'
      await apply(bench, settleAs(book, ports, step, { end: 'interrupted', note, changed: true }))
    }
  }
}
