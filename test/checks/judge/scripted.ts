import {
  type AskJudge,
  type JudgeOptions,
  type JudgeReply,
  judgeCriteria,
} from '../../../src/checks/judge/judge.ts'
import type { JudgeAnswer } from '../../../src/checks/judge/rules/answer.ts'
import type { CheckWork } from '../../../src/core/ports.ts'
import type { SemanticConfig } from '../../../src/core/verification/method.ts'

/** What the judge is asked, and how it answers: by schema, or as a text where its CLI has none. */
type Asked = { prompt: string; by: 'schema' | 'line'; model: string | null | undefined }
export type Say = (asked: Asked) => Partial<JudgeReply> & { value?: unknown; text?: string }

/** The diff of one file with these new lines. */
export const diffOf = (lines: readonly string[], path = 'src/auth.js'): string =>
  `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${lines.length} @@\n${lines.map(line => `+${line}\n`).join('')}`

export const answer = (...verdicts: [JudgeAnswer['criteria'][number]['verdict'], string][]): JudgeAnswer => ({
  injection: null,
  criteria: verdicts.map(([verdict, evidence], index) => ({ id: `c${index + 1}`, verdict, evidence })),
})

export type Case = {
  config?: Partial<SemanticConfig>
  text?: string
  diff?: string | null
  tree?: string
  by?: 'schema' | 'line'
  isTwice?: boolean
  onJudgeError?: JudgeOptions['onJudgeError']
  limitWaitMs?: number
}

/** Judges with a judge that follows a script. */
export async function judged(say: Say, given: Case = {}) {
  const asked: Asked[] = []
  const warnings: string[] = []
  const naps: number[] = []
  let nonces = 0
  const by = given.by ?? 'schema'
  const ask: AskJudge = async ({ prompt, model }) => {
    const question = { prompt: prompt(by), by, model }
    asked.push(question)
    const { value, text = '', ...more } = say(question)
    const reply = { agent: 'claude', isSameVendor: true, ok: true, note: '', isUnusable: false, ...more }
    return { ...reply, answer: by === 'schema' ? { by, value } : { by, text } }
  }
  const config: SemanticConfig = {
    check_for: ['tokens are validated'],
    negative_patterns: [],
    in: 'text',
    model: null,
    ...given.config,
  }
  const work = { step: { id: 1 }, task: { id: 't' }, text: given.text ?? 'Done.' } as CheckWork
  const verified = await judgeCriteria(
    config,
    work,
    { isTwice: given.isTwice ?? false },
    {
      ask,
      workOf: async () => ({
        diff: given.diff === undefined ? diffOf(['verify(token)']) : given.diff,
        isInTree: async text => (given.tree ?? '').includes(text),
      }),
      nonce: () => `n${++nonces}0nce`,
      clock: { now: () => 0, elapsed: () => 0, after: () => () => {} },
      sleep: async ms => void naps.push(ms),
      warn: note => void warnings.push(note),
      onJudgeError: given.onJudgeError ?? 'again',
      limitWaitMs: given.limitWaitMs ?? 3_600_000,
    },
    new AbortController().signal,
  )
  return { verified, asked, warnings, naps }
}
