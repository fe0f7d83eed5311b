import { Argument } from 'commander'
import { collect } from '../common.ts'
import { TODO_ACTIONS } from '../todo-actions.ts'
import { PROJECT_DIR, type Verb } from '../verb.ts'

export type TodoOptions = { after?: string[]; json?: boolean; projectDir?: string }

const EXAMPLES = `
Examples:
  ralph todo                                the list of the latest build
  ralph todo add "Write the changelog"      at the end; --after 2 makes it wait for another
  ralph todo done 4                         you did it yourself
  ralph todo skip 5                         it is no longer needed
  ralph todo edit 6 "Export as TSV instead"
  ralph todo k3f done 4                     of another build, by the end of its id`

/** With choices to complete, which are not enforced: without a run, what to do is the first word. */
function actionArgument(): Argument {
  const argument = new Argument('[action]')
  argument.argChoices = [...TODO_ACTIONS]
  return argument
}

export const todoVerb: Verb = {
  name: 'todo',
  summary: "Show a build's list, or change it at any time.",
  define: (command, { finish, io }) =>
    command
      .usage('[run] [add TEXT | done N | skip N | edit N TEXT]')
      .argument('[run]', 'its id, or the beginning or end of it; default: the latest build of this project')
      .addArgument(actionArgument())
      .argument('[words...]')
      .option('--after <task>', 'with add: what it waits for; may be given several times', collect)
      .option('--json', 'the list as JSON')
      .option(...PROJECT_DIR)
      .addHelpText('after', EXAMPLES)
      .action(
        async (
          run: string | undefined,
          action: string | undefined,
          words: string[],
          options: TodoOptions,
        ) => {
          const { todoRun } = await import('../../actions.ts')
          finish(await todoRun([run ?? [], action ?? [], words].flat(), options, io))
        },
      ),
}
