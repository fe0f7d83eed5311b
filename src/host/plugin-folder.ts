import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Where ralph is installed: the folder above the program's own. Its name on PATH is a link. */
export function packageFolder(): string | null {
  try {
    return dirname(dirname(realpathSync(process.argv[1] ?? '')))
  } catch {
    return null
  }
}

/** The folder of the Claude Code plugin; null if this installation has none. */
export function pluginFolder(): string | null {
  const folder = join(packageFolder() ?? '', 'plugin')
  return existsSync(join(folder, '.claude-plugin', 'plugin.json')) ? folder : null
}

/** The folder that is the plugin's marketplace to claude. */
export const marketplaceFolder = (plugin: string): string => dirname(plugin)
