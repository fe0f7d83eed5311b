import type { Verb } from './verb.ts'

const EXAMPLE = `
Example:
  ralph init                  asks for the agent, its limits, and the commands that verify its work,
                              and writes .ralph/settings.json; Ctrl+C leaves everything as it was`

export const init: Verb = {
  name: 'init',
  summary: "Write this project's settings by answering questions.",
  define: (command, { finish }) =>
    command
      .option('-C, --project-dir <dir>', 'the project', '.')
      .addHelpText('after', EXAMPLE)
      .action(async (options: { projectDir: string }) => {
        const { initProject } = await import('../actions.ts')
        finish(await initProject(options.projectDir))
      }),
}
