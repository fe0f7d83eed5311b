import type { Verb } from '../verb.ts'

export const trust: Verb = {
  name: 'trust',
  summary: "Allow what this project's .ralph settings run, pass on or loosen.",
  define: (command, { finish }) =>
    command
      .option('-C, --project-dir <dir>', 'the project', '.')
      .addHelpText(
        'after',
        '\nExample:\n  ralph trust        shows the commands and allows them until they change',
      )
      .action(async (options: { projectDir: string }) => {
        const { trustProject } = await import('../../actions.ts')
        finish(trustProject(options.projectDir))
      }),
}
