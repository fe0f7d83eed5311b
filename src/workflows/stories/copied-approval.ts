import { relative } from 'node:path'
import type { TaskId } from '../../core/task.ts'
import { git } from '../../git/git.ts'
import { type ApprovalSearch, isApprovedIn } from './approval-in-git.ts'

/** HEAD and all refs when a review began. */
export type GitRefs = { head: string | null; refs: { commit: string; name: string }[] }

const FORMAT = '--format=%(objectname) %(*objectname) %(refname)'

export async function readGitRefs({ start, env }: Pick<ApprovalSearch, 'start' | 'env'>): Promise<GitRefs> {
  const list = (await git(start.root, env, ['for-each-ref', FORMAT])) ?? ''
  const refs = list
    .split('\n')
    .filter(Boolean)
    .map(line => {
      const [object = '', peeled = '', ...name] = line.split(' ')
      return { commit: peeled || object, name: name.join(' ') }
    })
  return { head: await headOf(start.root, env), refs }
}

/**
 * Finds where a review copied an approving story file from, if that file existed before: another branch that it
 * switched to or merged, an aborted rebase, a stash. Returns null if it copied nothing. HEAD itself is left out:
 * findApprovalInGit covers it, and an honest approval may be equal to one that ralph reverted there.
 */
export async function findCopiedApproval(
  search: ApprovalSearch,
  before: GitRefs,
  story: TaskId,
): Promise<string | null> {
  for (const { commit, name } of await newlyReachable(search, before))
    if (await isApprovedIn(search, commit, story)) return name
  for (const path of search.paths) {
    const from = await sameFileElsewhere(search, path, before)
    if (from !== null) return from
  }
  return null
}

const headOf = async (root: string, env: Record<string, string>): Promise<string | null> =>
  (await git(root, env, ['rev-parse', '--verify', '--quiet', 'HEAD']))?.trim() || null

/** Refs from before the review that HEAD now contains, and did not contain then. */
async function newlyReachable({ start, env }: ApprovalSearch, before: GitRefs): Promise<GitRefs['refs']> {
  const head = await headOf(start.root, env)
  if (head === null || head === before.head) return []
  const since = await git(start.root, env, ['rev-list', head, ...(before.head ? [`^${before.head}`] : [])])
  const commits = new Set((since ?? '').split('\n').filter(Boolean))
  // HEAD moved without new commits, so it went back.
  if (commits.size === 0) return [{ commit: head, name: head.slice(0, 10) }]
  return before.refs.filter(({ commit }) => commits.has(commit))
}

/** A ref with exactly this file that was not part of HEAD's history. */
async function sameFileElsewhere(
  { start, env }: ApprovalSearch,
  path: string,
  before: GitRefs,
): Promise<string | null> {
  const name = relative(start.root, path)
  const ask = (args: string[], input?: string) => git(start.root, env, args, input)
  const blob = (await ask(['hash-object', `--path=${name}`, '--', path]))?.trim()
  const names = before.refs.map(({ commit }) => `${commit}:${name}\n`).join('')
  const blobs = ((await ask(['cat-file', '--batch-check=%(objectname)'], names)) ?? '').split('\n')
  for (const [index, ref] of before.refs.entries()) {
    if (!blob || blobs[index] !== blob) continue
    const isPast =
      before.head && (await ask(['merge-base', '--is-ancestor', ref.commit, before.head])) !== null
    if (!isPast) return ref.name
  }
  return null
}
