/**
 * Mutation run: changes the rules, tables, prompts and templates in small ways, and lists the changes that no test
 * notices. `npm run test:mutants -- [part of a path …]`; README.md beside this file says how to read it.
 *
 * The tests of a file are those of its area that import it, themselves or through others: they run in milliseconds.
 * Tests of the built program would take a minute for each mutant; a rule that only those check shows up here as not
 * tested.
 */
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, mutantsOf, mutantsOfText } from './mutate.mjs'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
const WORKER = fileURLToPath(new URL('worker.mjs', import.meta.url))

/** A mutant may loop for ever. On a busy machine the tests may take a while. */
const LONGEST_MS = 30_000

/** Which files are mutated, and the folders of their tests, or the tests themselves. */
const AREAS = [
  { files: /^src\/workflows\/\w+\/rules\/.*\.ts$/, tests: ['test/workflows'] },
  { files: /^src\/workflows\/\w+\/(table|merging)\.ts$/, tests: ['test/workflows', 'test/core'] },
  { files: /^src\/checks\/(judge\/)?rules\/.*\.ts$/, tests: ['test/checks'] },
  { files: /^src\/workers\/rules\/.*\.ts$/, tests: ['test/workers/rules'] },
  { files: /^templates\/[^/]+$/, only: ['test/workflows/stories/templates.test.ts'] },
]

/** Known changes for a judge: data, not rules. */
const DATA = ['src/checks/judge/rules/frozen-set.ts']

/** Random walks take too long for this. */
const TOO_LONG = ['test/core/walks.test.ts']

const filesIn = folder =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => relative(root, join(entry.parentPath, entry.name)))

const areaOf = file => AREAS.find(({ files }) => files.test(file))

/** The files that a source imports, itself or through others. */
function importsOf(file, seen = new Set()) {
  for (const [, name] of readFileSync(join(root, file), 'utf8').matchAll(/from '(\.[^']+\.ts)'/g)) {
    const imported = relative(root, resolve(root, dirname(file), name))
    if (seen.has(imported)) continue
    seen.add(imported)
    importsOf(imported, seen)
  }
  return seen
}

const testsIn = folder =>
  filesIn(folder)
    .filter(file => file.endsWith('.test.ts') && !TOO_LONG.includes(file))
    .map(file => ({ file, imports: importsOf(file) }))

const tests = new Map(AREAS.flatMap(area => area.tests ?? []).map(folder => [folder, testsIn(folder)]))

function testsOf(file) {
  const { tests: folders = [], only = [] } = areaOf(file)
  const importing = folders.flatMap(folder => tests.get(folder)).filter(({ imports }) => imports.has(file))
  return [...only, ...importing.map(test => test.file)]
}

/** Tries the mutants of a file from `first` on; returns the next to try after one that had to be stopped, or null. */
function tryFrom(copy, file, first, results) {
  const child = spawn(
    process.execPath,
    [WORKER, JSON.stringify({ copy, file, tests: testsOf(file), first })],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    },
  )
  let trying = null
  let isBroken = false
  return new Promise((done, fail) => {
    let timer
    const watch = () => {
      clearTimeout(timer)
      timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), LONGEST_MS)
    }
    watch()
    createInterface({ input: child.stdout }).on('line', line => {
      if (!line.startsWith('{')) return
      watch()
      const entry = JSON.parse(line)
      if (entry.broken) isBroken = true
      else if ('trying' in entry) trying = entry.trying
      else {
        results.set(entry.index, entry.survived)
        trying = null
      }
    })
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      if (isBroken) fail(new Error(`the tests of ${file} fail without any change`))
      else if (trying === null && signal === null && code === 0) done(null)
      else if (trying === null) fail(new Error(`the worker of ${file} failed`))
      else {
        // It took too long, or took the worker with it: that is noticed.
        results.set(trying, false)
        done(trying + 1)
      }
    })
  })
}

async function tryFile(copy, file) {
  const source = readFileSync(join(root, file), 'utf8')
  const mutants = file.endsWith('.ts') ? mutantsOf(source) : mutantsOfText(source)
  if (testsOf(file).length === 0) {
    console.log(`${file}: ${mutants.length} mutants, no test imports it`)
    return { made: mutants.length, survived: mutants.length }
  }
  const results = new Map()
  for (let first = 0; first !== null && first < mutants.length; )
    first = await tryFrom(copy, file, first, results)
  const survivors = mutants.filter((_, index) => results.get(index))
  console.log(`${file}: ${mutants.length} mutants, ${survivors.length} survived`)
  for (const mutant of survivors) console.log(`  ${describe(source, mutant)}`)
  return { made: mutants.length, survived: survivors.length }
}

const wanted = process.argv.slice(2)
const files = [...filesIn('src'), ...filesIn('templates')]
  .filter(file => areaOf(file) && !DATA.includes(file))
  .filter(file => wanted.length === 0 || wanted.some(part => file.includes(part)))
  .sort()
const copy = mkdtempSync(join(tmpdir(), 'ralph-mutants-'))
try {
  for (const part of ['src', 'test', 'templates', 'package.json', 'tsconfig.json', 'vitest.config.ts'])
    cpSync(join(root, part), join(copy, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  let [made, survived] = [0, 0]
  for (const file of files) {
    const result = await tryFile(copy, file)
    made += result.made
    survived += result.survived
  }
  console.log(`${made} mutants in ${files.length} files, ${survived} survived`)
} finally {
  rmSync(copy, { recursive: true, force: true })
}
