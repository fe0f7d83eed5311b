import type { Cli } from '../../../agents/cli.ts'
import { known } from '../../../agents/index.ts'
import { agentByName, chooseAgent, isInstalled, programIn } from '../../../host/agents/agents.ts'
import { environmentOf } from './environment.ts'
import { row, type Setup } from './finding.ts'
import { examineProgram, isUsable, programRow } from './programs.ts'

/** The agent that `ralph run` would start here without an option for it. */
export type PickedAgent =
  | { type: 'agent'; name: string; command: string; from: 'settings' | 'PATH' }
  | { type: 'none'; why: string }

const OWN_LOGIN = 'its own login'
const FALLBACK = 'fallback while another is limited (fallbackAgents)'
const USED = {
  settings: '`ralph run` uses this one: the settings say so',
  PATH: '`ralph run` uses this one',
} as const

/** All known CLIs, the one that would be used, and those that would work while another is limited, in their order. */
export async function findAgents(place: Setup) {
  const { env, cwd, settings, machine } = place
  const pick = pickAgent(place)
  const fallbacks = (settings?.fallbackAgents ?? []).map(({ command }) => ({
    name: agentByName(command).name,
    command,
    installed: isInstalled(command, env.PATH ?? '', [cwd]),
  }))
  const agents = await askAgents(place)
  const isAbove = (command: string) => agents.some(({ name }) => name === command)
  const rows = agents.map(agent =>
    programRow(
      agent,
      machine.platform,
      // A login is not opened to look at it.
      isUsable(agent) && agent.paidBy.replace(OWN_LOGIN, `${OWN_LOGIN}: login not checked`),
      pick.type === 'agent' && pick.command === agent.name && USED[pick.from],
      fallbacks.some(({ command }) => command === agent.name) && FALLBACK,
    ),
  )
  if (pick.type === 'none') rows.push(row('no', 'ralph run', 'can use none of these'))
  else if (!isAbove(pick.command)) rows.push(row('yes', pick.command, USED[pick.from]))
  for (const { command, installed } of fallbacks.filter(({ command }) => !isAbove(command)))
    rows.push(row(installed ? 'yes' : 'none', command, installed ? FALLBACK : `not found; ${FALLBACK}`))
  const obstacle =
    pick.type === 'none' ? settings && pick.why : agents.find(({ name }) => name === pick.command)?.trouble
  return { fact: { agents, pick, fallbacks }, rows, obstacle }
}

/** Asks all known CLIs at once, but not a project's own command: the user may not have trusted it yet. */
const askAgents = ({ env, cwd, run, rules }: Setup) =>
  Promise.all(
    [...known].map(async ([name, { payments }]) => {
      const given = environmentOf(name, env, rules)
      const fact = await examineProgram(name, { run, cwd, env: given })
      return { ...fact, paidBy: describePayment(payments, given) }
    }),
  )

/** How a run would be paid for, judged by which variables are set. */
function describePayment(payments: Cli['payments'], given: Readonly<Record<string, string>>): string {
  const payment = payments.find(({ variable }) => given[variable])
  return payment ? `${payment.kind} (${payment.variable})` : OWN_LOGIN
}

function pickAgent({ settings, cwd, env }: Setup): PickedAgent {
  if (settings === null) return { type: 'none', why: 'the settings are not valid' }
  const setting = settings.agent.command
  try {
    const wanted = setting && programIn([cwd], setting)
    const command = chooseAgent({ explicit: [], name: undefined, setting: wanted }, env.PATH ?? '').argv[0]!
    const { name } = agentByName(command)
    return { type: 'agent', name, command, from: setting ? 'settings' : 'PATH' }
  } catch (error) {
    // The message for `ralph run` would send people here.
    const none = 'no agent found on PATH; install one of those above, or see one at work with: ralph demo'
    return { type: 'none', why: setting === null ? none : (error as Error).message }
  }
}
