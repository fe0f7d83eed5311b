import { Argument, Option } from 'commander'
import type { GcOptions } from '../../runs/gc.ts'
import type { SandboxVerb } from '../commands/sandbox/manage-sandboxes.ts'
import { zeroOrMore } from './options.ts'
import { PROJECT_DIR, type Verb } from './verb.ts'

const actions = () => import('../actions.ts')

const trustVerb: Verb = {
  name: 'trust',
  summary: "Allow what this project's files decide: what runs and what counts.",
  define: command =>
    command
      .option(...PROJECT_DIR)
      .addHelpText('after', '\nExample:\n  ralph trust        shows it all, and allows it until it changes'),
  act: ({ trustProject }, _, options: { projectDir?: string }) => trustProject(options.projectDir),
}

const SANDBOX_HELP = `
Examples:
  ralph sandbox check                    whether srt works here, and what is missing
  ralph sandbox check docker             try Docker's sbx on a scratch project, step by step
  ralph sandbox allow registry.example   the latest unfinished run of this project may reach this host
  ralph run -p "…" --sandbox             in Docker's sandbox; --sandbox=srt for srt, --no-sandbox for none

A Docker sandbox is a virtual machine that stays until you remove it; setup, ls, stop, rm and shell manage it.
More: https://docs.docker.com/ai/sandboxes/ and https://docs.docker.com/reference/cli/sbx/`

/** The commands about Docker's sandboxes: the name, what it does, and its options other than the project. */
const SANDBOX_DOCKER: readonly [SandboxVerb, string, ...[flags: string, description: string][]][] = [
  [
    'setup',
    "Make this project's sandbox ready before a run.",
    ['-a, --agent <name>', 'the agent to make it for'],
  ],
  ['ls', 'List the sandboxes that ralph made, of all projects.'],
  [
    'stop [name]',
    "Stop this project's sandbox, or the one you name; its files are kept.",
    ['--all', 'all sandboxes that ralph made'],
  ],
  [
    'rm [name]',
    "Remove this project's sandbox, or the one you name, after its work was fetched into git.",
    ['--all', 'all sandboxes that ralph made'],
    ['--force', 'even if the work in it cannot be fetched'],
  ],
  ['shell', "Open a shell in this project's sandbox."],
]

const sandboxVerb: Verb = {
  name: 'sandbox',
  summary: "Check whether a sandbox works here, manage Docker's sandboxes, or let a run reach a host.",
  define: (command, { finish, io }) => {
    command.addHelpText('after', SANDBOX_HELP)
    command
      .command('check')
      .description('Run a program in a sandbox; if that fails, say what is missing.')
      .argument('[which]', 'srt or docker', 'srt')
      .option('-a, --agent <name>', 'docker: the agent to make the sandbox for (claude)')
      .action(async (which: string, options: { agent?: string }) =>
        finish(await (await actions()).checkSandbox(which, options, io)),
      )
    for (const [words, does, ...options] of SANDBOX_DOCKER) {
      const verb = command
        .command(words)
        .description(does)
        .option(...PROJECT_DIR)
      for (const option of options) verb.option(...option)
      verb.action(async (...given: unknown[]) => {
        const { manageSandboxes } = await import('../actions.ts')
        const name = typeof given[0] === 'string' ? given[0] : undefined
        finish(await manageSandboxes[words](name, verb.opts(), io))
      })
    }
    command
      .command('allow')
      .description('Let a run reach a host that its sandbox refused, from now on.')
      .usage('[options] [run] <host>')
      .argument(
        '<words...>',
        'the host. Before it: the run (default: the latest unfinished one of this project)',
      )
      .option(...PROJECT_DIR)
      .action(async (words: string[], options: { projectDir?: string }) =>
        finish(await (await actions()).allowByName(words, options, io)),
      )
    return command
  },
}

const judgeVerb: Verb = {
  name: 'judge',
  summary: 'Check whether the judge of semantic verification can be relied on.',
  define(command, { finish }) {
    command.usage('check').addHelpText('after', '\nExample:\n  ralph judge check')
    command
      .command('check')
      .description('Show the judge good changes, bad ones, and bad ones that try to persuade it.')
      .option('--again', 'even if this version and model were checked before')
      .option('--trust', "allow what this project's files decide")
      .option(...PROJECT_DIR)
      .action(async options => finish(await (await import('../actions.ts')).checkProjectJudge(options)))
  },
}

export type ArchiveOptions = { projectDir?: string; ralphDir: string; label?: string; force?: boolean }

const ARCHIVE_EXAMPLES = `
Examples:
  ralph archive                  moves it to ralph-archive/<date>-<branch>/, with a summary, and commits it
  ralph archive --label v2

The prompt stays; prd.md, tasks.json and progress.txt are replaced with fresh ones.`

const archiveVerb: Verb = {
  name: 'archive',
  summary: 'Archive a finished story loop, with a summary.',
  define: command =>
    command
      .option('--label <label>', 'what to call it, instead of its branch')
      .option('--force', 'even if stories are not completed')
      .option('--ralph-dir <dir>', 'the folder with the stories', 'ralph')
      .option(...PROJECT_DIR)
      .addHelpText('after', ARCHIVE_EXAMPLES),
  act: ({ archiveStories }, _, options: ArchiveOptions) => archiveStories(options),
}

const GC_HELP = `
The newest runs are kept. Of older runs only the receipt is kept: \`ralph report\` still shows it, but you cannot diff or undo them. Runs that are active or not finished are never deleted. Ralph asks before it deletes a run that ended at a limit, because it could be resumed.

Examples:
  ralph gc --dry-run         what would be deleted
  ralph gc --keep 5          of this project's runs
  ralph gc --all             of every project's

Exit codes: 0 · 2 bad usage`

const gcVerb: Verb = {
  name: 'gc',
  summary: 'Delete the prompts, streams and logs of old runs; their receipts are kept.',
  define: command =>
    command
      .addOption(
        new Option('--keep <n>', 'keep this many of the newest runs').argParser(zeroOrMore).default(20),
      )
      .option('--all', 'of every project, not only of this project')
      .option('--yes', 'delete runs that can be resumed without asking')
      .option('--dry-run', 'only show what would be deleted')
      .option(...PROJECT_DIR)
      .addHelpText('after', GC_HELP),
  act: ({ collectGarbage }, io, options: GcOptions) => collectGarbage(options, io),
}

const PLUGIN_ACTIONS = ['path', 'install', 'uninstall'] as const

export type PluginAction = (typeof PLUGIN_ACTIONS)[number]

const PLUGIN_HELP = `
Ralph gives the plugin to every claude that it runs. Install it to have it in your own sessions too.

Examples:
  ralph plugin install                                   for all your sessions
  claude --plugin-dir "$(ralph plugin path)"             for one session
  ralph plugin uninstall`

const pluginVerb: Verb = {
  name: 'plugin',
  summary: 'The Claude Code plugin: show where it is, install it in your own claude, or uninstall it.',
  define: command =>
    command
      .addArgument(new Argument('<path|install|uninstall>', 'what to do').choices(PLUGIN_ACTIONS))
      .addHelpText('after', PLUGIN_HELP),
  act: ({ managePlugin }, _, action: PluginAction) => managePlugin(action),
}

const COMPLETIONS_SHELLS = ['bash', 'zsh', 'fish'] as const

export type Shell = (typeof COMPLETIONS_SHELLS)[number]

const COMPLETIONS_HELP = `
Install it once. It asks ralph itself, so it is never out of date:
  bash   ralph completions bash > ~/.ralph.bash
         echo '. ~/.ralph.bash' >> ~/.bashrc
  zsh    ralph completions zsh > "\${fpath[1]}/_ralph"
  fish   ralph completions fish > ~/.config/fish/completions/ralph.fish

Examples:
  eval "$(ralph completions bash)"     for this shell only
  ralph completions fish | source      the same in fish`

const completionsVerb: Verb = {
  name: 'completions',
  summary: 'Print a script that lets a shell complete commands, options and their values.',
  define: command =>
    command
      .addArgument(new Argument('<bash|zsh|fish>', 'the shell').choices(COMPLETIONS_SHELLS))
      .addHelpText('after', COMPLETIONS_HELP),
  act: ({ printCompletions }, _, shell: Shell) => printCompletions(shell),
}

export const UPKEEP: readonly Verb[] = [
  trustVerb,
  sandboxVerb,
  judgeVerb,
  archiveVerb,
  gcVerb,
  pluginVerb,
  completionsVerb,
]
