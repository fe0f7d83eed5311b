import { PROJECT_DIR, type Verb } from '../verb.ts'

export type DoctorOptions = { env?: boolean; projectDir?: string; json?: boolean }

const HELP = `
Examples:
  ralph doctor
  ralph doctor --env                 also what the agent and the checks would see
  ralph doctor --json | jq .pick     the same facts for programs

Names of environment variables are shown, values never; no credential file is opened.

Exit codes: 0 ralph can run here · 1 it cannot (the last line says why) · 2 bad usage`

export const doctorVerb: Verb = {
  name: 'doctor',
  summary: 'Show which agents and tools are here, what is missing, and how to get it.',
  define: (command, { finish }) =>
    command
      .option('--env', 'also which environment variables an agent and the checks would get')
      .option(...PROJECT_DIR)
      .option('--json', 'the facts as one JSON object')
      .addHelpText('after', HELP)
      .action(async (options: DoctorOptions) => {
        const { diagnose } = await import('../../actions.ts')
        finish(await diagnose(options))
      }),
}
