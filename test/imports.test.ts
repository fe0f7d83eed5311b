import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { describe, expect, it } from 'vitest'

const SRC = join(import.meta.dirname, '..', 'src')

/** What each folder may import besides itself. Adapters get each other only as ports; `cli` builds them all. */
const MAY_IMPORT: Record<string, readonly string[] | 'anything'> = {
  agents: ['core'],
  blocklist: [],
  checks: ['core', 'runners'],
  cli: 'anything',
  core: ['workflows'],
  engine: ['core', 'workflows'],
  git: ['core'],
  hooks: ['blocklist', 'workflows'],
  host: [
    'agents',
    'blocklist',
    'checks',
    'cli',
    'core',
    'engine',
    'git',
    'protect',
    'runners',
    'runs',
    'settings',
    'store',
    'terminal',
    'view',
    'workflows',
  ],
  protect: ['core'],
  runners: ['checks', 'core'],
  runs: ['cli', 'core', 'git', 'runners', 'store', 'terminal', 'view', 'workflows'],
  settings: ['core'],
  store: ['core', 'workflows'],
  terminal: ['core', 'settings', 'view', 'workflows'],
  view: ['core'],
  workflows: ['agents', 'checks', 'core', 'git', 'host', 'runners', 'settings', 'store', 'view'],
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.ts'))

describe('the direction of imports', () => {
  it.each(files)('%s', file => {
    const folder = file.split('/', 1)[0]!
    const allowed = MAY_IMPORT[folder]
    expect(allowed, `src/${folder} is not in the table`).toBeDefined()
    const imported = importsOf(file)
    if (allowed !== 'anything')
      expect(imported.own.filter(to => to !== folder && !allowed!.includes(to))).toEqual([])
    if (folder === 'core' || folder === 'engine') expect(imported.outside).toEqual([])
  })
})

function importsOf(file: string): { own: string[]; outside: string[] } {
  const text = readFileSync(join(SRC, file), 'utf8')
  const names = [...text.matchAll(/(?:from|import)\s*\(?'([^']+)'/g)].map(m => m[1]!)
  const own = names
    .filter(n => n.startsWith('.'))
    .map(n => relative(SRC, normalize(join(SRC, dirname(file), n))))
  return { own: own.map(path => path.split('/', 1)[0]!), outside: names.filter(n => !n.startsWith('.')) }
}
