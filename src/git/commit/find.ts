import { git } from '../git.ts'

/** The commit of a name; null: there is none. */
export const commitOf = async (
  root: string,
  env: Record<string, string>,
  name: string,
): Promise<string | null> =>
  (await git(root, env, ['rev-parse', '--verify', '--quiet', `${name}^{commit}`]))?.trim() ?? null

/** Whether a commit leads to another, or is the same. */
export const isAncestor = async (
  root: string,
  env: Record<string, string>,
  before: string,
  after: string,
): Promise<boolean> => (await git(root, env, ['merge-base', '--is-ancestor', before, after])) !== null
