import { Argument, type Command } from 'commander'
import type { SteerOptions } from '../../runs/steer.ts'
import type { StoryRequest } from '../../workflows/stories/rules/story-request.ts'
import type { TodoAction } from '../commands/todo/todo-run.ts'
import { collect } from './options.ts'
import { PROJECT_DIR, type Verb } from './verb.ts'

const RUN = 'its id, or the beginning or end of it; default: the latest unfinished run of this project'

const inProject = (command: Command, example: string): Command =>
  command
    .option(...PROJECT_DIR)
    .addHelpText('after', `\n${example.includes('\n') ? 'Examples' : 'Example'}:\n  ${example}`)

const pauseVerb: Verb = {
  name: 'pause',
  summary: 'Let the running agent finish, then start no other until `ralph resume`.',
  define: command => inProject(command, 'ralph pause').argument('[run]', RUN),
  act: ({ pauseByName }, io, name: string | undefined, options: SteerOptions) =>
    pauseByName(name, options, io),
}

const cancelVerb: Verb = {
  name: 'cancel',
  summary: 'End a run now, for good, or one task of it; its changes are kept.',
  define: command =>
    inProject(
      command,
      `ralph cancel 20260301-221530-k3f
  ralph cancel k3f/TASK-2            one task of it; the other tasks continue`,
    ).argument('[run]', `${RUN}; after a slash, a task`),
  act: ({ cancelByName }, io, name: string | undefined, options: SteerOptions) =>
    cancelByName(name, options, io),
}

const tellVerb: Verb = {
  name: 'tell',
  summary: 'Add an instruction to all later prompts of a run, or of one task.',
  define: command =>
    inProject(
      command,
      `ralph tell "Use the new API"
  ralph tell 3 "Postgres"            the answer to a task's question; a blocked task continues
  ralph tell k3f 3 "Postgres"        in another run, by the end of its id`,
    )
      .usage('[options] [run] [task] <text...>')
      .argument(
        '<words...>',
        'the instruction. Before it: the run (default: the latest unfinished one of this project), and a task, if only this task gets it',
      ),
  act: ({ tellByName }, io, words: string[], options: SteerOptions) => tellByName(words, options, io),
}

const SET_EXAMPLES = `
Examples:
  ralph set max-iterations=200         the latest unfinished run of this project
  ralph set night max-iterations=200   a worker, or a run by its id`

const setVerb: Verb = {
  name: 'set',
  summary: 'Change the limit of a run: ralph set max-iterations=200.',
  define: command =>
    command
      .usage('[options] [run] max-iterations=N')
      .argument(
        '<run>',
        'the name of the worker, or the id of the run, or the beginning or end of it; default: the latest unfinished run of this project',
      )
      .argument('[setting...]', 'max-iterations=N, all iterations counted')
      .option(...PROJECT_DIR)
      .addHelpText('after', SET_EXAMPLES),
  act: ({ setLimitByName }, io, first: string, others: string[], options: SteerOptions) =>
    setLimitByName([first, ...others], options, io),
}

export type TodoOptions = { after?: string[]; json?: boolean; projectDir?: string }

const TODO_EXAMPLES = `
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
  argument.argChoices = ['add', 'done', 'skip', 'edit'] satisfies TodoAction[]
  return argument
}

const todoVerb: Verb = {
  name: 'todo',
  summary: "Show a build's list, or change it at any time.",
  define: command =>
    command
      .usage('[run] [add TEXT | done N | skip N | edit N TEXT]')
      .argument('[run]', 'its id, or the beginning or end of it; default: the latest build of this project')
      .addArgument(actionArgument())
      .argument('[words...]')
      .option('--after <task>', 'with add: what it waits for; may be given several times', collect)
      .option('--json', 'the list as JSON')
      .option(...PROJECT_DIR)
      .addHelpText('after', TODO_EXAMPLES),
  act: (
    { todoRun },
    io,
    run: string | undefined,
    action: string | undefined,
    words: string[],
    options: TodoOptions,
  ) => todoRun([run ?? [], action ?? [], words].flat(), options, io),
}

const decision = (action: StoryRequest['action'], summary: string, why: string, examples: string): Verb => ({
  name: action,
  summary,
  define: (command, { finish, io }) =>
    command
      .argument('<run>', 'its id, or the beginning or end of it')
      .argument('<story>', 'the id of the story')
      .argument('[why...]', why)
      .addHelpText('after', `\nExamples:\n${examples}`)
      .action(async (run: string, story: string, words: string[]) => {
        const { decideStory } = await import('../actions.ts')
        const why = words.join(' ')
        finish(await decideStory(run, { action, story, ...(why !== '' && { why }) }, io))
      }),
})

const approveVerb = decision(
  'approve',
  'Approve a story yourself, such as one that is left for you.',
  'why you approve it, for the record',
  `  ralph approve k3f US-001
  ralph approve k3f US-001 "Good enough for the demo"`,
)

const rejectVerb = decision(
  'reject',
  'Send a story back yourself, with what has to change.',
  'what has to change: the next agent reads it',
  `  ralph reject k3f US-001 "The total is wrong"
  ralph reject k3f US-001                         the feedback of the last review stays`,
)

export const STEER: readonly Verb[] = [
  tellVerb,
  pauseVerb,
  cancelVerb,
  setVerb,
  todoVerb,
  approveVerb,
  rejectVerb,
]
