import { relative } from 'node:path'
import type { TaskId } from '../../core/task.ts'
import { git } from '../../git/git.ts'
import { isApprovedIn, type Kept } from './approval-in-git.ts'

/** Where git stood when a review began, and where else it could be made to stand. */
export type Had = { head: string | null; refs: { commit: string; name: string }[] }

const FORMAT = '--format=%(objectname) %(*objectname) %(refname)'

export async function whatGitHad({ start, env }: Pick<Kept, 'start' | 'env'>): Promise<Had> {
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
 * Where a review got the file from that approves its story, if that was there before it: another branch that it
 * switched to or merged, a rebase that it gave up, a stash. What HEAD itself had keptApproval sees to; and that is left
 * out here, because an honest approval may well read like the one that ralph took back. null: from nowhere.
 */
export async function takenFrom(kept: Kept, had: Had, story: TaskId): Promise<string | null> {
  for (const { commit, name } of await joined(kept, had))
    if (await isApprovedIn(kept, commit, story)) return name
  for (const path of kept.paths) {
    const from = await sameElsewhere(kept, path, had)
    if (from !== null) return from
  }
  return null
}

const headOf = async (root: string, env: Record<string, string>): Promise<string | null> =>
  (await git(root, env, ['rev-parse', '--verify', '--quiet', 'HEAD']))?.trim() || null

/** What HEAD has become or taken in that was there before. */
async function joined({ start, env }: Kept, had: Had): Promise<Had['refs']> {
  const head = await headOf(start.root, env)
  if (head === null || head === had.head) return []
  const since = await git(start.root, env, ['rev-list', head, ...(had.head ? [`^${had.head}`] : [])])
  const commits = new Set((since ?? '').split('\n').filter(Boolean))
  // Nothing new, and yet another place: HEAD went back.
  if (commits.size === 0) return [{ commit: head, name: head.slice(0, 10) }]
  return had.refs.filter(({ commit }) => commits.has(commit))
}

/** A place that HEAD did not come from, and whose file is this one to the letter. */
async function sameElsewhere({ start, env }: Kept, path: string, had: Had): Promise<string | null> {
  const name = relative(start.root, path)
  const ask = (args: string[], input?: string) => git(start.root, env, args, input)
  const blob = (await ask(['hash-object', `--path=${name}`, '--', path]))?.trim()
  const names = had.refs.map(({ commit }) => `${commit}:${name}\n`).join('')
  const blobs = ((await ask(['cat-file', '--batch-check=%(objectname)'], names)) ?? '').split('\n')
  for (const [place, ref] of had.refs.entries()) {
    if (!blob || blobs[place] !== blob) continue
    const isPast = had.head && (await ask(['merge-base', '--is-ancestor', ref.commit, had.head])) !== null
    if (!isPast) return ref.name
  }
  return null
}
