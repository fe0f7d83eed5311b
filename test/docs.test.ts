import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { known } from '../src/agents/index.ts'
import { jsonSchema } from '../src/settings/json-schema.ts'
import { runRalph } from './support/ralph.ts'
import { scratch } from './support/scratch.ts'

const ROOT = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const foldersIn = (path: string) =>
  readdirSync(join(ROOT, path), { withFileTypes: true }).flatMap(e => (e.isDirectory() ? [e.name] : []))

const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter(name => name.endsWith('.md'))
    .map(name => `docs/${name}`),
]

describe('the requirements', () => {
  const page = read('docs/requirements.md')
  const named = [...page.matchAll(/`(test\/[^`]*?\.ts) › ([^`]+)`/g)]

  it.each(named.map(([, file, titles]) => [file!, titles!] as const))(
    '%s › %s is a test that exists',
    (file, titles) => {
      const source = read(file)
      const isTitle = (title: string) => ["'", '"', '`'].some(q => source.includes(`${q}${title}${q}`))
      expect(titles.split(' › ').filter(title => !isTitle(title))).toEqual([])
    },
  )

  it('have a row each, and each row says how it is shown', () => {
    const rows = [...page.matchAll(/^\| (\d{3}-\d+) \| (.+?) \| (.*) \|$/gm)]
    const ids = rows.map(([, id]) => id!)
    expect(new Set(ids).size).toBe(ids.length)
    expect(rows.filter(([, , , shown]) => !shown!.includes(' › ')).map(([, id]) => id)).toEqual([])
  })
})

describe('the package', () => {
  const { files } = JSON.parse(read('package.json')) as { files: string[] }
  const isPacked = (path: string) => files.some(name => path === name || path.startsWith(`${name}/`))

  it.each(PAGES)('has %s, and what it links to', page => {
    const links = [...read(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, to]) =>
      join(dirname(page), to!),
    )
    expect([page, ...links].filter(path => !isPacked(path))).toEqual([])
  })
})

/** How many rows each document has. */
const ROWS = { '000': 88, '001': 109, '002': 84, '003': 123, '004': 81 }

describe('the parts of the requirements', () => {
  const page = read('docs/requirements.md')
  const parts = [...page.matchAll(/^\| (\d{3}) \| .+? \| (yes|no) \| ([\d–, ]+) \|$/gm)].map(
    ([, document, built, ranges]) => ({
      built: built === 'yes',
      ids: ranges!.split(', ').flatMap(range => {
        const [from, to = from] = range.split('–').map(Number)
        const numbers = Array.from({ length: to! - from! + 1 }, (_, i) => String(from! + i).padStart(2, '0'))
        return numbers.map(number => `${document}-${number}`)
      }),
    }),
  )

  it('have every row of every document, once', () => {
    const all = Object.entries(ROWS).flatMap(([document, count]) =>
      Array.from({ length: count }, (_, i) => `${document}-${String(i + 1).padStart(2, '0')}`),
    )
    expect(parts.flatMap(({ ids }) => ids).sort()).toEqual(all.sort())
  })

  it('that are built have all their rows on the page', () => {
    const named = new Set([...page.matchAll(/^\| (\d{3}-\d+) \|/gm)].map(([, id]) => id))
    const built = parts.filter(part => part.built).flatMap(({ ids }) => ids)
    expect(built.filter(id => !named.has(id))).toEqual([])
  })
})

describe('the walk through one iteration', () => {
  const walk = /## One iteration, file by file\n([\s\S]*?)\n## /.exec(read('docs/architecture.md'))![1]!
  const rows = walk.split('\n').filter(line => /^\| \d/.test(line))
  const named = rows.flatMap(row => [...row.matchAll(/`([\w/-]+\.ts)`,? `(\w+)`/g)])

  it('has at most 40 rows in at most 32 files, and each names a file and a function in it', () => {
    expect(rows.length).toBeLessThanOrEqual(40)
    expect(new Set(rows.map(row => row.split('`')[1])).size).toBeLessThanOrEqual(32)
    expect(rows.filter(row => !/^\| \d+ \| `[\w/-]+\.ts` `\w+` \|/.test(row))).toEqual([])
  })

  it.each(named.map(([, file, name]) => [file!, name!] as const))('%s has %s', (file, name) => {
    const isMade = new RegExp(
      `function ${name}\\b|^ *(?:async )?${name}(?:\\(|:|,$)|\\b${name}: |const ${name}\\b`,
      'm',
    )
    expect(read(`src/${file}`)).toMatch(isMade)
  })
})

describe('pages', () => {
  it.each(PAGES)('%s has no link that leads nowhere', page => {
    const links = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!.split('#', 1)[0]!)
    const files = links.filter(link => link !== '' && !/^[a-z]+:/.test(link))
    expect(files.filter(file => !existsSync(join(ROOT, dirname(page), file)))).toEqual([])
  })

  it.each(PAGES)('%s links only to headings that exist', page => {
    const links = [...read(page).matchAll(/\]\(([^)\s:]*)#([^)\s]+)\)/g)]
    const missing = links.filter(([, file, anchor]) => {
      const target = file === '' ? page : join(dirname(page), file!)
      return !anchorsIn(read(target)).includes(anchor!)
    })
    expect(missing.map(([link]) => link)).toEqual([])
  })

  it.each(PAGES.filter(page => page.startsWith('docs/') && page !== 'docs/README.md'))(
    '%s is in the index of docs',
    page => expect(read('docs/README.md')).toContain(`](${page.slice('docs/'.length)})`),
  )

  it.each([
    ['run', ['docs/run.md']],
    ['resume', ['docs/run.md']],
    ['build', ['docs/run.md', 'docs/build.md']],
    ['todo', ['docs/run.md', 'docs/build.md']],
    ['pipeline', ['docs/run.md', 'docs/pipeline.md', 'docs/parallel.md', 'docs/workers.md']],
  ])('every option of %s is explained in %j', async (command, pages) => {
    const cwd = scratch()
    const { stdout } = await runRalph([command, '--help'], { cwd, env: { HOME: cwd } })
    const options = [...stdout.matchAll(/^ {2}(?:(-\w), )?(--[\w-]+)/gm)].flatMap(([, short, long]) =>
      [short, long].filter(name => name !== undefined),
    )
    expect(options.length).toBeGreaterThan(2)
    const text = pages.map(read).join('\n')
    expect(options.filter(option => !new RegExp(`\`${option}(?![\\w-])`).test(text))).toEqual([])
  })

  it('docs/settings.md has every key, and no other', () => {
    const [table = ''] = read('docs/settings.md').split('\n## ')
    const rows = [...table.matchAll(/^\| (`.*?) \|/gm)].map(([, cell]) => cell!)
    expect(rows.flatMap(keysIn).sort()).toEqual(keysOf(jsonSchema()).sort())
  })

  it.each([...known])('docs/agents.md shows how %s is called', (_, { make }) => {
    const able = { version: null, flags: null }
    const call = (mode: 'stream' | 'text') =>
      make().command({ prompt: '', model: null, flags: [], mode, budgetUsd: null, root: false }, able).argv
    for (const mode of ['stream', 'text'] as const)
      expect(read('docs/agents.md')).toContain(`\`${call(mode).join(' ')}\``)
  })

  it.each([...known])('docs/agents.md tells which variables are %s’s own', (name, { ownEnv, ownEnvWhen }) => {
    const [, table = ''] = read('docs/agents.md').split('\n## Environment\n')
    const row = table.split('\n').find(line => line.startsWith(`| ${name} |`))
    for (const variable of [...ownEnv, ...Object.values(ownEnvWhen ?? {}).flat()])
      expect(row).toContain(`\`${variable}\``)
  })

  it.each(['README.md', 'docs/settings.md', 'src/cli/verbs/options.ts'])(
    '%s names every known agent',
    page => {
      const text = read(page).toLowerCase()
      expect([...known.keys()].filter(name => !text.includes(name))).toEqual([])
    },
  )
})

/** The anchors that GitHub gives to the headings of a page. */
function anchorsIn(page: string): string[] {
  const headings = [...page.replace(/^```.*?^```/gms, '').matchAll(/^#+ (.+)$/gm)].map(([, title]) => title!)
  return headings.map(title =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )
}

/** `budget.usd`, `.tokens` → budget.usd, budget.tokens */
function keysIn(cell: string): string[] {
  const [first = '', ...rest] = [...cell.matchAll(/`([^`]+)`/g)].map(([, key]) => key!)
  const section = first.slice(0, first.lastIndexOf('.'))
  return [first, ...rest.map(key => (key.startsWith('.') ? section + key : key))]
}

type Node = ReturnType<typeof jsonSchema>

/** Every key of a JSON Schema that has no keys of its own. */
function keysOf(node: Node, at = ''): string[] {
  const forms = [node, ...((node.anyOf ?? node.oneOf ?? []) as Node[])]
  const inner = forms.flatMap(form => [
    ...Object.entries((form.properties ?? {}) as Record<string, Node>).flatMap(([key, value]) =>
      key === '$schema' ? [] : keysOf(value, at === '' ? key : `${at}.${key}`),
    ),
    ...(hasKeys(form.items as Node | undefined) ? keysOf(form.items as Node, `${at}[]`) : []),
  ])
  return inner.length > 0 ? [...new Set(inner)] : [at]
}

/** An entry of a list with keys of its own, in one form or several. */
const hasKeys = (items: Node | undefined): boolean =>
  items?.properties !== undefined || items?.oneOf !== undefined

describe('the repository', () => {
  it.each([...PAGES, 'CHANGELOG.md'])('%s has no half of a merge in it', page => {
    expect(read(page)).not.toMatch(/^(<{7}|={7}$|>{7})/m)
  })

  it('the README has its parts', () => {
    const readme = read('README.md')
    const parts = [...readme.matchAll(/^## (.*)$/gm)].map(([, title]) => title)
    for (const part of ['Installation', 'Usage', 'Configuration', 'Architecture', 'Development'])
      expect(parts).toContain(part)
    for (const words of ['# Ralph\n\nRalph runs', 'Prerequisites', 'npm run build'])
      expect(readme).toContain(words)
  })

  it('the README names the commands for build, test, lint and format, and they exist', () => {
    const { scripts } = JSON.parse(read('package.json'))
    const [, development = ''] = read('README.md').split('\n## Development\n')
    const ours = [...development.matchAll(/`npm (?:run )?([\w:]+)`/g)].map(([, name]) => name!)
    expect(ours).toEqual(expect.arrayContaining(['build', 'test', 'check', 'fmt', 'clean']))
    expect(ours.filter(name => !(name in scripts))).toEqual([])
    expect(scripts.check).toContain('biome check')
  })

  it('what is built, logged or local is ignored', () => {
    expect(read('.gitignore').split('\n')).toEqual(
      expect.arrayContaining(['node_modules/', 'dist/', '*.log', '.idea/', '.vscode/', '*.swp', '.DS_Store']),
    )
  })

  it('every part of the source has its tests', () => {
    const tested = foldersIn('test')
    expect(foldersIn('src').filter(part => !tested.includes(part))).toEqual([])
  })

  it('the package brings one program, and what it needs', () => {
    const { bin, files } = JSON.parse(read('package.json'))
    expect(bin).toEqual({ ralph: 'dist/ralph.js' })
    expect(files).toContain('dist')
  })
})
