import type { CommonOptions } from '../../../host/start.ts'
import type { SpawnOptions } from '../../../workers/spawn.ts'
import { addCommonOptions } from '../common.ts'
import type { Verb } from '../verb.ts'

export type PipelineOptions = CommonOptions & SpawnOptions & { spec?: string }

const EXAMPLES = `
Examples:
  ralph task import tasks.yaml           tasks that say what "done" means
  ralph pipeline                         all open tasks: coder, reviewer, tester, qa
  ralph pipeline TASK-1 TASK-2           these
  ralph pipeline --spec auth -m 40       those of one spec, at most 40 iterations in all
  ralph demo pipeline                    see one, no key and no network needed`

export const pipelineVerb: Verb = {
  name: 'pipeline',
  takesCommand: true,
  summary: 'Take tasks through coder, reviewer, tester and qa; every promise is verified.',
  define: (command, { agentCommand, finish, io }) =>
    addCommonOptions(
      command
        .usage('[options] [TASK…] [-- COMMAND ARGS…]')
        .argument('[tasks...]')
        .option('--spec <id>', 'the open tasks of one spec'),
      'no limit',
      true,
    )
      .addHelpText('after', EXAMPLES)
      .action(async (tasks: string[], options: PipelineOptions) => {
        const { startPipeline } = await import('../../actions.ts')
        finish(await startPipeline(tasks, options, agentCommand, io))
      }),
}
