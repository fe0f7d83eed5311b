import { Argument } from 'commander'
import type { Verb } from '../verb.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const

export type Shell = (typeof SHELLS)[number]

const HELP = `
Install it once. It asks ralph itself, so it is never out of date:
  bash   ralph completions bash > ~/.ralph.bash
         echo '. ~/.ralph.bash' >> ~/.bashrc
  zsh    ralph completions zsh > "\${fpath[1]}/_ralph"
  fish   ralph completions fish > ~/.config/fish/completions/ralph.fish

Examples:
  eval "$(ralph completions bash)"     for this shell only
  ralph completions fish | source      the same in fish`

export const completionsVerb: Verb = {
  name: 'completions',
  summary: 'Print a script that lets a shell complete commands, options and their values.',
  define: (command, { finish }) =>
    command
      .addArgument(new Argument('<bash|zsh|fish>', 'the shell').choices(SHELLS))
      .addHelpText('after', HELP)
      .action(async (shell: Shell) => {
        const { printCompletions } = await import('../../actions.ts')
        finish(printCompletions(shell))
      }),
}
