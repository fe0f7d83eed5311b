import { Option } from 'commander'
import { positiveAmount, positiveInteger, positiveSeconds, timeSpan } from '../numbers.ts'
import type { Verb } from './verb.ts'

export type RunOptions = {
  prompt?: string
  promptFile?: string
  agent?: string
  model?: string
  maxIterations?: number
  maximumIterations?: number
  completionResponse?: string
  donePattern?: string
  streamAgentOutput?: boolean
  inactivityTimeout?: number
  iterationTimeout?: number
  once?: boolean
  branch?: string
  maxTime?: number
  maxCost?: number
  maxTokens?: number
  projectDir: string
  shared?: boolean
  json?: boolean
  quiet?: boolean
  verbose?: boolean
  dryRun?: boolean
  trust?: boolean
}

const EXAMPLES = `
Examples:
  ralph run -p "Make the tests pass"
  ralph run -f PROMPT.md -m 20 --model opus
  ralph run -f PROMPT.md -c SHIPPED            done when the agent says <response>SHIPPED</response>
  ralph run -f PROMPT.md -c '' -m 5            no condition: five iterations
  ralph run -f PROMPT.md --branch ralph/cart --max-cost 5 --max-time 8h
  ralph run -f PROMPT.md -- ./my-agent --fast  any command; the prompt comes on standard input`

export const run: Verb = {
  name: 'run',
  summary: 'Loop an agent on one prompt until it is verified done.',
  define: (command, { agentCommand, finish }) =>
    command
      .usage('(-p TEXT | -f FILE) [options] [-- COMMAND ARGS…]')
      .option('-p, --prompt <text>', 'the prompt')
      .option('-f, --prompt-file <file>', 'a file with the prompt, read anew for every iteration')
      .option('-a, --agent <name>', 'claude, codex, amp, opencode, gemini, copilot, demo, or a program')
      .option('--model <model>', 'the model, as the agent names it')
      .addOption(new Option('-m, --max-iterations <n>', 'stop after so many (10)').argParser(positiveInteger))
      .addOption(new Option('-n, --maximum-iterations <n>').argParser(positiveInteger).hideHelp())
      .option('--once', 'one iteration; 0 if it ended well and green')
      .option(
        '-c, --completion-response <text>',
        "what the agent's <response> must say (DONE); '' for no condition",
      )
      .option('--done-pattern <regex>', "done when this matches the agent's final text")
      .option('--stream-agent-output', 'show what the agent does as it happens (default)')
      .option(
        '--no-stream-agent-output',
        'text mode: how it goes in one line, instead of what the agent says',
      )
      .addOption(
        new Option('--inactivity-timeout <s>', 'end an agent that is silent for so long (300)').argParser(
          positiveSeconds,
        ),
      )
      .addOption(
        new Option('--iteration-timeout <s>', 'end an iteration after so long (7200)').argParser(
          positiveSeconds,
        ),
      )
      .addOption(new Option('--max-time <time>', 'stop after so long: 90s, 30m, 2h').argParser(timeSpan))
      .addOption(new Option('--max-cost <usd>', 'stop when so much is spent').argParser(positiveAmount))
      .addOption(new Option('--max-tokens <n>', 'stop when so many are used').argParser(positiveInteger))
      .option('--branch <name>', 'work on a new branch')
      .option('-C, --project-dir <dir>', 'the project', '.')
      .option('--shared', 'run although another run is at work in this folder')
      .option('--json', 'run events as NDJSON on standard output')
      .option('-q, --quiet', 'only the end and warnings')
      .option('-V, --verbose', 'also say what is loaded, called and tested, on standard error')
      .option('--dry-run', 'show what would run, and start nothing')
      .option('--trust', "allow this project's commands, and remember it")
      .addHelpText('after', EXAMPLES)
      .action(async (options: RunOptions) => {
        const { startRun } = await import('../actions.ts')
        finish(await startRun(options, agentCommand))
      }),
}
