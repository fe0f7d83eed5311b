import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { FROZEN_SET } from '../../checks/judge/rules/frozen-set.ts'
import { parseJson } from '../../core/json.ts'
import { replaceFile } from '../../store/files/atomic.ts'
import { LIMITS, readRegularFile } from '../../store/files/read.ts'

/** Who judges. `version` is null if its program does not report it, `model` for the default of its CLI. */
export type JudgeIdentity = { agent: string; version: string | null; model: string | null }

/** How a judge did with the frozen cases: the bad changes that it passed, and the good ones that it refused. */
export type JudgeRecord = { passed: string[]; refused: string[]; undecided: number }

const fileIn = (dir: string): string => join(dir, 'judges.json')

/** Another version, another model or another set of cases is another judge. */
const keyOf = ({ agent, version, model }: JudgeIdentity): string =>
  [FROZEN_SET, agent, version ?? '?', model ?? 'default'].join(' ')

/** How this judge did when it was checked. Null if it was not. */
export function recallJudge(dir: string, judge: JudgeIdentity): JudgeRecord | null {
  const all = readAll(dir)
  const key = keyOf(judge)
  return Object.hasOwn(all, key) && isRecord(all[key]) ? all[key] : null
}

export function rememberJudge(dir: string, judge: JudgeIdentity, found: JudgeRecord): void {
  mkdirSync(dir, { recursive: true })
  replaceFile(fileIn(dir), `${JSON.stringify({ ...readAll(dir), [keyOf(judge)]: found }, null, 2)}\n`)
}

export const showJudge = ({ agent, version, model }: JudgeIdentity): string =>
  `${agent}${version === null ? '' : ` ${version}`}${model === null ? '' : `, ${model}`}`

/** The warning about a judge that passed a bad change. Null if there is nothing to warn of. */
export function judgeWarning(dir: string, judge: JudgeIdentity): string | null {
  const found = recallJudge(dir, judge)
  if (!found || found.passed.length === 0) return null
  return `the judge (${showJudge(judge)}) passed bad changes when it was checked: ${found.passed.join(', ')}; choose another with agents.judge`
}

const isRecord = (value: unknown): value is JudgeRecord => {
  const { passed, refused, undecided } = (value ?? {}) as Partial<JudgeRecord>
  const isTexts = (list: unknown) => Array.isArray(list) && list.every(entry => typeof entry === 'string')
  return isTexts(passed) && isTexts(refused) && typeof undecided === 'number'
}

function readAll(dir: string): Record<string, unknown> {
  try {
    const found = parseJson(readRegularFile(fileIn(dir), { limit: LIMITS.small }).toString())
    return typeof found === 'object' && found !== null ? (found as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
