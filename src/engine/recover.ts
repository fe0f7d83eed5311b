import type { Step } from '../core/table.ts'
import { apply, conclude, type RunContext, settleAs, workOf } from './iterate.ts'

/**
 * After a crash the journal says how far each step came, and recovery goes on from there:
 * started but not ended → settled as interrupted; ended but not settled → its checks run;
 * settled but not applied → applied again. First it ends what the crash left running:
 * an agent, a check or a commit could still change the tree. Then it puts back what agents must not change, for all
 * steps: what one of them left could run with the git of another.
 */
export async function recover(context: RunContext): Promise<void> {
  const { book, ports, signals } = context
  const steps = Object.values(book.state.flight)
  await ports.reap(steps.flatMap(step => step.ref ?? []))
  const isCutOff = (step: Step) => !step.ended && step.agent !== null
  for (const step of steps.filter(isCutOff)) await ports.cleanUp(await workOf(book, ports, step))
  for (const settled of Object.values(book.state.unapplied)) await apply(context, settled)
  for (const step of steps) {
    if (signals.soft.aborted) return
    if (!isCutOff(step)) await conclude(context, step)
    else {
      const note = 'interrupted by a crash'
      await apply(context, settleAs(book, ports, step, { end: 'interrupted', note, changed: true }))
    }
  }
}
