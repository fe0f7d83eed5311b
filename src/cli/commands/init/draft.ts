import type { FAIL_ACTIONS } from './answers.ts'

export type GuardrailAnswer = { command: string; failAction: (typeof FAIL_ACTIONS)[number]; hint?: string }

export type Answers = {
  agent: { command: string; flags: string[] }
  maximumIterations: number
  completionResponse: string
  guardrails: GuardrailAnswer[]
  scm: { command: string; tasks: string[] } | null
}

export type Draft = ReturnType<typeof draftOf>

/** The settings file for these answers, with its keys in the order in which people read them. */
export const draftOf = ({ agent, maximumIterations, completionResponse, guardrails, scm }: Answers) => ({
  $schema: './settings.schema.json',
  maximumIterations,
  completionResponse,
  outputTruncateChars: 5000,
  streamAgentOutput: true,
  includeIterationCountInPrompt: false,
  agent,
  guardrails,
  ...(scm && { scm }),
})
