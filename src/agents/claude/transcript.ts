import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/**
 * When claude last wrote to the transcript of a session that it began in this folder since a time; null: it has none. It
 * writes one also where it prints nothing but its last answer. Times are in ms since the epoch.
 */
export function lastWritten(cwd: string, env: Record<string, string>, since: number): number | null {
  const own = env.CLAUDE_CONFIG_DIR || join(env.HOME ?? '', '.claude')
  const folder = join(own, 'projects', cwd.replace(/[^A-Za-z0-9]/g, '-'))
  try {
    const times = readdirSync(folder)
      .filter(name => name.endsWith('.jsonl'))
      .map(name => statSync(join(folder, name)))
      .filter(({ birthtimeMs }) => birthtimeMs >= since)
      .map(({ mtimeMs }) => mtimeMs)
    return times.length > 0 ? Math.max(...times) : null
  } catch {
    return null
  }
}
