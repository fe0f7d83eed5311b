import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { setStage } from './cli/scene.ts'

const ROOT = join(import.meta.dirname, '..')
const DIST = join(ROOT, 'dist')

/** In bytes: the program that every start reads, even of `ralph --help`; and all that `ralph run` reads. */
const MOST = { program: 84_000, run: 760_000 }

type Bundle = 'program' | 'run' | 'ui' | 'actions'

/** The source files of each bundle, with the bytes that they take there. */
const INSIDE: Record<Bundle, Record<string, number>> = JSON.parse(
  readFileSync(join(ROOT, 'node_modules/.cache/ralph/bundles.json'), 'utf8'),
)
const inputsOf = (bundle: Bundle): string[] => Object.keys(INSIDE[bundle])

const sizeOf = (name: string): number => statSync(join(DIST, name)).size

/** Loaded into ralph before its own code: keeps which files of `dist` it reads. */
const WATCH = (kept: string) => `const fs = require('node:fs')
const read = new Set([process.argv[1]])
const { readFileSync } = fs
fs.readFileSync = (path, ...rest) => {
  if (String(path).startsWith(${JSON.stringify(`${DIST}/`)})) read.add(String(path))
  return readFileSync(path, ...rest)
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
  it('has nothing of their options, which would bring commander', () => {
    const isOption = (path: string) =>
      /^node_modules\/commander\/|^src\/cli\/(?:verbs\/|main\.ts$)/.test(path)
    const { program: _, ...others } = INSIDE
    expect(Object.values(others).flatMap(Object.keys).filter(isOption)).toEqual([])
  })

  it('is cut so that every file is in one bundle only, with its state and its classes', () => {
    const { program: _, ...others } = INSIDE
    const all = Object.values(others).flatMap(Object.keys)
    expect(all.length).toBeGreaterThan(400)
    expect(all.filter((path, at) => all.indexOf(path) !== at)).toEqual([])
  })
})

describe('a run', () => {
  it('reads only what it uses', async () => {
    const read = await readBy('run', '-p', 'x', '-m', '2')
    expect(read).toEqual(['program.js', 'ralph.js', 'run.js'])
    const bytes = read.map(sizeOf).reduce((sum, size) => sum + size)
    expect(bytes).toBeLessThanOrEqual(MOST.run)
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
      'src/settings/duration.ts',
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
