/** The texts of the four templates for a story loop's folder. */
export type StoryTemplates = Readonly<Record<'prd' | 'tasks' | 'progress' | 'prompt', string>>

/** The files of a new folder for stories, with name, date and branch filled in. */
export function freshStories(
  templates: StoryTemplates,
  { name, date, branch }: { name: string; date: string; branch: string },
): Record<string, string> {
  const fill = (text: string) => text.replaceAll('{{PROJECT_NAME}}', name).replaceAll('{{DATE}}', date)
  const tasks = { ...JSON.parse(templates.tasks), project: name, branchName: branch }
  return {
    'prd.md': fill(templates.prd),
    'tasks.json': `${JSON.stringify(tasks, null, 2)}\n`,
    'progress.txt': fill(templates.progress),
    'prompt.md': templates.prompt,
  }
}

/** A branch name made from a project's name. */
export const branchOf = (name: string): string =>
  `ralph/${
    name
      .trim()
      .toLowerCase()
      .replace(/[^a-z0-9._-]+/g, '-')
      .replace(/^[-.]+|[-.]+$/g, '') || 'feature-name'
  }`
