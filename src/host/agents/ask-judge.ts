import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AskJudge } from '../../checks/judge/judge.ts'
import type { Capabilities } from '../../core/ports.ts'
import type { AgentPool } from './agent-pool.ts'
import { type AskerOptions, askOnce } from './ask.ts'

export type JudgeAskerOptions = AskerOptions & {
  agents: Pick<AgentPool, 'free' | 'callable'>
  /** The model that `agents.judge` names. */
  model: string | null
}

const JUDGE = 'judge'

/**
 * Asks the judge, in an empty folder of its own. Whether the answer comes by a schema or as a marked line depends on what
 * the CLI can do.
 */
export function judgeAsker(options: JudgeAskerOptions): AskJudge {
  return async ({ schema, prompt, model }, id) => {
    const name = options.agents.free(options.state(), options.clock.now(), JUDGE)
    const { agent, able } = options.agents.callable(name)
    const answerIn = schemaAnswerOf(agent, able)
    const folder = mkdtempSync(join(tmpdir(), 'ralph-judge-'))
    const place = join(folder, 'empty')
    const schemaFile = { text: JSON.stringify(schema), path: join(folder, 'schema.json') }
    try {
      mkdirSync(place)
      writeFileSync(schemaFile.path, schemaFile.text)
      const { ended } = await askOnce(options, {
        agent: name,
        id,
        prompt: prompt(answerIn === null ? 'line' : 'schema'),
        cwd: place,
        mode: 'stream',
        isolated: {
          schema: schemaFile,
          model: model === undefined ? (options.model ?? agent.smallModel ?? null) : model,
        },
        role: JUDGE,
      })
      const { ok, text, error, structured } = ended.result
      return {
        agent: agent.name,
        ok: ok && ended.how === 'exited',
        note: error ?? (ended.how === 'exited' ? '' : 'it took too long'),
        answer:
          answerIn === 'apart'
            ? { by: 'schema', value: structured }
            : answerIn === 'text'
              ? { by: 'schema', value: parseOrNothing(text) }
              : { by: 'line', text },
        ...(ended.limited && { limited: ended.limited }),
        isUnusable: ended.unusable !== undefined,
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

const schemaAnswerOf = (
  agent: { schemaAnswer?(able: Capabilities): 'apart' | 'text' | null },
  able: Capabilities,
): 'apart' | 'text' | null => agent.schemaAnswer?.(able) ?? null

function parseOrNothing(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
