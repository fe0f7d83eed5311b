import type { StageTable } from '../../core/table.ts'

/** `ralph run`: one task, until the agent signals that it is done and the checks are green. */
export const prompt = (): StageTable => ({
  name: 'prompt',
  first: 'work',
  width: 1,
  rounds: 0,
  bugs: 0,
  stages: {
    work: {
      ends: 'signal',
      tries: Number.POSITIVE_INFINITY,
      on: { pass: 'done', more: 'work', fail: 'work', spent: 'blocked' },
    },
  },
})
