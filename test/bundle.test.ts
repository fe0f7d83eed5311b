import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { setStage } from './cli/scene.ts'

const ROOT = join(import.meta.dirname, '..')
const DIST = join(ROOT, 'dist')

/** In bytes: the program that every start reads, even of `ralph --help`; and all that `ralph run` reads. */
const MOST = { program: 84_000, run: 480_000 }

/** As scripts/build.mjs left it: the source files of each bundle with the bytes that they take there, and its doors. */
const { inside, doors }: { inside: Record<string, Record<string, number>>; doors: Record<string, string[]> } =
  JSON.parse(readFileSync(join(ROOT, 'node_modules/.cache/ralph/bundles/inside.json'), 'utf8'))
const inputsOf = (bundle: string): string[] => Object.keys(inside[bundle]!)

const all = Object.values(inside).flatMap(Object.keys)

/** Libraries, and what a command does, are opened by `await import()`. */
const isCalled = (door: string) => /^src\/(?!cli\/(?:run-)?actions)/.test(door)

const sizeOf = (name: string): number => statSync(join(DIST, name)).size

/** Loaded into ralph before its own code: keeps which files of `dist` it reads. */
const WATCH = (kept: string) => `const fs = require('node:fs')
const { openSync, readFileSync } = fs
const paths = new Map()
const read = new Set([process.argv[1]])
fs.openSync = (path, ...rest) => {
  const file = openSync(path, ...rest)
  paths.set(file, String(path))
  return file
}
fs.readFileSync = (file, ...rest) => {
  const path = paths.get(file) ?? String(file)
  if (path.startsWith(${JSON.stringify(`${DIST}/`)})) read.add(path)
  return readFileSync(file, ...rest)
}
process.on('exit', () => fs.writeFileSync(${JSON.stringify(kept)}, [...read].join('\\n')))
`

/** The bundles that a process of ralph reads. */
async function readBy(...words: string[]): Promise<string[]> {
  const stage = setStage()
  const [watch, kept] = [join(stage.root, 'watch.cjs'), join(stage.root, 'kept')]
  writeFileSync(watch, WATCH(kept))
  Object.assign(stage.env, { NODE_OPTIONS: `--require ${watch}` })
  const ran = await stage.spawn(...words)
  expect(ran).toMatchObject({ code: 0 })
  const paths = readFileSync(kept, 'utf8').split('\n')
  return paths
    .filter(path => path.endsWith('.js'))
    .map(path => path.slice(DIST.length + 1))
    .sort()
}

describe('what the commands do', () => {
  const { program: _, ...others } = inside
  const all = Object.values(others).flatMap(Object.keys)

  it('has nothing of their options, which would bring commander', () => {
    const isOption = (path: string) =>
      /^node_modules\/commander\/|^src\/cli\/(?:verbs\/|main\.ts$)/.test(path)
    expect(all.filter(isOption)).toEqual([])
  })

  it('is cut so that every file is in one bundle only, with its state and its classes', () => {
    expect(all.length).toBeGreaterThan(400)
    expect(all.filter((path, at) => all.indexOf(path) !== at)).toEqual([])
  })

  it.each(Object.values(doors).flat().filter(isCalled))('is opened by functions only: %s', async door => {
    const exported: unknown[] = Object.values(await import(join(ROOT, door)))
    expect(exported).not.toEqual([])
    expect(exported.filter(one => typeof one !== 'function' || /^class\b/.test(String(one)))).toEqual([])
  })
})

describe('a run', () => {
  it('reads only what it uses', async () => {
    const read = await readBy('run', '-p', 'x', '-m', '2')
    expect(read).toEqual(['program.js', 'ralph.js', 'run.js'])
    const bytes = read.map(sizeOf).reduce((sum, size) => sum + size)
    expect(bytes).toBeLessThanOrEqual(MOST.run)
  })

  it('opens more for what it is told to do', async () => {
    const read = await readBy('run', '-p', 'x', '-m', '2', '--check', 'true')
    expect(read).toEqual(['checks.js', 'doubts.js', 'program.js', 'ralph.js', 'run.js'])
  })

  it('of another workflow reads that besides', async () => {
    const read = await readBy('build', 'a goal', '--dry-run')
    expect(read).toEqual(['build.js', 'program.js', 'ralph.js', 'run.js'])
  })

  it.each([
    ['other workflows', /^src\/workflows\/(?:build|pipeline|stories|index)/],
    ['other commands', /^src\/cli\/(?:actions|commands\/(?!run\/|spawn\/|watch\/))/],
    ['what reads the streams of other agents', /^src\/agents\/(?!claude)\w+\/stream/],
    ['a sandbox at work', /^src\/(?:runners\/sandbox\/(?:srt|check|protocol|host)|host\/docker\/docker)/],
    ['workers and the full screen', /^src\/(?:workers|ui|runners\/tmux|view\/(?:screens|morning))\//],
    ['the judge', /^src\/checks\/judge\//],
    ['what compares tests', /^src\/checks\/rules\/(?:weakened|skips|lost-tests|behind-check)/],
    ['worktrees', /^src\/host\/worktrees\/(?!workspaces)/],
    ['libraries for few', /^node_modules\/(?:picomatch|string-width)\//],
  ])('has in its bundle nothing of %s', (_, others) => {
    expect(inputsOf('run').filter(path => others.test(path))).toEqual([])
    expect(all.some(path => others.test(path))).toBe(true)
  })
})

describe('the program that every start reads', () => {
  const others = inputsOf('program').filter(path => !/^src\/cli\/verbs\//.test(path))

  it('is made of the commands’ options, commander, and little else', () => {
    const ours = others.filter(path => !/^node_modules\/commander\//.test(path))
    expect(ours.sort()).toEqual([
      'package.json',
      'src/cli/main.ts',
      'src/core/format.ts',
      'src/core/visible.ts',
      'src/settings/words.ts',
      'src/terminal/print.ts',
      'unused:child_process',
    ])
  })

  it('is small', () => {
    expect(sizeOf('program.js')).toBeLessThanOrEqual(MOST.program)
  })

  it('is all that help reads', async () => {
    expect(await readBy('--help')).toEqual(['program.js', 'ralph.js'])
  })
})
