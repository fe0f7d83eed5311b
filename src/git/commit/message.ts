import { readTag } from '../../core/completion.ts'
import type { Intent, StepId } from '../../core/table.ts'
import { printable } from '../../core/visible.ts'
import type { Changes } from '../changes.ts'
import { git } from '../git.ts'
import type { ScmState } from '../scm.ts'

/** The exact prompt for the agent before each commit. */
export const MESSAGE_PROMPT =
  'Provide a short imperative commit message for the changes. Output only the message, no explanation.'

const MOST_PATHS = 200
const LONGEST_CHANGES = 50_000

/** Journals the commit before it is made. Returns null if there is no message. */
export async function intend(
  { start, env, ports }: ScmState,
  id: StepId,
  changes: Changes | null,
  known?: Intent,
): Promise<Intent | null> {
  const parent = changes?.head ?? null
  if (known?.parent === parent) return known
  const describe = async () => (changes && start ? describeChanges(start.root, env, changes) : '')
  const message = known?.message ?? commitMessage(await ports.ask(id, await describe()))
  if (message === null) return null
  ports.record({ type: 'committing', at: ports.now(), id, parent, message })
  return { parent, message }
}

/** For an agent without tools. Nothing that the repository configures runs. */
async function describeChanges(
  root: string,
  env: Record<string, string>,
  { head, ours }: Changes,
): Promise<string> {
  const paths = ours.slice(0, MOST_PATHS)
  const plain = ['--no-ext-diff', '--no-textconv', '--no-color']
  const diff =
    head === null ? '' : await git(root, env, ['--literal-pathspecs', 'diff', ...plain, head, '--', ...paths])
  return `Changed files:\n${paths.join('\n')}\n\n${diff ?? ''}`.slice(0, LONGEST_CHANGES)
}

/** The message in an agent's answer: the content of `<response>`, or else the first line with text. Git shows it on
 * terminals as it is. */
function commitMessage(answer: string): string | null {
  const tagged = readTag(answer, 'response')
  if (tagged) return printable(tagged)
  const line = answer.split('\n').find(l => l.trim() !== '' && !l.trim().startsWith('```'))
  return line === undefined ? null : printable(line.trim())
}
