import { Argument } from 'commander'
import { collect } from '../common.ts'
import type { Verb } from '../verb.ts'

const ACTIONS = ['add', 'done', 'skip', 'edit'] as const

export type TodoAction = (typeof ACTIONS)[number]

export type TodoOptions = { after?: string[]; json?: boolean }

const EXAMPLES = `
Examples:
  ralph todo k3f                                   the list
  ralph todo k3f add "Write the changelog"         at the end; --after '#2' makes it wait for another
  ralph todo k3f done '#4'                         you did it yourself
  ralph todo k3f skip '#5'                         it is no longer needed
  ralph todo k3f edit '#6' "Export as TSV instead"`

export const todo: Verb = {
  name: 'todo',
  summary: "Show a build's list, or change it at any time.",
  define: (command, { finish }) =>
    command
      .usage("<run> [add TEXT | done '#N' | skip '#N' | edit '#N' TEXT]")
      .argument('<run>', 'its id, or the beginning or end of it')
      .addArgument(new Argument('[action]').choices(ACTIONS))
      .argument('[words...]')
      .option('--after <task>', 'with add: what it waits for; may be given several times', collect)
      .option('--json', 'the list as JSON')
      .addHelpText('after', EXAMPLES)
      .action(async (run: string, action: TodoAction | undefined, words: string[], options: TodoOptions) => {
        const { todoRun } = await import('../../actions.ts')
        finish(await todoRun(run, action, words, options))
      }),
}
