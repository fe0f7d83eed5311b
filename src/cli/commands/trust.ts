import type { Command } from 'commander'

export function addTrust(program: Command, finish: (code: number) => void): void {
  program
    .command('trust')
    .description("Allow what this project's .ralph settings run, pass on or loosen.")
    .option('-C, --project-dir <dir>', 'the project', '.')
    .addHelpText(
      'after',
      '\nExample:\n  ralph trust        shows the commands and allows them until they change',
    )
    .action(async (options: { projectDir: string }) => {
      const { trustProject } = await import('../actions.ts')
      finish(trustProject(options.projectDir))
    })
}
