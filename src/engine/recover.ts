import { apply, conclude, type RunContext, settleAs } from './iterate.ts'

/**
 * After a crash the journal says how far each step came, and recovery goes on from there:
 * started but not ended → settled as interrupted; ended but not settled → its checks run;
 * settled but not applied → applied again. First it ends what the crash left running:
 * an agent, a check or a commit could still change the tree.
 */
export async function recover(context: RunContext): Promise<void> {
  const { book, ports, signals } = context
  await ports.reap(Object.values(book.state.flight).flatMap(step => step.ref ?? []))
  for (const settled of Object.values(book.state.unapplied)) await apply(context, settled)
  for (const step of Object.values(book.state.flight)) {
    if (signals.soft.aborted) return
    if (step.ended || step.agent === null) await conclude(context, step)
    else {
      // Its processes are ended like those of any other step.
      await ports.cleanUp(step)
      const note = 'interrupted by a crash'
      await apply(context, settleAs(book, ports, step, { end: 'interrupted', note, changed: true }))
    }
  }
}
