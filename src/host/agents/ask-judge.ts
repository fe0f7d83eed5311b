import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AskJudge } from '../../checks/judge/judge.ts'
import type { Capabilities } from '../../core/ports.ts'
import type { AgentPool } from './agent-pool.ts'
import { type AskerOptions, askOnce } from './ask.ts'
import { type JudgeIdentity, judgeWarning } from './judge-record.ts'

export type JudgeAskerOptions = AskerOptions & {
  agents: Pick<AgentPool, 'free' | 'callable' | 'namesFor'>
  /** The model that `agents.judge` names. */
  model: string | null
  /** Where it is remembered how judges did when they were checked. */
  cacheDir: string
  warn(note: string): void
}

const JUDGE = 'judge'

/** Who would judge now. `model` is null for the CLI's own default, absent for that of the judge. */
export function identifyJudge(
  options: Pick<JudgeAskerOptions, 'agents' | 'state' | 'clock' | 'model'>,
  model?: string | null,
): JudgeIdentity & { name: string } {
  const name = options.agents.free(options.state(), options.clock.now(), JUDGE)
  const { agent, able } = options.agents.callable(name)
  return {
    name,
    agent: agent.name,
    version: able.version,
    model: model === undefined ? (options.model ?? agent.smallModel ?? null) : model,
  }
}

/** The CLI that writes the code. */
const coderOf = ({ agents }: Pick<JudgeAskerOptions, 'agents'>): string =>
  agents.callable(agents.namesFor('coder')[0]!).agent.name

/**
 * Asks the judge, in an empty folder of its own. Whether the answer comes by a schema or as a marked line depends on what
 * the CLI can do.
 */
export function judgeAsker(options: JudgeAskerOptions): AskJudge {
  const warned = new Set<string>()
  return async ({ schema, prompt, model }, id) => {
    const identity = identifyJudge(options, model)
    const { name } = identity
    const warning = judgeWarning(options.cacheDir, identity)
    if (warning !== null && !warned.has(warning)) options.warn(warning)
    if (warning !== null) warned.add(warning)
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
          model: identity.model,
        },
        role: JUDGE,
      })
      const { ok, text, error, structured } = ended.result
      return {
        agent: agent.name,
        isSameVendor: agent.name === coderOf(options),
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
