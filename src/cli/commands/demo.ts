import type { Verb } from './verb.ts'

export const demo: Verb = {
  name: 'demo',
  summary: 'See a whole run on a scratch project: a scripted agent, no key, no network.',
  define: (command, { finish }) =>
    command.action(async () => {
      const { showDemo } = await import('../actions.ts')
      finish(await showDemo())
    }),
}

/** The demo's scripted agent, a process like any other. */
export const demoAgent: Verb = {
  name: 'demo-agent',
  summary: '',
  hidden: true,
  define: (command, { finish }) =>
    command.action(async () => {
      const actions = await import('../actions.ts')
      finish(await actions.demoAgent())
    }),
}
