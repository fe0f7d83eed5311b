import { Argument } from 'commander'
import type { Verb } from '../verb.ts'

const ACTIONS = ['path', 'install', 'uninstall'] as const

export type PluginAction = (typeof ACTIONS)[number]

const HELP = `
Ralph gives the plugin to every claude that it runs. Install it to have it in your own sessions too.

Examples:
  ralph plugin install                                   for all your sessions
  claude --plugin-dir "$(ralph plugin path)"             for one session
  ralph plugin uninstall`

export const pluginVerb: Verb = {
  name: 'plugin',
  summary: 'The Claude Code plugin: show where it is, install it in your own claude, or uninstall it.',
  define: (command, { finish }) =>
    command
      .addArgument(new Argument('<path|install|uninstall>', 'what to do').choices(ACTIONS))
      .addHelpText('after', HELP)
      .action(async (action: PluginAction) => {
        const { managePlugin } = await import('../../actions.ts')
        finish(await managePlugin(action))
      }),
}
