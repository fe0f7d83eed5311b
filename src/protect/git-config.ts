import { type ConfigChange, type ConfigEntry, compareConfig } from './config-keys.ts'

/** Runs `git config` with these arguments and this input. Null if git fails. */
export type ConfigTool = (args: string[], input?: string) => Promise<string | null>

/** A configuration that a person wrote is far smaller, and git would take long to list a larger one. */
const MAX_CHARS = 1024 * 1024

/** The entries of a configuration, without those of files that it includes. Null if git cannot read it. */
export async function readConfigEntries(tool: ConfigTool, text: string): Promise<ConfigEntry[] | null> {
  if (text.length > MAX_CHARS) return null
  const list = await tool(['--no-includes', '--file', '-', '--list', '-z'], text)
  if (list === null) return null
  return list
    .split('\0')
    .filter(Boolean)
    .map(line => {
      const at = line.indexOf('\n')
      // A key without a value is true.
      return at < 0 ? { key: line, value: 'true' } : { key: line.slice(0, at), value: line.slice(at + 1) }
    })
}

/** What changed between two texts of a configuration. Null if git cannot read the later one. */
export async function configChange(
  tool: ConfigTool,
  before: string,
  after: string,
): Promise<ConfigChange | null> {
  const [was, is] = await Promise.all([readConfigEntries(tool, before), readConfigEntries(tool, after)])
  return is && compareConfig(was ?? [], is)
}

/** Writes the harmless changes into a configuration that was put back. Best effort: they are no loss. */
export async function applyHarmless(
  tool: ConfigTool,
  path: string,
  { harmless }: ConfigChange,
): Promise<void> {
  for (const { key, values } of harmless) {
    await tool(['--file', path, '--unset-all', key])
    for (const value of values) await tool(['--file', path, '--add', key, value])
  }
}

/** The files that a configuration includes, on whatever condition, as it names them. */
export const includedPaths = (entries: readonly ConfigEntry[]): string[] =>
  entries.flatMap(({ key, value }) => (/^include(if\..+)?\.path$/s.test(key) ? [value] : []))
