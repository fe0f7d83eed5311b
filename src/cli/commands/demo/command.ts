import { Argument } from 'commander'
import type { Verb } from '../verb.ts'

const SCENES = ['run', 'build', 'stories', 'pipeline'] as const

export type DemoName = (typeof SCENES)[number]

const EXAMPLES = `
Examples:
  ralph demo           one prompt, until its tests pass
  ralph demo build     a goal becomes a list of tasks, which are done one by one
  ralph demo stories   each story is reviewed in a fresh context
  ralph demo pipeline  a task through coder, reviewer, tester and qa; every promise is verified`

export const demoVerb: Verb = {
  name: 'demo',
  summary: 'See a whole run on a scratch project: a scripted agent, no key, no network.',
  define: (command, { finish }) =>
    command
      .addArgument(new Argument('[which]').choices(SCENES).default(SCENES[0]))
      .addHelpText('after', EXAMPLES)
      .action(async (which: DemoName) => {
        const { showDemo } = await import('../../actions.ts')
        finish(await showDemo(which))
      }),
}

/** The demo's scripted agent, a process like any other. */
export const demoAgentVerb: Verb = {
  name: 'demo-agent',
  summary: '',
  hidden: true,
  define: (command, { finish }) =>
    command.action(async () => {
      const actions = await import('../../actions.ts')
      finish(await actions.demoAgent())
    }),
}
