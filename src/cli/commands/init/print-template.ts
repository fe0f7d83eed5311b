import type { Io } from '../../../runs/io.ts'
import { type TemplateName, template } from '../../../workflows/stories/templates.ts'
import type { TemplateChoice } from '../../verbs/begin.ts'

const FILES: Record<TemplateChoice, TemplateName> = {
  prompt: 'prompt.md',
  prd: 'prd.md',
  tasks: 'tasks.json',
  progress: 'progress.md',
  'prompt-stories': 'prompt-stories.md',
}

export function printTemplate(name: TemplateChoice, { stdout }: Io): number {
  stdout.write(template(FILES[name]))
  return 0
}
