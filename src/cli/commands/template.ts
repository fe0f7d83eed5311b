import { Argument } from 'commander'
import type { Verb } from './verb.ts'

const NAMES = ['prompt', 'prd', 'tasks', 'progress', 'prompt-stories'] as const

export type TemplateChoice = (typeof NAMES)[number]

export const templateVerb: Verb = {
  name: 'template',
  summary: 'Print a template: a prompt, or a file of a story loop.',
  define: (command, { finish, io }) =>
    command
      .addArgument(new Argument('[name]', 'which').choices(NAMES).default('prompt'))
      .addHelpText('after', '\nExample:\n  ralph template > BUILD_PROMPT.md')
      .action(async (name: TemplateChoice) => {
        const { printTemplate } = await import('../actions.ts')
        finish(printTemplate(name, io))
      }),
}
