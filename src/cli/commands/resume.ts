import { Option } from 'commander'
import type { ResumeOptions } from '../../host/resume.ts'
import { positiveAmount, positiveInteger, timeSpan } from './numbers.ts'
import { PROJECT_DIR, type Verb } from './verb.ts'

export const resumeVerb: Verb = {
  name: 'resume',
  summary: 'Continue a run that was interrupted, crashed, or ended at a limit.',
  define: (command, { finish, io }) =>
    command
      .argument(
        '[run]',
        'its id, or the beginning or end of it; default: the latest unfinished run of this project',
      )
      .option('-a, --agent <name>', 'continue with another agent')
      .option('--model <model>', 'continue with another model')
      .addOption(
        new Option('-m, --max-iterations <n>', 'a new limit, all iterations counted').argParser(
          positiveInteger,
        ),
      )
      .addOption(
        new Option('--max-time <time>', 'a new limit, counted from now: 30m, 2h').argParser(timeSpan),
      )
      .addOption(
        new Option('--max-cost <usd>', 'a new limit, all spending counted').argParser(positiveAmount),
      )
      .addOption(new Option('--max-tokens <n>', 'a new limit, all tokens counted').argParser(positiveInteger))
      .option(...PROJECT_DIR)
      .option('-y, --yes', 'continue in another folder, named by -C, without asking')
      .option('--shared', 'run even if another run is at work in this folder')
      .option('--tui', 'show the run on a full screen; q leaves it and stops nothing')
      .option('--json', 'print run events as NDJSON on standard output')
      .option('-q, --quiet', 'show only the end and warnings')
      .addHelpText(
        'after',
        '\nExamples:\n  ralph resume\n  ralph resume 20260301-221530-k3f -m 30\n  ralph resume -a codex --model gpt-6-sol',
      )
      .action(async (name: string | undefined, options: ResumeOptions) => {
        const { resumeAny } = await import('../actions.ts')
        finish(await resumeAny(name, options, io))
      }),
}
