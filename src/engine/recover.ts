import { apply, type Bench, conclude, settleAs } from './iterate.ts'

/**
 * After a crash the journal tells how far each step came, and it goes on from there:
 * started but not ended → settled as interrupted; ended but not settled → its checks;
 * settled but not applied → applied again. Before any of it, what the crash left running is ended:
 * an agent, a check, a commit could still be changing the tree.
 */
export async function recover(bench: Bench): Promise<void> {
  const { book, ports, signals } = bench
  await ports.runner.reap(Object.values(book.state.flight).flatMap(step => step.ref ?? []))
  for (const settled of Object.values(book.state.unapplied)) await apply(bench, settled)
  for (const step of Object.values(book.state.flight)) {
    if (signals.soft.aborted) return
    if (step.ended || step.agent === null) await conclude(bench, step)
    else {
      // Whatever it did before it was cut off, it is seen off like any other.
      await ports.runner.sweep(step.id)
      const note = 'interrupted by a crash'
      await apply(bench, settleAs(book, ports, step, { end: 'interrupted', note, changed: true }))
    }
  }
}
