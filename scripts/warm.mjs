// Does once what people do most, and keeps the code that V8 made for it beside the bundles (see src/cli/open-bundle.ts).
// A process of its own: what it does must leave no trace in the build's.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const require = createRequire(import.meta.url)
const [opener, dist] = process.argv.slice(2).map(path => resolve(path))
const { codePath, openBundle } = require(opener)

const scratch = mkdtempSync(join(tmpdir(), 'ralph-warm-'))
try {
  const project = join(scratch, 'project')
  mkdirSync(project)
  process.chdir(project)
  Object.assign(process.env, { HOME: scratch, RALPH_HOME: join(scratch, 'home'), RALPH_TRUST: '1' })
  const tasks = ['one', 'two'].map((content, i) => ({
    id: `#${i + 1}`,
    content,
    status: 'pending',
    activeForm: content,
    blockedBy: [],
  }))
  writeFileSync('tasks.json', JSON.stringify(tasks))

  const scripts = new Map()
  const { main } = openBundle(dist, './program.js', require, (path, script) => scripts.set(path, script))
  const agent = ['--', 'sh', '-c', 'cat >/dev/null; echo "<response>DONE</response>"']
  const said = []
  for (const words of [
    ['--help'],
    ['run', '--help'],
    ['run', '-p', 'x', ...agent],
    ['build', '--tasks', 'tasks.json', ...agent],
    ['status'],
    ['report'],
  ])
    said.push([words.join(' '), await main(words)])
  const failed = said.filter(([, code]) => code !== 0)
  if (failed.length > 0) throw new Error(`while warming up: ${JSON.stringify(failed)}`)
  for (const [path, script] of scripts) writeFileSync(codePath(path), script.createCachedData())
} finally {
  process.chdir('/')
  rmSync(scratch, { recursive: true, force: true })
}
