import { join } from 'node:path'
import { git } from '../git/git.ts'
import { type Protection, protection } from '../protect/protection.ts'
import { replaceFile } from '../store/files/atomic.ts'
import { realPath } from '../store/real-path.ts'
import type { Plan } from '../workflows/spec.ts'

/** Never an agent's to change: the rules of later runs, the specification, and what git would execute. */
const ALWAYS = ['.ralph/settings*', 'ralph/prd.md']

export function composeProtection(plan: Plan, runDir: string, env: Record<string, string>): Protection {
  const { project, settings, start } = plan
  const areas = [{ root: project, globs: [...ALWAYS, ...settings.protect] }]
  if (plan.workflow === 'stories') areas.push(...behindLink(join(project, plan.dir)))
  if (start) areas.push({ root: start.dirs.common, globs: ['hooks'] })
  const file = join(start?.dirs.common ?? '', 'config')
  const tool = (args: string[]) => git(project, env, ['config', '--file', file, ...args])
  return protection({
    project,
    areas,
    config: start && { path: file, tool },
    path: join(runDir, 'protected.json'),
    write: (path, text) => replaceFile(path, text, 0o600),
  })
}

/** Stories that are kept out of the project: globs do not see through a link. */
function behindLink(dir: string): { root: string; globs: string[] }[] {
  const root = realPath(dir)
  return root === dir ? [] : [{ root, globs: ['prd.md', 'prompt.md'] }]
}
