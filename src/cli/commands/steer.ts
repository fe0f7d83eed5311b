import type { Command } from 'commander'

export type SteerOptions = { projectDir: string; json?: boolean }

const RUN = 'its id, or the beginning or end of it; default: the latest unfinished run of this folder'

/** The commands that look at a run, or ask something of it. */
export function addSteering(program: Command, finish: (code: number) => void): void {
  const command = (name: string, description: string, example: string) =>
    program
      .command(name)
      .description(description)
      .option('-C, --project-dir <dir>', 'the project', '.')
      .addHelpText('after', `\nExample:\n  ${example}`)
  const actions = () => import('../actions.ts')

  command(
    'status',
    'How a run stands: running, paused, crashed or finished, and how to go on.',
    'ralph status',
  )
    .argument('[run]', RUN.replace('unfinished run', 'run'))
    .option('--json', 'as one JSON object')
    .action(async (name: string | undefined, options: SteerOptions) =>
      finish((await actions()).showStatus(name, options)),
    )
  command('pause', 'Let the running agent finish, then start no other until `ralph resume`.', 'ralph pause')
    .argument('[run]', RUN)
    .action(async (name: string | undefined, options: SteerOptions) =>
      finish((await actions()).pauseRun(name, options)),
    )
  command('cancel', 'End a run now, for good; what it did stays.', 'ralph cancel 20260301-221530-k3f')
    .argument('[run]', RUN)
    .action(async (name: string | undefined, options: SteerOptions) =>
      finish((await actions()).cancelRun(name, options)),
    )
  command(
    'tell',
    'Give an instruction that stands in all later prompts of a run.',
    'ralph tell k3f "Use the new API"',
  )
    .argument('<run>', 'its id, or the beginning or end of it')
    .argument('<text...>', 'the instruction')
    .action(async (name: string, words: string[], options: SteerOptions) =>
      finish((await actions()).tellRun(name, words.join(' '), options)),
    )
}
