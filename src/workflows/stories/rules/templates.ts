import { formatUsd, plural } from '../../../core/format.ts'
import type { StoriesFile } from './story-file.ts'

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

/** What a loop took, according to its runs. Null if no run is known. */
export type LoopFacts = { from: string; to: string; runs: number; iterations: number; usd: number } | null

/** summary.md of an archived loop. */
export function archiveSummary(file: StoriesFile, date: string, facts: LoopFacts): string {
  const { userStories } = file
  const done = userStories.filter(story => story.passes).length
  const reviews = userStories.reduce((sum, story) => sum + story.reviewCount, 0)
  const rows = userStories.map(({ id, title, passes, reviewCount, reviewFeedback }) => {
    const capped = reviewFeedback.startsWith('[AUTO-APPROVED AT CAP]') ? ', approved at the cap' : ''
    return `| ${cell(id)} | ${cell(title)} | ${passes ? 'done' : 'open'}${capped} | ${reviewCount} |`
  })
  return `# ${file.project || 'Stories'}

${[
  file.description,
  `Archived: ${date}`,
  `Branch: ${file.branchName}`,
  `Stories: ${done} of ${userStories.length} completed`,
  `Reviews: ${reviews}`,
  facts && `Worked on: ${facts.from} to ${facts.to}`,
  facts &&
    `${plural(facts.runs, 'run')}, ${plural(facts.iterations, 'iteration')}${facts.usd > 0 ? `, ${formatUsd(facts.usd)}` : ''}`,
]
  .filter(Boolean)
  .join('\n\n')}

| story | title | state | reviews |
|---|---|---|---|
${rows.join('\n')}
`
}

const cell = (text: string) => text.replace(/\s+/g, ' ').replaceAll('|', '\\|')
