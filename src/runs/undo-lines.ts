import { listPaths, plural, shellWord } from '../core/format.ts'
import type { Start } from '../git/start.ts'
import { shortHash, type UndoPlan } from '../git/undo-plan.ts'
import { plainLine } from '../view/text/plain.ts'
import { table } from '../view/text/table.ts'

const MOST_NAMED = 8

export const isEmptyPlan = (start: Start, plan: UndoPlan): boolean =>
  [plan.remove, plan.restore, plan.refill].every(paths => paths.length === 0) && !movesHead(start, plan)

const movesHead = (start: Start, { now, tip }: UndoPlan): boolean =>
  now.head !== start.head || now.branch !== start.branch || (start.branch !== null && tip !== start.head)

/** What an undo would do, in lines. `kept`: what it does not touch, a sentence each. */
export function undoLines(
  id: string,
  start: Start,
  plan: UndoPlan,
  { isEndKnown, kept }: { isEndKnown: boolean; kept: readonly string[] },
): string[] {
  const branch = start.branch ?? 'a detached HEAD'
  const { now } = plan
  const from = now.branch === start.branch ? '' : ` (from ${now.branch ?? 'a detached HEAD'}, which stays)`
  const rows: [string, string | null][] = [
    ['commit', movesHead(start, plan) ? `${branch} back to ${shortHash(start.head)}${from}` : null],
    ['remove', files(plan.remove)],
    ['put back', files([...plan.restore, ...plan.refill])],
    ['stays', files(plan.later, 'yours: changed after the run, not by it')],
    [
      'stays',
      files(
        plan.unknown,
        'had uncommitted changes before the run and was not copied, so it cannot be put back',
      ),
    ],
    ['stays', files(plan.repositories, 'a repository of its own; for a submodule: git submodule update')],
    ...kept.map((line): [string, string] => ['stays', plainLine(line)]),
    ['note', isEndKnown ? null : 'the run was cut off, so what was changed since then counts as its own'],
  ]
  return [
    `undo of run ${id}`,
    ...table(
      rows.filter((row): row is [string, string] => row[1] !== null),
      { margin: '  ', least: [8] },
    ),
  ]
}

function files(paths: string[], why = ''): string | null {
  if (paths.length === 0) return null
  const named = listPaths(
    paths.map(path => plainLine(path)),
    MOST_NAMED,
  )
  return `${plural(paths.length, 'file')}: ${named}${why === '' ? '' : ` (${why})`}`
}

/** The command that reverts an undo. Every step has a line of its own, so that it can be copied from a narrow screen. */
export function commandToRevert(start: Start, { now, tip }: UndoPlan, saved: string): string {
  const steps = [`git restore -s ${saved} -SW :/`]
  if (start.branch !== null && tip !== null && now.branch !== start.branch && tip !== start.head)
    steps.push(`git update-ref ${shellWord(`refs/heads/${start.branch}`)} ${tip}`)
  if (now.branch !== start.branch && now.branch !== null)
    steps.push(`git symbolic-ref HEAD ${shellWord(`refs/heads/${now.branch}`)}`)
  else if (now.branch !== start.branch) steps.push(`git update-ref --no-deref HEAD ${now.head}`)
  steps.push(now.head === null ? 'git rm -rq --cached -- :/' : `git reset -q ${now.head}`)
  return steps.join(' &&\n  ')
}
