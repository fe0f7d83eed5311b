import type { AgentEnding, RunEvent } from '../../core/events.ts'
import type { Ask, Clock } from '../../core/ports.ts'
import type { RunState, StepId } from '../../core/table.ts'
import { supervise } from '../../engine/supervise.ts'
import type { AgentPool } from './agent-pool.ts'
import type { AgentCall, CallAgent } from './call.ts'

/** How long an answer may take. */
const TIMEOUT_MS = 300_000
/** From the answer to the agent's exit. */
const LINGER_MS = 10_000

const TIMEOUTS = {
  inactivityMs: TIMEOUT_MS,
  screenMs: TIMEOUT_MS,
  iterationMs: TIMEOUT_MS,
  lingerMs: LINGER_MS,
}

export type AskerOptions = {
  call: CallAgent
  agents: Pick<AgentPool, 'free'>
  clock: Clock
  marks: Record<string, string>
  state(): RunState
  budgetLeft(): number | null
  record(event: RunEvent): void
  /** Ends the agent now. */
  hard: AbortSignal
}

/** A question to an agent, aside from the work of the stages: a commit message, a plan. */
type AgentQuestion = {
  /** `agents.<role>` of the settings chooses the agent. Without such a setting the main agent answers. */
  role: string
  prompt: string
  /** What the agent may do. Absent: as the run's settings say. */
  mode?: Ask['mode']
  /** What the agent would look up with its tools: a CLI that can turn them off gets this instead. */
  withoutTools?: string
}

/** `note`: why it is not ok. */
type AgentAnswer = { ok: boolean; text: string; note: string }

export type AskAgent = (question: AgentQuestion, id: StepId, cwd: string) => Promise<AgentAnswer>

/** Asks agents questions during a step, in a role of their own. Whatever goes wrong is an answer that is not ok. */
export function agentAsker(options: AskerOptions): AskAgent {
  const { agents, clock } = options
  return async ({ role, prompt, mode, withoutTools }, id, cwd) => {
    const agent = agents.free(options.state(), clock.now(), role)
    const { ended } = await askOnce(options, {
      agent,
      id,
      prompt,
      cwd,
      // As text an answer does not tell its cost, which must count where there is a limit.
      mode: options.budgetLeft() === null ? mode : undefined,
      withoutTools,
      role,
    })
    const { ok, text, error } = ended.result
    return { ok: ok && ended.how === 'exited', text, note: error ?? '' }
  }
}

/** Calls an agent, waits for it, and journals what it cost. */
export async function askOnce(
  { call, clock, marks, record, hard, budgetLeft }: AskerOptions,
  asked: Omit<AgentCall, 'budgetUsd' | 'marks' | 'about'> & { role: string },
): Promise<{ ended: AgentEnding }> {
  const { id, role, agent } = asked
  const whole = { ...asked, budgetUsd: budgetLeft(), marks, about: { role } }
  const ended = await supervise(
    clock,
    TIMEOUTS,
    hard,
    listener => call(whole, listener),
    () => {},
    () => {},
  )
  const { usage, costUsd, estimated } = ended.result
  record({
    type: 'asked',
    at: clock.now(),
    id,
    role,
    agent,
    ms: ended.ms,
    ...(usage && { usage }),
    ...(costUsd !== undefined && { costUsd }),
    ...(estimated && { estimated }),
  })
  return { ended }
}
