import { PROJECT_DIR, type Verb } from '../verb.ts'
import type { SandboxVerb } from './manage-sandboxes.ts'

const HELP = `
Examples:
  ralph sandbox check                    whether srt works here, and what is missing
  ralph sandbox check docker             try Docker's sbx on a scratch project, step by step
  ralph sandbox allow registry.example   the latest unfinished run of this project may reach this host
  ralph run -p "…" --sandbox             in Docker's sandbox; --sandbox=srt for srt, --no-sandbox for none

A Docker sandbox is a virtual machine that stays until you remove it; setup, ls, stop, rm and shell manage it.
More: https://docs.docker.com/ai/sandboxes/ and https://docs.docker.com/reference/cli/sbx/`

/** The commands about Docker's sandboxes: the name, what it does, and its options besides the project. */
const DOCKER: readonly [SandboxVerb, string, ...[flags: string, description: string][]][] = [
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

export const sandboxVerb: Verb = {
  name: 'sandbox',
  summary: "Check whether a sandbox works here, manage Docker's sandboxes, or let a run reach a host.",
  define: (command, { finish, io }) => {
    command.addHelpText('after', HELP)
    command
      .command('check')
      .description('Run a program in a sandbox; if that fails, say what is missing.')
      .argument('[which]', 'srt or docker', 'srt')
      .option('-a, --agent <name>', 'docker: the agent to make the sandbox for (claude)')
      .action(async (which: string, options: { agent?: string }) => {
        const { checkSandbox } = await import('../../actions.ts')
        finish(await checkSandbox(which, options, io))
      })
    for (const [words, does, ...options] of DOCKER) {
      const verb = command
        .command(words)
        .description(does)
        .option(...PROJECT_DIR)
      for (const option of options) verb.option(...option)
      verb.action(async (...given: unknown[]) => {
        const { manageSandboxes } = await import('../../actions.ts')
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
      .action(async (words: string[], options: { projectDir?: string }) => {
        const { allowByName } = await import('../../actions.ts')
        finish(await allowByName(words, options, io))
      })
    return command
  },
}
