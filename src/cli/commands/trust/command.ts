import { PROJECT_DIR, type Verb } from '../verb.ts'

export const trustVerb: Verb = {
  name: 'trust',
  summary: "Allow what this project's files decide: what runs and what counts.",
  define: (command, { finish }) =>
    command
      .option(...PROJECT_DIR)
      .addHelpText('after', '\nExample:\n  ralph trust        shows it all, and allows it until it changes')
      .action(async (options: { projectDir?: string }) => {
        const { trustProject } = await import('../../actions.ts')
        finish(trustProject(options.projectDir))
      }),
}
