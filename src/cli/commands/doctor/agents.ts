import type { Cli } from '../../../agents/cli.ts'
import { known } from '../../../agents/index.ts'
import { agentByName, chooseAgent, isInstalled, programIn } from '../../../host/agents/agents.ts'
import type { RunCommand } from '../../../runners/run-command.ts'
import type { Settings } from '../../../settings/schema.ts'
import { type Env, environmentOf } from './environment.ts'
import type { AgentFact, FallbackFact, PickedAgent } from './facts.ts'
import { examineProgram } from './programs.ts'

/** Probes all known CLIs at once, but not a project's own command: the user may not have trusted it yet. */
export const examineAgents = (
  rules: Settings['env'],
  { env, cwd, run }: { env: Env; cwd: string; run: RunCommand },
): Promise<AgentFact[]> =>
  Promise.all(
    [...known].map(async ([name, { payments }]) => {
      const given = environmentOf(name, env, rules)
      const set = Object.keys(given).filter(variable => given[variable] !== '')
      return {
        ...(await examineProgram(name, { run, cwd, env: given })),
        paidBy: describePayment(payments, set),
      }
    }),
  )

export const OWN_LOGIN = 'its own login'

/** How a run would be paid for, by the variables that are set. */
function describePayment(payments: Cli['payments'], set: readonly string[]): string {
  const payment = payments.find(({ variable }) => set.includes(variable))
  return payment ? `${payment.kind} (${payment.variable})` : OWN_LOGIN
}

/** The fallback agents, in their order. */
export const findFallbacks = (settings: Settings | null, project: string, path: string): FallbackFact[] =>
  (settings?.fallbackAgents ?? []).map(({ command }) => ({
    name: agentByName(command).name,
    command,
    installed: isInstalled(command, path, [project]),
  }))

const NO_AGENT = 'no agent found on PATH; install one of those above, or see one at work with: ralph demo'

/** The agent that `ralph run` would use. */
export function pickAgent(setting: string | null, project: string, path: string): PickedAgent {
  try {
    const wanted = setting && programIn([project], setting)
    const command = chooseAgent({ explicit: [], name: undefined, setting: wanted }, path).argv[0]!
    const { name } = agentByName(command)
    return { type: 'agent', name, command, from: setting ? 'settings' : 'PATH' }
  } catch (error) {
    // The message for `ralph run` would send people here.
    return { type: 'none', why: setting === null ? NO_AGENT : (error as Error).message }
  }
}
