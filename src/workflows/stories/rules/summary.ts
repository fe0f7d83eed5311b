import { formatUsd, plural } from '../../../core/format.ts'
import type { StoriesFile } from './story-file.ts'

/** What a loop took, according to its runs; null if no run is known. */
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
