import { type Command, Option } from 'commander'
import { collect, positiveInteger, wholeNumber } from './options.ts'
import { PROJECT_DIR, type Verb } from './verb.ts'

const ROLES = ['coder', 'reviewer', 'tester', 'qa']

/** What `create`, `edit` and `followup` say about a task; those of a role have names such as `coderPromise`. */
export type TaskFields = {
  outcome?: string
  acceptance?: string[]
  description?: string
  priority?: number
  dependsOn?: string[]
  assignee?: string
} & { [option: string]: unknown }

export type TaskProject = { projectDir?: string }

const EXAMPLES = `
Examples:
  ralph task create TASK-1 auth "Implement JWT auth" \\
      --outcome "All endpoints require a valid JWT" \\
      --acceptance "Invalid tokens return 401" \\
      --tester-verify external --tester-verify-cmd "npm test"
  ralph task import tasks.yaml --spec auth       all of them or none; every mistake is listed
  ralph task plan spec.md                        an agent proposes tasks, and you approve them
  ralph task list --status failed
  ralph task export --spec auth > tasks.yaml
  ralph task edit TASK-1 --status pending        it is worked on again
  ralph task followup TASK-1 TASK-2 "Rotate the keys" \\
      --outcome "…" --acceptance "…"`

const addFields = (command: Command): Command => {
  command
    .option('--outcome <text>', 'one measurable sentence: what is true when it is done')
    .option('--acceptance <criterion>', 'a criterion that must be met; may be given several times', collect)
    .option('--description <text>', 'what to do, in more words')
    .addOption(new Option('--priority <n>', 'smaller goes first (0)').argParser(wholeNumber))
    .option('--depends-on <id>', 'a task that must be completed first; may be given several times', collect)
    .option('--assignee <name>', 'a note of who is responsible')
  for (const role of ROLES)
    command
      .option(`--${role}-promise <text>`, `what the ${role} says when it has finished`)
      .option(`--${role}-description <text>`, 'what success means for it')
      .option(`--${role}-verify <method>`, 'string_match, semantic, external or a template such as tests:npm')
      .option(`--${role}-verify-cmd <command>`, 'the command of an external verification')
      .addOption(new Option(`--${role}-max-iterations <n>`, 'its limit').argParser(positiveInteger))
  return command.option(...PROJECT_DIR)
}

export const taskVerb: Verb = {
  name: 'task',
  summary: "Create, import, show and change the pipeline's tasks.",
  define(command, { finish }) {
    const actions = async () => (await import('../actions.ts')).taskActions
    command.usage('<action>').addHelpText('after', EXAMPLES)
    addFields(
      command
        .command('create')
        .description('Create a task. --outcome and --acceptance are required.')
        .argument('<id>')
        .argument('<spec>', 'the spec that it belongs to')
        .argument('<title>'),
    ).action(async (id, spec, title, options) =>
      finish(await (await actions()).create({ id, spec, title }, options)),
    )
    addFields(
      command
        .command('followup')
        .description('Create a task that comes after another, in the same spec.')
        .argument('<id>', 'the other task')
        .argument('<new>', 'the id of the new one')
        .argument('<title>'),
    ).action(async (of, id, title, options) =>
      finish(await (await actions()).followUp(of, { id, title }, options)),
    )
    addFields(command.command('edit').description('Change a task.').argument('<id>'))
      .option('--title <text>')
      .addOption(
        new Option('--status <status>', 'pending: work on it again').choices(['pending', 'cancelled']),
      )
      .action(async (id, options) => finish(await (await actions()).edit(id, options)))
    command
      .command('plan')
      .description('Have an agent turn a specification into tasks. It asks you before it adds them.')
      .argument('<file>', 'the specification; - for standard input')
      .option('--spec <id>', "the spec of the tasks (default: the file's name)")
      .option('--yes', 'add them without asking')
      .option('-a, --agent <name>', 'the agent, if agents.planner names none')
      .option('--model <model>', 'the model of the agent')
      .option('--trust', "allow what this project's files decide")
      .option(...PROJECT_DIR)
      .action(async (file, options) => finish(await (await import('../actions.ts')).planTasks(file, options)))
    command
      .command('import')
      .description('Import tasks from YAML or JSON: all of them, or none.')
      .argument('<file>', '- for standard input')
      .option('--spec <id>', "the spec of tasks that name none (default: the file's name)")
      .option(...PROJECT_DIR)
      .action(async (file, options) => finish(await (await actions()).importFile(file, options)))
    command
      .command('export')
      .description('Print tasks as YAML, as import takes them.')
      .argument('[ids...]')
      .option('--spec <id>', 'those of one spec')
      .option('--json', 'as JSON')
      .option(...PROJECT_DIR)
      .action(async (ids, options) => finish(await (await actions()).exportTasks(ids, options)))
    command
      .command('list')
      .description('List tasks.')
      .option('--spec <id>', 'those of one spec')
      .option('--status <status>', 'pending, in_progress, completed, failed, blocked or cancelled')
      .option('--json', 'as JSON')
      .option(...PROJECT_DIR)
      .action(async options => finish(await (await actions()).list(options)))
    command
      .command('show')
      .description('Show a task and what "done" means for it.')
      .argument('<id>')
      .option('--json', 'as JSON')
      .option(...PROJECT_DIR)
      .action(async (id, options) => finish(await (await actions()).show(id, options)))
    command
      .command('rm')
      .description('Remove tasks that no other task depends on.')
      .argument('<ids...>')
      .option(...PROJECT_DIR)
      .action(async (ids, options) => finish(await (await actions()).remove(ids, options)))
  },
}
