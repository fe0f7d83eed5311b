import { statSync } from 'node:fs'

/** Reads or writes a git configuration file, with the arguments of `git config`; null if git fails. */
export type ConfigTool = (args: string[]) => Promise<string | null>

export type ConfigEntry = { key: string; value: string }

/** Keys whose values git executes, or that include other files with such keys. */
const EXECUTES =
  /^(core\.(fsmonitor|hookspath|sshcommand|editor|pager|askpass|gitproxy|worktree)|sequence\.editor|alias\..+|include\.path|includeif\..+\.path|credential(\..+)?\.helper|gpg(\..+)?\.program|(diff|difftool|merge|mergetool|filter|browser|man|guitool|interactive|uploadpack|submodule|remote|trailer|pager)(\..+)?\.(external|command|cmd|textconv|driver|clean|smudge|process|diffFilter|packobjectshook|update|uploadpack|receivepack|vcs))$/i

/** Reads the entries that git executes; it starts git only if the file has changed. */
export function configReader(path: string, tool: ConfigTool): () => Promise<ConfigEntry[] | null> {
  let known: { stat: string; entries: ConfigEntry[] | null } | null = null
  return async () => {
    const s = statSync(path, { throwIfNoEntry: false })
    const stat = s ? [s.ino, s.size, s.mtimeMs, s.ctimeMs].join(' ') : 'absent'
    if (known?.stat !== stat) known = { stat, entries: await executingEntries(tool) }
    return known.entries
  }
}

async function executingEntries(tool: ConfigTool): Promise<ConfigEntry[] | null> {
  const text = await tool(['--list', '-z'])
  if (text === null) return null
  return text
    .split('\0')
    .filter(Boolean)
    .map(line => {
      const at = line.indexOf('\n')
      return at < 0 ? { key: line, value: '' } : { key: line.slice(0, at), value: line.slice(at + 1) }
    })
    .filter(({ key }) => EXECUTES.test(key))
}

/** Restores the values of the keys that git executes; returns those that had changed. Other keys stay as they are. */
export async function restoreEntries(
  tool: ConfigTool,
  before: ConfigEntry[],
  after: ConfigEntry[],
): Promise<string[]> {
  const valuesOf = (entries: ConfigEntry[], key: string) =>
    entries.filter(e => e.key === key).map(e => e.value)
  const keys = new Set([...before, ...after].map(e => e.key))
  const changed = [...keys].filter(
    key => valuesOf(before, key).join('\0') !== valuesOf(after, key).join('\0'),
  )
  for (const key of changed) {
    await tool(['--unset-all', key])
    for (const value of valuesOf(before, key)) await tool(['--add', key, value])
  }
  return changed
}
