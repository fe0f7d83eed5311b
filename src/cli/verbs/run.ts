import { Option } from 'commander'
import type { ResumeOptions } from '../../host/resume.ts'
import type { CommonOptions } from '../../host/start.ts'
import type { SpawnOptions } from '../../workers/spawn.ts'
import { addCommonOptions, positiveAmount, positiveInteger, timeSpan } from './options.ts'
import { taskVerb } from './task.ts'
import { PROJECT_DIR, type Verb } from './verb.ts'

const actions = () => import('../run-actions.ts')

export type RunOptions = CommonOptions & {
  prompt?: string
  promptFile?: string
  completionResponse?: string
  donePattern?: string
  untilGreen?: boolean
}

const RUN_EXAMPLES = `
Examples:
  ralph run -p "Make the tests pass"
  ralph run -p "Fix the tests" --check "npm test" --until-green
  ralph run -f PROMPT.md -m 20 --model opus
  ralph run -f PROMPT.md -c SHIPPED            done when the agent says <response>SHIPPED</response>
  ralph run -f PROMPT.md -c '' -m 5            no condition: five iterations
  ralph run -f PROMPT.md --branch ralph/cart --max-cost 5 --max-time 8h
  ralph run -f PROMPT.md -- ./my-agent --fast  any command; the prompt comes on standard input`

export const runVerb: Verb = {
  name: 'run',
  takesCommand: true,
  summary: 'Loop an agent on one prompt until it is verified done.',
  define: (command, { agentCommand, finish, io }) =>
    addCommonOptions(
      command
        .usage('(-p TEXT | -f FILE) [options] [-- COMMAND ARGS…]')
        // It takes none; but somebody who types one should learn where the prompt goes.
        .argument('[words...]')
        .option('-p, --prompt <text>', 'the prompt')
        .option(
          '-f, --prompt-file <file>',
          'a file with the prompt, read again for every iteration; - reads standard input',
        )
        .option(
          '-c, --completion-response <text>',
          "what the agent's <response> must say (DONE); '' for no condition",
        )
        .option('--done-pattern <regex>', 'done when this matches what the agent says')
        .option('--until-green', 'done when the checks are green after an iteration'),
      '10',
    )
      .addHelpText('after', RUN_EXAMPLES)
      .action(async (words: string[], options: RunOptions) =>
        finish(await (await actions()).startPrompt(words, options, agentCommand, io)),
      ),
}

export type BuildOptions = CommonOptions & {
  resume?: string
  refine?: 'ask' | 'auto' | 'off'
  yes?: boolean
  planOnly?: boolean
  tasks?: string
  yolo?: boolean
  featureList?: string
  completionPromise?: string
  completionResponse?: string
  donePattern?: string
  untilGreen?: boolean
}

const BUILD_EXAMPLES = `
Examples:
  ralph build "Add a CSV export to the orders page"
  ralph build docs/spec.md --branch ralph/orders --max-cost 20
  ralph build docs/spec.md --plan-only           make the list, look at it, then: ralph resume
  ralph build --tasks TODO.md                    a list you have: JSON tasks, user stories, a markdown checklist
  ralph build --resume k3f "Use the new API"     continue, with an instruction for all later prompts

The list is .ralph/sessions/<run>/tasks.json; change it between iterations, or at any time with: ralph todo`

const buildVerb: Verb = {
  name: 'build',
  takesCommand: true,
  summary: 'Turn a goal or a specification into a list of tasks, and work through it.',
  define: (command, { agentCommand, finish, io }) =>
    addCommonOptions(
      command
        .usage('"<goal or spec file>" [options] [-- COMMAND ARGS…]')
        .argument('[goal]', 'what to build, or the file that describes it; with --resume, an instruction')
        .option('--resume <run>', 'continue a build, by its id or the beginning or end of it')
        .addOption(
          new Option(
            '--refine <how>',
            'make the goal clearer first: ask shows both, auto uses the new one',
          ).choices(['ask', 'auto', 'off']),
        )
        .option('--yes', 'accept the list without asking')
        .option('--plan-only', 'make the list and stop')
        .option('--tasks <file>', 'work through this list instead of planning one')
        .addOption(new Option('--yolo').hideHelp())
        .addOption(new Option('--feature-list <file>').hideHelp())
        .addOption(new Option('--completion-promise <text>').hideHelp())
        .addOption(new Option('-c, --completion-response <text>').hideHelp())
        .addOption(new Option('--done-pattern <regex>').hideHelp())
        .addOption(new Option('--until-green').hideHelp()),
      'no limit',
      true,
    )
      .addHelpText('after', BUILD_EXAMPLES)
      .action(async (goal: string | undefined, options: BuildOptions) =>
        finish(await (await actions()).startBuild(goal, options, agentCommand, io)),
      ),
}

export type StoriesOptions = CommonOptions & {
  ralphDir: string
  skipReview?: boolean
  reviewCap?: number
  atCap?: 'approve' | 'block'
  completionResponse?: string
  donePattern?: string
  untilGreen?: boolean
}

const STORIES_EXAMPLES = `
Examples:
  ralph init stories --name cart                 ralph/ with prd.md, tasks.json, progress.txt and prompt.md
  ralph stories                                  implement, review by a fresh context, fix, until all are approved
  ralph stories -m 30 --review-cap 3 --at-cap block
  ralph stories --skip-review                    no reviews: green verifyCommands are enough
  ralph archive                                  archive a finished loop, with a summary`

const storiesVerb: Verb = {
  name: 'stories',
  takesCommand: true,
  summary: 'Implement user stories; each is reviewed in a fresh context.',
  define: (command, { agentCommand, finish, io }) =>
    addCommonOptions(
      command
        .usage('[options] [-- COMMAND ARGS…]')
        .option('--ralph-dir <dir>', 'the folder with the stories', 'ralph')
        .option('--skip-review', 'a story is done when it passes and its checks are green')
        .addOption(
          new Option('--review-cap <n>', 'reviews that a story may get (5)').argParser(positiveInteger),
        )
        .addOption(
          new Option(
            '--at-cap <what>',
            'after that: approve it with a warning, or leave it for a person',
          ).choices(['approve', 'block']),
        )
        .addOption(new Option('-c, --completion-response <text>').hideHelp())
        .addOption(new Option('--done-pattern <regex>').hideHelp())
        .addOption(new Option('--until-green').hideHelp()),
      '15',
    )
      .addHelpText('after', STORIES_EXAMPLES)
      .action(async (options: StoriesOptions) =>
        finish(await (await actions()).startStories(options, agentCommand, io)),
      ),
}

export type PipelineOptions = CommonOptions & SpawnOptions & { spec?: string }

const PIPELINE_EXAMPLES = `
Examples:
  ralph task import tasks.yaml           tasks that say what "done" means
  ralph pipeline                         all open tasks: coder, reviewer, tester, qa
  ralph pipeline TASK-1 TASK-2           these
  ralph pipeline --spec auth -m 40       those of one spec, at most 40 iterations in all
  ralph demo pipeline                    see one, no key and no network needed`

const pipelineVerb: Verb = {
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
      .addHelpText('after', PIPELINE_EXAMPLES)
      .action(async (tasks: string[], options: PipelineOptions) =>
        finish(await (await actions()).startPipeline(tasks, options, agentCommand, io)),
      ),
}

const resumeVerb: Verb = {
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
      .action(async (name: string | undefined, options: ResumeOptions) =>
        finish(await (await actions()).resumeAny(name, options, io)),
      ),
}

export const RUN_AN_AGENT: readonly Verb[] = [
  runVerb,
  buildVerb,
  storiesVerb,
  pipelineVerb,
  taskVerb,
  resumeVerb,
]

/** The commands that start a run. After `spawn`, their names mean the same. */
export const STARTERS: readonly Verb[] = [runVerb, buildVerb, storiesVerb, pipelineVerb]
