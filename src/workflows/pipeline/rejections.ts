import { changesLine, pathsInDiff } from '../../core/verification/diff.ts'
import type { Workspace } from '../../core/workspaces.ts'
import { ANSWERED, NO_FINDING, OUTSIDE } from './rules/prompt.ts'
import {
  dismissalOf,
  type FoundFinding,
  findingLine,
  type ReviewState,
  readFindings,
} from './rules/reviews.ts'

/** The result of weighing a rejection: the findings that count, or why none does. `outside` has proposals for other tasks. */
export type Rejection = { note: string; counts: boolean; outside: string[] }

/**
 * Weighs what a role sends back. A finding counts if it has a file, a line and a failure, if it is about a file that the
 * task changes, and if it was not answered before; if it was, its lines must have changed since.
 */
export async function weighRejection(
  workspace: Pick<Workspace, 'diff'>,
  text: string,
  { reviews, base }: { reviews: ReviewState; base: string | undefined },
): Promise<Rejection> {
  const found = readFindings(text)
  if (found.length === 0) return { note: NO_FINDING, counts: false, outside: [] }
  const diff = base === undefined ? null : await workspace.diff(base)
  const changed = diff === null ? null : pathsInDiff(diff)
  const isOutside = ({ path }: FoundFinding) => changed !== null && !changed.has(path)
  const outside = found.filter(isOutside).map(findingLine)
  const inside = found.filter(finding => !isOutside(finding))
  if (inside.length === 0) return { note: OUTSIDE, counts: false, outside }
  const open: FoundFinding[] = []
  for (const finding of inside) {
    const answer = dismissalOf(reviews, finding)
    if (!answer || (await hasChanged(workspace, answer))) open.push(finding)
  }
  if (open.length === 0) return { note: ANSWERED, counts: false, outside }
  return { note: open.map(findingLine).join('\n'), counts: true, outside }
}

/** Whether the lines of a dismissed finding changed. Outside a repository this is unknown, and the answer stands. */
async function hasChanged(
  workspace: Pick<Workspace, 'diff'>,
  { path, line, tree }: ReviewState['dismissed'][number],
): Promise<boolean> {
  const since = tree === null ? null : await workspace.diff(tree)
  return since !== null && changesLine(since, path, line)
}
