import type { Command } from 'commander'
import type { StatusOptions } from '../../runs/status.ts'
import type { SteerOptions } from '../../runs/steer.ts'
import { PROJECT_DIR, type Verb } from './verb.ts'

const RUN = 'its id, or the beginning or end of it; default: the latest unfinished run of this project'

const actions = () => import('../actions.ts')

const inProject = (command: Command, example: string): Command =>
  command
    .option(...PROJECT_DIR)
    .addHelpText('after', `\n${example.includes('\n') ? 'Examples' : 'Example'}:\n  ${example}`)

export const statusVerb: Verb = {
  name: 'status',
  summary: 'Show the status of a run: running, paused, crashed or finished, and how to continue.',
  define: (command, { finish, io }) =>
    inProject(command, 'ralph status')
      .argument('[run]', RUN.replace('unfinished run', 'run'))
      .option('--json', 'as one JSON object')
      .action(async (name: string | undefined, options: StatusOptions) =>
        finish((await actions()).showStatus(name, options, io)),
      ),
}

export const pauseVerb: Verb = {
  name: 'pause',
  summary: 'Let the running agent finish, then start no other until `ralph resume`.',
  define: (command, { finish, io }) =>
    inProject(command, 'ralph pause')
      .argument('[run]', RUN)
      .action(async (name: string | undefined, options: SteerOptions) =>
        finish(await (await actions()).pauseByName(name, options, io)),
      ),
}

export const cancelVerb: Verb = {
  name: 'cancel',
  summary: 'End a run now, for good, or one task of it; its changes are kept.',
  define: (command, { finish, io }) =>
    inProject(
      command,
      `ralph cancel 20260301-221530-k3f
  ralph cancel k3f/TASK-2            one task of it; the other tasks continue`,
    )
      .argument('[run]', `${RUN}; after a slash, a task`)
      .action(async (name: string | undefined, options: SteerOptions) =>
        finish(await (await actions()).cancelByName(name, options, io)),
      ),
}

export const tellVerb: Verb = {
  name: 'tell',
  summary: 'Add an instruction to all later prompts of a run, or of one task.',
  define: (command, { finish, io }) =>
    inProject(
      command,
      `ralph tell "Use the new API"
  ralph tell 3 "Postgres"            the answer to a task's question; a blocked task continues
  ralph tell k3f 3 "Postgres"        in another run, by the end of its id`,
    )
      .usage('[options] [run] [task] <text...>')
      .argument(
        '<words...>',
        'the instruction. Before it: the run (default: the latest unfinished one of this project), and a task, if only this task gets it',
      )
      .action(async (words: string[], options: SteerOptions) =>
        finish(await (await actions()).tellByName(words, options, io)),
      ),
}
