import { createHash } from 'node:crypto'
import { contentOf, readStatus } from './status.ts'

/**
 * The tree in a few characters: the commit, the state of every changed or new path, and their contents.
 * Ralph's own files and ignored ones do not count. null outside a git repository.
 */
export async function fingerprint(project: string, env: Record<string, string>): Promise<string | null> {
  const status = await readStatus(project, env)
  if (!status) return null
  const hash = createHash('sha1').update(status.head ?? '')
  for (const path of status.paths.filter(p => !isRalphs(p)).sort())
    hash.update(`\0${path}\0${contentOf(status.root, path)}`)
  return hash.digest('hex')
}

const isRalphs = (path: string) => path.startsWith('.ralph/') || path.includes('/.ralph/')
