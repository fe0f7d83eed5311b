import { PROJECT_DIR, type Verb } from '../verb.ts'
import type { SandboxVerb } from './manage-sandboxes.ts'

const HELP = `
Examples:
  ralph sandbox check                    is srt there, and how to get what is missing
  ralph sandbox check docker             try Docker's sbx on a scratch project, step by step
  ralph sandbox allow registry.example   the latest unfinished run of this project may reach this host
  ralph run -p "…" --sandbox             work in docker's; --sandbox=srt in the other, --no-sandbox in none

Docker's sandboxes are small machines that stay until they are removed; setup, ls, stop, rm and shell are about them.
More: https://docs.docker.com/ai/sandboxes/ and https://docs.docker.com/reference/cli/sbx/`

/** The commands about docker's sandboxes: the name, what it does, and its options beside the project. */
const DOCKER: readonly [SandboxVerb, string, ...[flags: string, description: string][]][] = [
  [
    'setup',
    'Make the sandbox of this project ready before a run.',
    ['-a, --agent <name>', 'the agent to make it for'],
  ],
  ['ls', 'List those that ralph made, of all projects.'],
  [
    'stop [name]',
    'Stop that of this project, or the one that is named; what is in it stays.',
    ['--all', 'all that ralph made'],
  ],
  [
    'rm [name]',
    'Remove that of this project, or the one that is named; work that is only inside is kept in git.',
    ['--all', 'all that ralph made'],
    ['--force', 'also if what is inside cannot be kept'],
  ],
  ['shell', 'Open a shell in that of this project.'],
]

export const sandbox: Verb = {
  name: 'sandbox',
  summary: 'Isolation: see whether it works here, look after sandboxes, or let a run reach a host.',
  define: (command, { finish, io }) => {
    command.addHelpText('after', HELP)
    command
      .command('check')
      .description('Run a program inside, and say what is missing.')
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
      .description('Let a run reach a host that its sandbox kept it from, from now on.')
      .usage('[options] [run] <host>')
      .argument('<words...>', 'the host; before it the run, if not the latest unfinished one of this project')
      .option(...PROJECT_DIR)
      .action(async (words: string[], options: { projectDir?: string }) => {
        const { allowHost } = await import('../../actions.ts')
        finish(await allowHost(words, options, io))
      })
    return command
  },
}
