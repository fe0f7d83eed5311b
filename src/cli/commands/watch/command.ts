import type { Verb } from '../verb.ts'

const EXAMPLES = `
Examples:
  ralph watch                  all runs and workers; those that need you are on top
  ralph watch cart             one worker, or one run by its id
  ralph run -f PROMPT.md --tui start a run with its screen open

Inside, ? shows the keys. Leaving it (q) stops no run.`

export const watchVerb: Verb = {
  name: 'watch',
  summary: 'Watch and steer all runs, or one, on a full screen.',
  define: (command, { finish, io }) =>
    command
      .argument('[run]', 'the name of a worker, or the id of a run, or the beginning or end of it')
      .addHelpText('after', EXAMPLES)
      .action(async (name: string | undefined) => {
        const { watchRuns } = await import('../../actions.ts')
        finish(await watchRuns(name, io))
      }),
}
