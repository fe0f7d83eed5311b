import type { ResumedAgent, RunEvent } from '../../core/events.ts'
import { UsageError } from '../../core/usage-error.ts'
import type { BaseSpec, RunSpec } from '../../workflows/spec.ts'
import { chooseAgent, pathFrom, takesModel } from './agents.ts'

/**
 * The agent that the user asks for with `ralph resume -a NAME --model MODEL`; null: none. Another program gets neither the
 * model nor the flags of the one before, which would not understand them.
 */
export function agentForResume(
  { agent, settings, project }: RunSpec,
  { agent: name, model }: { agent?: string; model?: string },
  path: string,
): ResumedAgent | null {
  if (name === undefined && model === undefined) return null
  const { flags } = settings.agent
  const chosen =
    name === undefined
      ? agent
      : chooseAgent({ explicit: [], name: pathFrom('.', name, project), setting: null }, path)
  const isSame = !agent.explicit && chosen.argv[0] === agent.argv[0]
  const next: ResumedAgent = {
    argv: chosen.argv,
    explicit: chosen.explicit,
    model: model ?? (isSame ? agent.model : null),
    flags: isSame ? flags : [],
  }
  if (next.model !== null && !takesModel(next))
    throw new UsageError(
      `ralph does not know how to tell "${next.argv[0]}" a model; name another agent with -a`,
    )
  return next
}

/** The spec of a run with the agent that works now. */
export function withAgent<S extends BaseSpec>(spec: S, resumed: ResumedAgent | null): S {
  if (!resumed) return spec
  const { flags, ...agent } = resumed
  return { ...spec, agent, settings: { ...spec.settings, agent: { ...spec.settings.agent, flags } } }
}

/** The agent that the latest resume chose; null if the run has its first one still. */
export const agentOfLatest = (events: readonly RunEvent[]): ResumedAgent | null =>
  events.flatMap(event => (event.type === 'resumed' && event.agent) || []).at(-1) ?? null
