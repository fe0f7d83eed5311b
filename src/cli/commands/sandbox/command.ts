import { PROJECT_DIR, type Verb } from '../verb.ts'
import type { SandboxOptions } from './manage-sandboxes.ts'

const HELP = `
Examples:
  ralph sandbox check                    is srt there, and how to get what is missing
  ralph sandbox check docker             try Docker's sbx on a scratch project, step by step
  ralph sandbox allow registry.example   the latest unfinished run of this project may reach this host
  ralph run -p "…" --sandbox             work in docker's; --sandbox=srt in the other, --no-sandbox in none

Docker's sandboxes are small machines that stay until they are removed: setup, ls, stop, rm and shell are about them.
How to get sbx, and what it does: https://docs.docker.com/ai/sandboxes/
All commands of sbx: https://docs.docker.com/reference/cli/sbx/`

const NAME = 'its name, as ls shows it; default: that of this project'

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
    command
      .command('setup')
      .description("Make docker's sandbox of this project ready before a run.")
      .option('-a, --agent <name>', 'the agent to make it for; default: the one that a run would take')
      .option(...PROJECT_DIR)
      .action(async (options: SandboxOptions) => {
        const { setUpSandbox } = await import('../../actions.ts')
        finish(await setUpSandbox(options, io))
      })
    command
      .command('ls')
      .description("Docker's sandboxes that ralph made, of all projects.")
      .action(async () => {
        const { listSandboxesHere } = await import('../../actions.ts')
        finish(await listSandboxesHere(io))
      })
    command
      .command('stop')
      .description("Stop docker's sandbox of this project; what is in it stays.")
      .argument('[name]', NAME)
      .option('--all', 'all that ralph made')
      .option(...PROJECT_DIR)
      .action(async (name: string | undefined, options: SandboxOptions) => {
        const { stopSandboxes } = await import('../../actions.ts')
        finish(await stopSandboxes(name, options, io))
      })
    command
      .command('rm')
      .description("Remove docker's sandbox of this project; work that is only inside is kept in git first.")
      .argument('[name]', NAME)
      .option('--all', 'all that ralph made')
      .option('--force', 'also if what is inside cannot be kept')
      .option(...PROJECT_DIR)
      .action(async (name: string | undefined, options: SandboxOptions) => {
        const { removeSandboxes } = await import('../../actions.ts')
        finish(await removeSandboxes(name, options, io))
      })
    command
      .command('shell')
      .description("Open a shell in docker's sandbox of this project.")
      .option(...PROJECT_DIR)
      .action(async (options: SandboxOptions) => {
        const { openShell } = await import('../../actions.ts')
        finish(await openShell(options, io))
      })
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
