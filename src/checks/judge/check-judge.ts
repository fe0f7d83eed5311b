import type { CheckWork } from '../../core/ports.ts'
import { type JudgeOptions, judgeCriteria } from './judge.ts'
import { FROZEN_CASES, type FrozenCase } from './rules/frozen-set.ts'

/** What a judge said of one frozen case. `isWrong`: it passed a bad change, or refused a good one. */
export type CaseResult = Pick<FrozenCase, 'name' | 'kind'> & {
  verdict: 'pass' | 'fail' | 'unsure'
  reason: string
  isWrong: boolean
}

/** Puts the frozen cases to a judge, one after the other. */
export async function checkJudge(
  options: Omit<JudgeOptions, 'workOf' | 'onJudgeError'>,
  onResult: (result: CaseResult) => void,
  signal: AbortSignal,
): Promise<CaseResult[]> {
  const results: CaseResult[] = []
  for (const [index, { name, kind, criteria, diff }] of FROZEN_CASES.entries()) {
    const work = { step: { id: index + 1 }, task: { id: name }, text: '' } as CheckWork
    const config = { check_for: [...criteria], negative_patterns: [], in: 'text' as const, model: null }
    const { verdict, reason } = await judgeCriteria(
      config,
      work,
      { isTwice: false },
      { ...options, workOf: async () => ({ diff, isInTree: async () => false }), onJudgeError: 'again' },
      signal,
    )
    const isWrong = kind === 'good' ? verdict === 'fail' : verdict === 'pass'
    const result = { name, kind, verdict, reason, isWrong }
    results.push(result)
    onResult(result)
  }
  return results
}
