import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'
import type { StageTable } from '../../src/core/table.ts'
import { type RunSpec, readPins, specSchema } from '../../src/workflows/spec.ts'
import type { Workflow } from '../../src/workflows/workflow.ts'

/** Each word is drafted, then polished, by an agent of its own. */
export type ToySpec = RunSpec & { words: string[] }

const schema = specSchema({ words: z.array(z.string()) })

const table: StageTable = {
  name: 'toy',
  first: 'draft',
  width: 1,
  rounds: 0,
  bugs: 0,
  stages: {
    draft: {
      title: 'drafting',
      ends: 'signal',
      tries: 3,
      on: { pass: 'polish', more: 'draft', fail: 'draft', spent: 'blocked' },
    },
    polish: {
      title: 'polishing',
      ends: 'signal',
      tries: 3,
      on: { pass: 'done', more: 'polish', fail: 'polish', spent: 'blocked' },
    },
  },
}

/** A workflow that ralph does not have. What it settled is in `toy.log`, one line for each step, written once. */
export const toyWorkflow: Workflow<ToySpec> = {
  name: 'toy',
  command: 'toy',
  listed: true,
  readSpec: pins => readPins(schema, pins),
  pins: spec => spec,
  table: () => table,
  describe: ({ words }) => ({
    subject: ['words', words.join(', ')],
    doneWhen: 'every word is polished',
    condition: 'the words',
    estimate: `${words.length * 2} iterations`,
  }),
  preview: ({ words }) => `Draft ${words[0]}.`,
  about: ({ words }) => ({ words }),
  protectedAreas: () => [],
  summary: (_spec, { tasks }) => [`${tasks.length} words in all`],
  open: ({ spec, record }) => ({
    initialTasks: () => ({ tasks: spec.words.map(id => ({ id, title: id, blockedBy: [] })), edits: [] }),
    adoptEdits: async () => {},
    buildPrompt: ({ stage, task }) => `${stage} ${task.id}`,
    checks: ({ workspace }) => workspace.checks(),
    claims: async (_work, text) => ({ signal: text.includes('OK') }),
    apply(settled) {
      const path = join(spec.project, 'toy.log')
      const line = `${settled.id} ${settled.stage} ${settled.task} ${settled.move ?? settled.end}\n`
      if (!existsSync(path) || !readFileSync(path, 'utf8').includes(line)) appendFileSync(path, line)
    },
    onEvent(event) {
      if (event.type === 'finished') record({ type: 'warned', at: event.at, note: 'the toy is done' })
    },
  }),
}
