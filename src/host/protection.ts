import { join } from 'node:path'
import { git } from '../git/git.ts'
import { type Protection, protection } from '../protect/protection.ts'
import { replaceFile } from '../store/files/atomic.ts'
import type { RunSpec } from '../workflows/spec.ts'
import type { Area } from '../workflows/workflow.ts'

/** Never an agent's to change: the rules of later runs, the specification, and what git would execute. */
const ALWAYS = ['.ralph/settings*', 'ralph/prd.md']

export function composeProtection(
  spec: RunSpec,
  more: Area[],
  runDir: string,
  env: Record<string, string>,
): Protection {
  const { project, settings, start } = spec
  const areas = [{ root: project, globs: [...ALWAYS, ...settings.protect] }, ...more]
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
