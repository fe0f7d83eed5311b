import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')

/** In bytes. Every start reads it, even of `ralph --help`. */
const MOST = 84_000

type Metafile = { inputs: Record<string, unknown> }

const inputsOf = (bundle: string): Metafile['inputs'] =>
  JSON.parse(readFileSync(join(ROOT, `node_modules/.cache/ralph/bundles/${bundle}.json`), 'utf8')).inputs

describe('what the commands do', () => {
  it('has nothing of their options, which would bring commander and wrap every module', () => {
    const isOption = (path: string) =>
      /^node_modules\/commander\/|^src\/cli\/(?:verbs\/|main\.ts$)/.test(path)
    expect(Object.keys(inputsOf('actions')).filter(isOption)).toEqual([])
  })
})

describe('the program that every start reads', () => {
  const inputs = inputsOf('program')
  const others = Object.keys(inputs).filter(path => !/^src\/cli\/verbs\//.test(path))

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
    expect(statSync(join(ROOT, 'dist/program.js')).size).toBeLessThanOrEqual(MOST)
  })
})
