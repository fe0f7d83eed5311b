import { estimate } from './analytics.ts'
import type { StoriesFile } from './story-file.ts'
import { branchOf } from './templates.ts'

type Loop = {
  dir: string
  file: StoriesFile
  review: { skip: boolean }
  /** null: there is no repository. */
  start: { branch: string | null } | null
}

/** What people should know before the first iteration. `checks`: how many there are. */
export function storyWarnings(
  { dir, file, review, start }: Loop,
  checks: number,
  limit: number | null,
): string[] {
  const { text, isTight } = estimate(file, review, limit)
  const warnings = isTight ? [`${text}, and the limit is ${limit}; -m raises it`] : []
  if (checks === 0)
    warnings.push(
      `no checks: ${review.skip ? 'nothing verifies' : 'only a review says'} that a story is done; add verifyCommands to ${dir}/tasks.json, or --check`,
    )
  return start === null ? warnings : [...warnings, ...branchWarning(dir, file.branchName, start.branch)]
}

/** Without a name of their own, stories have the one of the template, which nobody chose. */
const UNNAMED = branchOf('')

function branchWarning(dir: string, wanted: string, current: string | null): string[] {
  if (wanted === '' || wanted === UNNAMED || wanted === current) return []
  const here = current === null ? 'no branch (HEAD is detached)' : `the branch ${current}`
  return [
    `this is ${here}, but ${dir}/tasks.json is for ${wanted}: commits will go here. If that is not what you want, stop, then: git switch ${wanted} (with -c if there is none yet)`,
  ]
}
