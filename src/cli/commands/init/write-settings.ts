import { join } from 'node:path'
import { UsageError } from '../../../core/usage-error.ts'
import { jsonSchema } from '../../../settings/json-schema.ts'
import { replaceFile } from '../../../store/files/atomic.ts'
import { actInside, makeFolder } from '../../../store/files/inside.ts'
import { pinFolder } from '../../../store/files/pinned.ts'
import { ignoreOwnFiles } from '../../../store/session.ts'
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

const pretty = (value: unknown): string => JSON.stringify(value, null, 2)

/** Writes the settings, and beside them the schema that they name. */
export function writeSettings(project: string, draft: Draft): void {
  const folder = join(project, '.ralph')
  try {
    const root = pinFolder(project)
    makeFolder(root, folder)
    ignoreOwnFiles(root, folder)
    const write = (name: string, value: unknown) =>
      actInside(root, join(folder, name), entry => replaceFile(entry, `${pretty(value)}\n`))
    write('settings.schema.json', jsonSchema())
    // Last, so that the old settings stay valid until everything else is written.
    write('settings.json', draft)
  } catch (error) {
    throw new UsageError(
      `cannot write .ralph/settings.json: ${(error as Error).message}; the settings are as they were`,
      { cause: error },
    )
  }
}
