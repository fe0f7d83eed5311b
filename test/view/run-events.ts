import type { AgentEvent, Finding, RunEvent } from '../../src/core/events.ts'

/** An agent begins its iteration, which has the number of the step. */
export const started = (id = 1, at = 0, stage = 'work'): RunEvent => ({
  ...{ type: 'started', at, id, task: 'p', stage, agent: 'claude', n: id },
})

export const agentSays = (event: AgentEvent, id = 1, at = 1): RunEvent => ({ type: 'agent', at, id, event })

export const checked = (finding: Finding, ms = 1): Extract<RunEvent, { type: 'checked' }> => ({
  ...{ type: 'checked', at: 1, id: 1, finding, ms, exit: null },
})
