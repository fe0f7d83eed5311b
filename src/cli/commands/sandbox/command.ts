import { PROJECT_DIR, type Verb } from '../verb.ts'

const HELP = `
Examples:
  ralph sandbox check                    what works here, and how to get what is missing
  ralph sandbox allow registry.example   the latest unfinished run of this project may reach this host
  ralph run -p "…" --sandbox=srt         work in it; without --sandbox, ralph takes the strongest that works`

export const sandbox: Verb = {
  name: 'sandbox',
  summary: 'Isolation: see whether it works here, or let a run reach a host that it was kept from.',
  define: (command, { finish, io }) => {
    command.addHelpText('after', HELP)
    command
      .command('check')
      .description('Run a program inside, and say what is missing.')
      .action(async () => {
        const { checkSandbox } = await import('../../actions.ts')
        finish(await checkSandbox(io))
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
