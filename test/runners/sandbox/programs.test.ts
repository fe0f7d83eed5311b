import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findSrt } from '../../../src/runners/sandbox/programs.ts'
import { scratch } from '../../support/scratch.ts'

/** A project and the programs of a system, which a person installed for everybody. */
function openScene() {
  const root = scratch('ralph-programs-')
  const at = (path: string) => join(root, path)
  const add = (path: string) => {
    mkdirSync(dirname(at(path)), { recursive: true })
    writeFileSync(at(path), '#!/bin/sh\n')
    chmodSync(at(path), 0o755)
    return at(path)
  }
  mkdirSync(at('project'))
  for (const name of ['bwrap', 'socat', 'rg']) add(`usr/bin/${name}`)
  const cli = add('usr/lib/node_modules/srt/dist/cli.js')
  const runtime = add('usr/lib/node_modules/srt/dist/index.js')
  symlinkSync(cli, at('usr/bin/srt'))
  const find = (path: string, platform: NodeJS.Platform = 'linux') => findSrt(path, at('project'), platform)
  return { at, add, runtime, find }
}

describe('the programs of the sandbox', () => {
  test('are found by their paths, and the runtime by the link that its package installed', () => {
    const { at, runtime, find } = openScene()
    const srt = at('usr/bin/srt')
    const others = { bwrap: at('usr/bin/bwrap'), socat: at('usr/bin/socat'), rg: at('usr/bin/rg') }
    expect(find(at('usr/bin'))).toEqual({ programs: { srt, runtime, ...others } })
    expect(find(at('usr/bin'), 'darwin')).toEqual({ programs: { srt, runtime } })
  })

  test.each([
    ['the packages of the project', 'project/node_modules/.bin'],
    ['a folder of the project', 'project/bin'],
    ['the packages of a folder above', 'node_modules/.bin'],
  ])('are not those of %s: the next ones on PATH are taken', (_, folder) => {
    const { at, add, find } = openScene()
    for (const name of ['srt', 'bwrap', 'socat', 'rg']) add(`${folder}/${name}`)
    expect(find(`${at(folder)}:${at('usr/bin')}`)).toEqual(find(at('usr/bin')))
  })

  test('that only a project has are refused, with the reason and the way to others', () => {
    const { at, add, find } = openScene()
    const srt = add('project/node_modules/.bin/srt')
    expect(find(dirname(srt))).toEqual({
      missing: [
        {
          what: `${srt} is not used, because an agent could replace it: it belongs to a project`,
          remedy: 'npm install -g @anthropic-ai/sandbox-runtime',
        },
        { what: 'bwrap is not on PATH', remedy: 'install the package bubblewrap' },
        { what: 'socat is not on PATH', remedy: 'install the package socat' },
        { what: 'rg is not on PATH', remedy: 'install the package ripgrep' },
      ],
    })
    expect(find(at('usr/bin'), 'win32')).toEqual({
      missing: [{ what: 'srt does not run on win32', remedy: 'use Linux, macOS or WSL' }],
    })
  })

  test('a program named srt that no package installed is not taken', () => {
    const { at, add, find } = openScene()
    const srt = add('local/srt')
    expect(find(`${dirname(srt)}:${at('usr/bin')}`)).toMatchObject({
      missing: [{ what: `${srt} is not the program of its package` }],
    })
  })
})
