import type { Asker } from '../../../core/asker.ts'
import {
  FAIL_ACTIONS,
  isYes,
  readList,
  refuseAgent,
  refuseFailAction,
  refuseFlags,
  refuseHidden,
  refuseIterations,
  refuseTasks,
  refuseYesNo,
} from './answers.ts'
import type { Proposal } from './propose.ts'
import type { Answers, GuardrailAnswer } from './write-settings.ts'

export type AskSettingsOptions = {
  /** Known agents on this machine. The first is the default. */
  agents: string[]
  proposals: Proposal[]
  isProgram(name: string): boolean
}

/** All the questions, in their order. */
export async function askSettings(ask: Asker, options: AskSettingsOptions): Promise<Answers> {
  return {
    agent: await askAgent(ask, options),
    maximumIterations: Number(
      await ask.line('Maximum iterations [10]', { otherwise: '10', refuse: refuseIterations }),
    ),
    completionResponse: await ask.line(
      'Completion response [DONE] · what the agent must say when it is done',
      { otherwise: 'DONE' },
    ),
    guardrails: [...(await askProposals(ask, options.proposals)), ...(await askGuardrails(ask))],
    scm: await askScm(ask),
  }
}

/** Blank is no. */
export const askYesNo = async (ask: Asker, message: string, about = ''): Promise<boolean> =>
  isYes(await ask.line(`${message} (y/N)${about === '' ? '' : ` · ${about}`}`, { refuse: refuseYesNo }))

/** What `--yes` answers: the first agent found, every check that the project proposes, and no commits. */
export const usualAnswers = ({ agents, proposals }: AskSettingsOptions): Answers => ({
  agent: { command: agents[0]!, flags: [] },
  maximumIterations: 10,
  completionResponse: 'DONE',
  guardrails: proposals.map(({ command }) => ({ command, failAction: 'APPEND' })),
  scm: null,
})

async function askAgent(ask: Asker, { agents, isProgram }: AskSettingsOptions): Promise<Answers['agent']> {
  const found = agents.length > 0 ? ` · found: ${agents.join(', ')}` : ''
  const command = await ask.line(`Agent command (e.g., claude, codex, amp, or other LLM CLI)${found}`, {
    otherwise: agents[0],
    refuse: answer => refuseAgent(answer, isProgram),
  })
  const flags = await ask.line('Agent flags (comma-separated, optional)', { refuse: refuseFlags })
  return { command, flags: readList(flags) }
}

/** All chosen proposals share one fail action and one hint, because asking for each would be tedious. */
async function askProposals(ask: Asker, proposals: Proposal[]): Promise<GuardrailAnswer[]> {
  if (proposals.length === 0) return []
  const choices = proposals.map(({ command, from }) => ({ value: command, hint: from }))
  const chosen = await ask.some('Checks found in this project', choices)
  if (chosen.length === 0) return []
  const onFailure = await askOnFailure(ask)
  return chosen.map(command => ({ command, ...onFailure }))
}

async function askGuardrails(ask: Asker): Promise<GuardrailAnswer[]> {
  const guardrails: GuardrailAnswer[] = []
  for (;;) {
    const command = await ask.line(
      'Add guardrail command (leave blank to finish) · a check: exit code 0 is green',
      {
        refuse: refuseHidden,
      },
    )
    if (command === '') return guardrails
    guardrails.push({ command, ...(await askOnFailure(ask)) })
  }
}

/** What happens when a guardrail is red. */
async function askOnFailure(ask: Asker): Promise<Omit<GuardrailAnswer, 'command'>> {
  const action = await ask.line(
    'Fail action (APPEND|PREPEND|REPLACE) · after, before, instead of the prompt',
    { otherwise: 'APPEND', refuse: refuseFailAction },
  )
  const hint = await ask.line('Hint (optional, guidance for agent on failure)')
  const failAction = FAIL_ACTIONS.find(known => known === action.toUpperCase())!
  return hint === '' ? { failAction } : { failAction, hint }
}

async function askScm(ask: Asker): Promise<Answers['scm']> {
  if (!(await askYesNo(ask, 'Configure SCM?', 'commit what each green iteration changed'))) return null
  return {
    command: await ask.line('SCM command (e.g., git)', { otherwise: 'git', refuse: refuseHidden }),
    tasks: readList(
      await ask.line('SCM tasks (comma-separated, e.g., commit,push)', {
        otherwise: 'commit',
        refuse: refuseTasks,
      }),
    ),
  }
}
