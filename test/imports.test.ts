import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'

const SRC = join(import.meta.dirname, '..', 'src')

const ADAPTERS = ['agents', 'checks', 'git', 'protect', 'runners', 'settings', 'store', 'terminal', 'view']

/** What each room may import besides itself. Nobody imports cli. */
const MAY_IMPORT: Record<string, readonly string[] | 'anything'> = {
  core: [],
  engine: ['core'],
  agents: ['core', 'store/files'],
  runners: ['core', 'store/files'],
  store: ['core'],
  git: ['core', 'store/files'],
  protect: ['core', 'store/files'],
  settings: ['core', 'store/files'],
  view: ['core'],
  checks: ['core', 'runners'],
  terminal: ['core', 'view', 'store/files'],
  blocklist: [],
  workflows: ['core', 'settings', 'store', 'git', 'view'],
  runs: ['core', 'store', 'git', 'view', 'runners', 'workflows'],
  host: ['core', 'engine', 'runs', 'workflows', 'blocklist', ...ADAPTERS],
  workers: ['core', 'host', 'runs', 'workflows', ...ADAPTERS],
  ui: ['core', 'view', 'store', 'runs', 'runners', 'terminal'],
  hooks: ['core', 'blocklist', 'store/files', 'workflows/stories/rules'],
  cli: 'anything',
}

/** No larger without a reason. `ownLines` of a function leaves out the functions within it; `lines` counts them too. */
const MOST = { filesInFolder: 22, linesInFile: 300, ownLines: 80, lines: 120 }

/** Functions that are longer all the same, and why. At most five. */
const LONG: readonly (readonly [file: string, name: string, why: string])[] = [
  ['core/evolve.ts', 'evolve', 'a case for each event, and they are read together'],
  ['git/exchange.ts', 'openExchange', 'nobody has tried it on a real sbx yet, so it stays as it was tested'],
]

/** How many lines each room may have. The commit that raises a number says why the room has to grow. */
const BUDGET: Record<string, number> = {
  core: 3340,
  engine: 930,
  workflows: 7500,
  host: 4820,
  runs: 1650,
  workers: 1960,
  agents: 2430,
  runners: 3590,
  checks: 2170,
  git: 3500,
  protect: 1310,
  settings: 1170,
  store: 2080,
  view: 6440,
  terminal: 900,
  ui: 1140,
  blocklist: 2430,
  hooks: 490,
  cli: 6480,
}

/** Who may open or read a file without `store/files/read.ts`, by which function, and why. Anything may be in a file's place. */
const READS: readonly (readonly [file: string, functions: string, why: string])[] = [
  ['store/files/read.ts', 'openSync readSync', 'it is the one reader'],
  ['store/files/atomic.ts', 'openSync', 'writes a new file, and syncs a folder'],
  [
    'store/files/growing.ts',
    'openSync',
    'writes a new file; appends, and does not wait for the reader of a pipe',
  ],
  ['store/files/pinned.ts', 'openSync', 'opens folders, to act below them'],
  [
    'store/activity-file.ts',
    'readSync',
    'reads on, up to a limit, through the descriptor that ralph created it with',
  ],
  ['store/journal.ts', 'openSync', 'appends, to a file that the reader has read'],
  ['git/status.ts', 'readSync', 'hashes what the reader has opened, up to a limit'],
  ['git/hidden.ts', 'copyFileSync', "copies git's index, for git to read"],
  ['git/kept-files.ts', 'copyFileSync', 'copies what was a regular file when it was hashed'],
  ['git/undo.ts', 'copyFileSync', 'copies from the run’s folder what was a regular file when it was hashed'],
  ['checks/excerpt.ts', 'readSync', 'reads parts of a log through the descriptor that ralph created it with'],
  [
    'hooks/activity.ts',
    'openSync',
    'appends to a file that ralph made, and does not wait for the reader of a pipe',
  ],
  ['hooks/run-hook.ts', 'readSync', 'standard input'],
  ['runners/process/launch.ts', 'openSync readSync', 'the first line of a program that it starts'],
  ['runners/process/procfs.ts', 'openSync readSync', 'the kernel’s own files'],
  ['runners/process/warden.ts', 'openSync', 'makes a new pipe file of its own'],
  [
    'runners/tmux/call-files.ts',
    'openSync readSync',
    'pipes that it made, and the few bytes of an exit code; it does not wait',
  ],
  ['terminal/foreground.ts', 'readFileSync', 'the kernel’s own files'],
  ['workers/view-log.ts', 'readSync', 'reads on in what the reader has opened, as it grows'],
  ['host/worktrees/fill.ts', 'cpSync', 'copies what the user’s settings name, before any agent works there'],
  ['cli/open-bundle.ts', 'openSync readFileSync', 'the program itself'],
  ['cli/commands/demo/agent.ts', 'readFileSync', 'the agent of the demo, not ralph'],
]

/** What opens, reads or copies a file's content. */
const READING =
  /^(?:open|openSync|openAsBlob|read|readSync|readv|readvSync|readFile|readFileSync|createReadStream|copyFile|copyFileSync|cp|cpSync|promises|default|\*)$/

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(file => /\.tsx?$/.test(file))
const linesOf = (file: string) => readFileSync(join(SRC, file), 'utf8').trimEnd().split('\n')

describe('the direction of imports', () => {
  it.each(files)('%s', file => {
    expect(MAY_IMPORT[roomOf(file)], `src/${roomOf(file)} is not in the table`).toBeDefined()
    expect(forbidden(file)).toEqual([])
    if (isPure(file)) expect(importsOf(file).filter(isOutside)).toEqual([])
  })
})

describe('what belongs to the process', () => {
  it.each([
    ['streams', /\bprocess\.std(?:in|out|err)\b/, ['terminal', 'host', 'cli', 'hooks']],
    ['environment', /\bprocess\.env\b/, ['runners', 'host', 'cli', 'hooks']],
  ])('is given to all other rooms: its %s', (_, use, rooms) => {
    const others = files.filter(file => !rooms.includes(roomOf(file)))
    expect(others.filter(file => linesOf(file).some(line => use.test(line)))).toEqual([])
  })
})

describe('what is printed', () => {
  /** Only the first prints what others wrote. The demo's agent prints its own stream, completions a script, and the host of
   * the sandbox answers ralph. */
  const PRINTERS = [
    'terminal/print.ts',
    'cli/sandbox-host.ts',
    'cli/commands/demo/agent.ts',
    'cli/commands/completions/completions.ts',
  ]

  it('goes through one place, which lets a terminal obey nothing that others wrote', () => {
    const writes = /\bprocess\.std(?:out|err)\.write\b|\bconsole\.\w+\(|\bio: process\b/
    const printers = files.filter(file => linesOf(file).some(line => writes.test(line)))
    expect(printers.filter(file => roomOf(file) !== 'hooks').sort()).toEqual(PRINTERS.sort())
  })
})

describe('a file that others can write', () => {
  it('is read by one module only, but for exceptions that are still needed', () => {
    const found = files
      .map(file => [file, readsIn(file).join(' ')])
      .filter(([, functions]) => functions !== '')
    expect(Object.fromEntries(found), 'read it by store/files/read.ts, or give a reason').toEqual(
      Object.fromEntries(READS.map(([file, functions]) => [file, functions])),
    )
  })
})

describe('the size of things', () => {
  it('is few files in a folder', () => {
    const folders = [...new Set(files.map(file => dirname(file)))]
    const filesIn = (folder: string) => files.filter(file => dirname(file) === folder).length
    expect(folders.filter(folder => filesIn(folder) > MOST.filesInFolder)).toEqual([])
  })

  it('is few lines in a file', () => {
    expect(files.filter(file => linesOf(file).length > MOST.linesInFile)).toEqual([])
  })

  it('is few lines in a function', () => {
    const isExcepted = (file: string, name: string) => LONG.some(([f, n]) => f === file && n === name)
    const long = files.flatMap(file => longIn(file).map(measured => ({ file, ...measured })))
    expect(long.filter(({ file, name }) => !isExcepted(file, name))).toEqual([])
    expect(LONG.length).toBeLessThanOrEqual(5)
  })

  it.each(LONG)('%s still needs its exception for %s', (file, name) => {
    const names = files.includes(file) ? longIn(file).map(long => long.name) : []
    expect(names, 'take it off the list').toContain(name)
  })

  it.each([...new Set(files.map(roomOf))])('is few lines in %s', room => {
    const lines = files.filter(file => roomOf(file) === room).flatMap(linesOf).length
    expect(BUDGET[room], `${room} has ${lines} lines and no budget`).toBeDefined()
    expect(lines, `the budget of ${room}: put something down, or raise it and say why`).toBeLessThanOrEqual(
      BUDGET[room]!,
    )
  })
})

describe('the name of an export', () => {
  /** Names that two files export because both mean the same. The second file is a command, which adds what is named here. */
  const SHARED: readonly (readonly [name: string, files: string, why: string])[] = [
    ['collectGarbage', 'cli/actions.ts runs/gc.ts', "ralph's own registry, and a terminal to ask at"],
    ['diffRun', 'cli/commands/see/diff-undo.ts runs/diff.ts', 'a git that prints to the terminal'],
    ['showStatus', 'cli/actions.ts runs/status.ts', "ralph's own registry, and what a worker shows"],
    ['undoRun', 'cli/commands/see/diff-undo.ts runs/undo.ts', 'the question at the terminal'],
  ]

  it('belongs to one thing only', () => {
    const filesOf = new Map<string, string[]>()
    for (const file of files)
      for (const name of exportsOf(file)) filesOf.set(name, [...(filesOf.get(name) ?? []), file])
    expect(filesOf.size).toBeGreaterThan(1000)
    const shared = [...filesOf].filter(([, where]) => where.length > 1)
    expect(Object.fromEntries(shared.map(([name, where]) => [name, where.sort().join(' ')]))).toEqual(
      Object.fromEntries(SHARED.map(([name, where]) => [name, where])),
    )
  })
})

describe('the length of a function', () => {
  it('is that of its own lines, and with those of functions within', () => {
    const lines = `export function outer(
  a: string,
): void {
  if (
    a
  ) {
    b()
  }
  const inner = async (c: string) => {
    d()
    e()
  }
  return {
    method() {
      f()
    },
  }
}`.split('\n')
    expect(functionsIn(lines)).toEqual([
      { name: 'outer', ownLines: 11, lines: 18 },
      { name: 'inner', ownLines: 4, lines: 4 },
      { name: 'method', ownLines: 3, lines: 3 },
    ])
  })
})

function roomOf(file: string): string {
  return file.split('/', 1)[0]!
}

/** What must give the same answer anywhere: no file, no clock, no process. */
function isPure(file: string): boolean {
  return /^(?:core|engine|blocklist)\/|\/rules\//.test(file)
}

function isOutside(imported: string): boolean {
  return !imported.endsWith('.ts')
}

/** What a file imports: of ours, the path within src; else the name. */
function importsOf(file: string): string[] {
  const names = [
    ...linesOf(file)
      .join('\n')
      .matchAll(/(?:from|import)\s*\(?'([^']+)'/g),
  ].map(m => m[1]!)
  return names.map(name => (name.startsWith('.') ? normalize(join(dirname(file), name)) : name))
}

/** The functions of node:fs by which a file opens or reads others. */
function readsIn(file: string): string[] {
  const imports = linesOf(file)
    .join('\n')
    .matchAll(/import (?:type )?([^;'"]*?) from 'node:fs(?:\/promises)?'/g)
  const names = [...imports].flatMap(([, names = '']) =>
    names.startsWith('{') ? names.slice(1, -1).split(',') : [names.startsWith('*') ? '*' : 'default'],
  )
  return names.map(name => name.trim().split(' as ')[0]!).filter(name => READING.test(name))
}

/** What a file exports of its own: not what it passes on. */
function exportsOf(file: string): string[] {
  const declared = /^export (?:abstract |async )?(?:type|interface|class|function\*?|const|let) (\w+)/
  return linesOf(file).flatMap(line => declared.exec(line)?.[1] ?? [])
}

function forbidden(file: string): string[] {
  return importsOf(file).filter(to => !isOutside(to) && !mayImport(file, to))
}

function mayImport(from: string, to: string): boolean {
  const allowed = MAY_IMPORT[roomOf(from)]!
  if (allowed === 'anything') return true
  if (roomOf(from) === 'hooks' && to.endsWith('/index.ts')) return false
  if (roomOf(from) === roomOf(to)) return roomOf(from) !== 'workflows' || withinWorkflows(from, to)
  return !isRule(from) ? allowed.some(room => to.startsWith(`${room}/`)) : roomOf(to) === 'core'
}

function isRule(file: string): boolean {
  return file.includes('/rules/')
}

/** A workflow knows itself and what all share; only the index knows them all. Rules know rules and tables. */
function withinWorkflows(from: string, to: string): boolean {
  const folder = dirname(to).split('/')[1]
  if (from === 'workflows/index.ts' || folder === 'shared') return true
  if (folder === undefined) return !isRule(from)
  if (folder !== dirname(from).split('/')[1]) return false
  return !isRule(from) || isRule(to) || to.endsWith('/table.ts')
}

type Measured = { name: string; ownLines: number; lines: number }

function longIn(file: string): Measured[] {
  return functionsIn(linesOf(file)).filter(
    ({ ownLines, lines }) => ownLines > MOST.ownLines || lines > MOST.lines,
  )
}

/** By indentation: the formatter puts the end of a block below its beginning. */
function functionsIn(lines: readonly string[]): Measured[] {
  const found: { name: string; from: number; to: number }[] = []
  for (const [at, line] of lines.entries()) {
    if (!line.endsWith('{')) continue
    const head = headOf(lines, at)
    const name = nameIn(head.text)
    if (name === null) continue
    const end = lines.findIndex(
      (l, i) => i > at && indentOf(l) === indentOf(line) && l.trim().startsWith('}'),
    )
    found.push({ name, from: head.at, to: end })
  }
  return found.map(({ name, from, to }) => {
    const inner = found.filter(other => other.from > from && other.to < to)
    const outermost = inner.filter(({ from: f, to: t }) => !inner.some(o => o.from < f && o.to > t))
    const theirs = outermost.reduce((sum, other) => sum + other.to - other.from + 1, 0)
    const whole = to - from + 1
    return { name, ownLines: whole - theirs, lines: whole }
  })
}

/** A signature may take several lines; its last one begins with `)` or `}`, below its first. */
function headOf(lines: readonly string[], at: number): { at: number; text: string } {
  let first = at
  while (/^\s*[)}\]]/.test(lines[first]!)) {
    const indent = indentOf(lines[first]!)
    do first--
    while (first > 0 && (lines[first]!.trim() === '' || indentOf(lines[first]!) > indent))
  }
  const text = lines.slice(first, at + 1).map(line => line.trim())
  return { at: first, text: text.join(' ') }
}

/** null: it is no function. */
function nameIn(head: string): string | null {
  if (/^(?:if|for|while|switch|try|do|else|catch|finally|return \{|\})\b/.test(head)) return null
  if (/=> \{$/.test(head))
    return (
      /(?:const|let) ([\w$]+)|^([\w$]+): /.exec(head)?.slice(1).find(Boolean) ?? 'a function without a name'
    )
  const named =
    /\bfunction\*? ([\w$]+)/.exec(head) ?? /^(?:async |get |set |static )*([\w$]+)(?:<.*>)?\(.*\{$/.exec(head)
  return named?.[1] ?? null
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

describe('the names of workflows', () => {
  const NAME = /\bworkflow\s*[!=]==?|[!=]==?\s*\w+\.workflow\b|case '(?:run|build|stories|pipeline)'/

  it.each(files.filter(file => !file.startsWith('workflows/')))('%s decides nothing by one', file => {
    const found = linesOf(file).filter(line => NAME.test(line))
    expect(found).toEqual([])
  })
})
