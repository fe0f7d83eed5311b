import type { FAIL_ACTIONS } from './answers.ts'

export type Guardrail = { command: string; failAction: (typeof FAIL_ACTIONS)[number]; hint?: string }

export type Answers = {
  agent: { command: string; flags: string[] }
  maximumIterations: number
  completionResponse: string
  guardrails: Guardrail[]
  scm: { command: string; tasks: string[] } | null
}

export type Draft = ReturnType<typeof draftOf>

/** The settings file that these answers amount to, its keys in the order people read them. */
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
