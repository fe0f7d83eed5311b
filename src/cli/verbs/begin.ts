import { Argument } from 'commander'
import { PROJECT_DIR, type Verb } from './verb.ts'

const DEMO_SCENES = ['run', 'build', 'stories', 'pipeline'] as const

export type DemoName = (typeof DEMO_SCENES)[number]

const DEMO_EXAMPLES = `
Examples:
  ralph demo           one prompt, until its tests pass
  ralph demo build     a goal becomes a list of tasks, which are done one by one
  ralph demo stories   each story is reviewed in a fresh context
  ralph demo pipeline  a task through coder, reviewer, tester and qa; every promise is verified`

const demoVerb: Verb = {
  name: 'demo',
  summary: 'See a whole run on a scratch project: a scripted agent, no key, no network.',
  define: command =>
    command
      .addArgument(new Argument('[which]').choices(DEMO_SCENES).default(DEMO_SCENES[0]))
      .addHelpText('after', DEMO_EXAMPLES),
  act: ({ showDemo }, _, which: DemoName) => showDemo(which),
}

/** The demo's scripted agent, a process like any other. */
export const demoAgentVerb: Verb = {
  name: 'demo-agent',
  summary: '',
  hidden: true,
  define: command => command,
  act: ({ demoAgent }) => demoAgent(),
}

export type DoctorOptions = { env?: boolean; projectDir?: string; json?: boolean }

const DOCTOR_HELP = `
Examples:
  ralph doctor
  ralph doctor --env                 also what the agent and the checks would see
  ralph doctor --json | jq .pick     the same facts for programs

Names of environment variables are shown, values never; no credential file is opened.

Exit codes: 0 ralph can run here · 1 it cannot (the last line says why) · 2 bad usage`

const doctorVerb: Verb = {
  name: 'doctor',
  summary: 'Show which agents and tools are here, what is missing, and how to get it.',
  define: command =>
    command
      .option('--env', 'also which environment variables an agent and the checks would get')
      .option(...PROJECT_DIR)
      .option('--json', 'the facts as one JSON object')
      .addHelpText('after', DOCTOR_HELP),
  act: ({ diagnose }, _, options: DoctorOptions) => diagnose(options),
}

export type InitOptions = {
  projectDir?: string
  ralphDir: string
  name?: string
  force?: boolean
  yes?: boolean
}

const INIT_EXAMPLES = `
Examples:
  ralph init                       asks for the agent, its limits, and the commands that verify its work, and writes .ralph/settings.json; Ctrl+C leaves everything as it was
  ralph init --yes                 the same without questions
  ralph init prompt                PROMPT.md, for ralph run -f PROMPT.md
  ralph init stories --name cart   ralph/ with prd.md, tasks.json, progress.txt and prompt.md`

const initVerb: Verb = {
  name: 'init',
  summary:
    "Create this project's settings by answering questions, a PROMPT.md, or the folder of a story loop.",
  define: (command, { finish }) =>
    command
      .addArgument(
        new Argument(
          '[what]',
          'prompt: a PROMPT.md to start from; stories: the folder of a story loop',
        ).choices(['prompt', 'stories']),
      )
      .option('--yes', 'ask nothing: use the first agent and every check found')
      .option('--name <name>', 'with stories: what to build; works on the branch ralph/<name>')
      .option('--force', 'with prompt or stories: overwrite what is there')
      .option('--ralph-dir <dir>', 'with stories: the folder', 'ralph')
      .option(...PROJECT_DIR)
      .addHelpText('after', INIT_EXAMPLES)
      .action(async (what: 'prompt' | 'stories' | undefined, options: InitOptions) => {
        const { initProject, initPrompt, initStories } = await import('../actions.ts')
        if (what !== undefined && options.yes)
          command.error('error: --yes is for the questions of: ralph init')
        if (what === 'prompt') finish(initPrompt(options))
        else finish(await (what === 'stories' ? initStories(options) : initProject(options)))
      }),
}

const TEMPLATE_NAMES = ['prompt', 'prd', 'tasks', 'progress', 'prompt-stories'] as const

export type TemplateChoice = (typeof TEMPLATE_NAMES)[number]

const templateVerb: Verb = {
  name: 'template',
  summary: 'Print a template: a prompt, or a file of a story loop.',
  define: command =>
    command
      .addArgument(new Argument('[name]', 'which').choices(TEMPLATE_NAMES).default('prompt'))
      .addHelpText('after', '\nExample:\n  ralph template > BUILD_PROMPT.md'),
  act: ({ printTemplate }, io, name: TemplateChoice) => printTemplate(name, io),
}

export const BEGIN: readonly Verb[] = [demoVerb, doctorVerb, initVerb, templateVerb]
