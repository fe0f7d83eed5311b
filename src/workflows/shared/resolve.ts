import { join } from 'node:path'
import type { Finding } from '../../core/events.ts'
import type { Check, Work } from '../../core/ports.ts'
import { taskStateOf } from '../../core/table.ts'
import type { WorkspaceState } from '../../core/workspaces.ts'
import { LIMITS, textAt } from '../../store/files/read.ts'
import { checkNames } from '../spec.ts'
import type { Context } from '../workflow.ts'
import { HALF_EDITED, instructionsFor } from './prompt-parts.ts'

/** The prompt of the stage that resolves what keeps a finished task from being merged. `description`: what it asked for. */
export function resolvePrompt(
  { spec, table }: Pick<Context, 'spec' | 'table'>,
  { task, step, state }: Work,
  description: string,
): string {
  const { lastRed, interrupted } = taskStateOf(table, state, task)
  const conflict = state.workspaces[step.workspace ?? '']?.conflict
  const checks = checkNames(spec.settings)
  return [
    `You bring finished work together with what others have done meanwhile. The work is ${task.id} (${task.title}); it is on this branch.`,
    description.trim() === '' ? null : `What ${task.id} asked for:\n\n${description.trim()}`,
    interrupted ? HALF_EDITED : null,
    conflict ? aboutConflict(conflict) : null,
    ...lastRed.map(({ note }) => note),
    `# Rules

- Keep what both sides are for. Drop neither, and start nothing new.
- Do not rebase, merge or switch branches: ralph does that. Leave your changes uncommitted, or commit them on this branch.
- ${
      checks.length > 0
        ? `When you end, ralph runs ${checks.map(check => `\`${check}\``).join(', ')} itself. Run it first.`
        : 'Test your work before you end.'
    }
- If only a person can decide which side is right, ask in your last message: <blocked>your question</blocked>`,
    ...instructionsFor(state, task.id).map(text => `Instruction from the user: ${text}`),
  ]
    .filter(part => part !== null)
    .join('\n\n')
}

const aboutConflict = ({ commit, paths }: NonNullable<WorkspaceState['conflict']>): string =>
  `# The conflict

The last commit on this branch merges both sides, and these files are still undecided:
${paths.map(path => `- ${path}`).join('\n')}

Where both changed the same lines, the file has both between <<<<<<< and >>>>>>>. Where one side removed or moved a file
that the other changed, it is there or not: decide. \`git diff ${commit.slice(0, 12)}^1...${commit.slice(0, 12)}^2\` is what the
others did, \`git diff ${commit.slice(0, 12)}^2...${commit.slice(0, 12)}^1\` what this work did.`

const MARK = /^(?:<{7}|>{7})(?: |$)/m

/** Fails while a file still has the marks of a conflict. */
export const conflictCheck = ({ dir, conflict }: Pick<WorkspaceState, 'dir' | 'conflict'>): Check => ({
  name: 'conflict',
  async run() {
    const marked = (conflict?.paths ?? []).filter(path =>
      MARK.test(textAt(join(dir, path), { limit: LIMITS.text }) ?? ''),
    )
    const finding: Finding =
      marked.length === 0
        ? { check: 'conflict', verdict: 'pass', note: '', claim: true }
        : {
            check: 'conflict',
            verdict: 'fail',
            note: `These files still have the marks of a conflict: ${marked.join(', ')}.`,
            action: 'APPEND',
          }
    return { finding, exit: null }
  },
})
