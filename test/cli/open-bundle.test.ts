import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { bundleRequire, codePath } from '../../src/cli/open-bundle.ts'
import { RALPH } from '../support/ralph.ts'
import { scratch } from '../support/scratch.ts'

const OURS = /^(?!ralph).*\.js$/
const BUNDLES = readdirSync(dirname(RALPH)).filter(name => OURS.test(name))

const codes = readdirSync(dirname(RALPH)).filter(name => name.endsWith('.code'))

describe('the code that V8 made when ralph was built', () => {
  it('is there for what most people do', () => {
    const most = ['program', 'run', 'build', 'stories', 'actions', 'checks', 'doubts']
    expect(codes).toEqual(expect.arrayContaining(most.map(name => codePath(`${name}.js`))))
  })

  it('is of nothing but ASCII, which is how a bundle is read', () => {
    for (const name of BUNDLES) {
      const bytes = readFileSync(join(dirname(RALPH), name))
      expect(bytes.findIndex(byte => byte > 0x7f)).toBe(-1)
    }
  })

  it.each([
    ['processor', { arch: 'riscv64' }],
    ['system', { platform: 'aix' }],
    ['version of Node', { version: 'v20.19.0' }],
  ] as const)('is not taken by another %s, which it could crash', (_, other) => {
    const { platform, arch, version } = process
    const itsPath = codePath('program.js', { platform, arch, version, ...other })
    expect(itsPath).not.toBe(codePath('program.js'))
  })

  it.each<[string, (path: string) => void]>([
    ['is missing', path => rmSync(path)],
    ['is empty', path => writeFileSync(path, '')],
    ['is torn', path => writeFileSync(path, readFileSync(path).subarray(0, 5000))],
    ['is of another version of V8', path => writeFileSync(path, readFileSync(path).fill(7, 4, 8))],
    ['is no code at all', path => writeFileSync(path, 'x'.repeat(9999))],
  ])('may be of no use: ralph starts also when it %s', (_, spoil) => {
    const copy = join(scratch(), 'dist')
    cpSync(dirname(RALPH), copy, { recursive: true })
    for (const name of codes) spoil(join(copy, name))
    const ralph = (...words: string[]) =>
      execFileSync(process.execPath, [join(copy, 'ralph.js'), ...words], { encoding: 'utf8' })
    expect(ralph('--version')).toBe(`${manifest.version}\n`)
    expect(ralph('completions', 'bash')).toContain('ralph')
  })
})

describe('bundles that an update replaces', () => {
  it('are opened later as they were when ralph started', () => {
    const copy = join(scratch(), 'dist')
    cpSync(dirname(RALPH), copy, { recursive: true })
    const open = bundleRequire(copy, createRequire(RALPH))
    for (const name of ['./program.js', './run.js']) open(name)
    rmSync(copy, { recursive: true })
    mkdirSync(copy)
    for (const name of BUNDLES) writeFileSync(join(copy, name), 'another version')
    for (const code of codes) cpSync(join(dirname(RALPH), code), join(copy, code))
    expect(open('./judge.js')).toMatchObject({ judgeCriteria: expect.any(Function) })
    expect(open('./yaml.js')).toMatchObject({ parse: expect.any(Function) })
  })
})
