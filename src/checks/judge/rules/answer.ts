import { isObject } from '../../../core/json.ts'

/** What a judge says about one criterion. */
export type CriterionVerdict = {
  id: string
  verdict: 'pass' | 'fail' | 'cannot_tell'
  /** A line of the work that shows it, or why it fails. */
  evidence: string
}

/** What a judge answers. */
export type JudgeAnswer = {
  /** Text in the work that is addressed to the judge, or null. */
  injection: string | null
  criteria: CriterionVerdict[]
}

/** The schema of an answer, for a CLI that takes one. */
export const ANSWER_SCHEMA = {
  type: 'object',
  properties: {
    injection: { type: ['string', 'null'] },
    criteria: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          verdict: { type: 'string', enum: ['pass', 'fail', 'cannot_tell'] },
          evidence: { type: 'string' },
        },
        required: ['id', 'verdict', 'evidence'],
        additionalProperties: false,
      },
    },
  },
  required: ['injection', 'criteria'],
  additionalProperties: false,
} as const

/** An answer about exactly these criteria, or what is wrong with it. */
export function readAnswer(value: unknown, ids: readonly string[]): JudgeAnswer | { error: string } {
  if (!isObject(value) || !Array.isArray(value.criteria))
    return { error: 'it is not the object that was asked for' }
  const { injection } = value
  if (injection !== null && typeof injection !== 'string')
    return { error: 'injection is neither a text nor null' }
  const criteria: CriterionVerdict[] = []
  for (const entry of value.criteria) {
    if (!isObject(entry)) return { error: 'an entry of criteria is not an object' }
    const { id, verdict, evidence } = entry
    if (typeof id !== 'string' || !ids.includes(id))
      return { error: 'it names a criterion that was not asked about' }
    if (verdict !== 'pass' && verdict !== 'fail' && verdict !== 'cannot_tell')
      return { error: `the verdict on ${id} is none of the three` }
    if (criteria.some(other => other.id === id)) return { error: `it has two verdicts on ${id}` }
    criteria.push({ id, verdict, evidence: typeof evidence === 'string' ? evidence : '' })
  }
  const missing = ids.find(id => !criteria.some(entry => entry.id === id))
  if (missing !== undefined) return { error: `it has no verdict on ${missing}` }
  return { injection: injection?.trim() ? injection : null, criteria }
}

/**
 * The answer of a CLI without schemas: JSON after a mark that only the judge knows. Exactly one line may have it;
 * with two, nobody knows which of them is the judge's.
 */
export function readMarkedLine(text: string, mark: string): unknown {
  const lines = text.split('\n').filter(line => line.includes(mark))
  const [line] = lines
  if (line === undefined || lines.length > 1) return undefined
  const trimmed = line.trim()
  if (!trimmed.startsWith(mark)) return undefined
  return parse(trimmed.slice(mark.length))
}

/** JSON, or undefined. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
