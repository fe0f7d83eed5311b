import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { known } from '../../src/agents/index.ts'
import { type ProbeOptions, probe } from '../../src/agents/probe/probe.ts'
import { scratch } from '../support/scratch.ts'
import { BIN, CLIS } from './clis.ts'

const pinned: string[] = Object.values(
  JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8')).dependencies,
)

describe.each(Object.keys(CLIS))('the real %s', name => {
  it.skipIf(!existsSync(join(BIN, name)))(
    'says its version, and lists the flags that ralph gives it',
    async () => {
      const home = scratch('ralph-real-')
      const run: ProbeOptions['run'] = ([program, ...args], signal) =>
        new Promise((resolve, reject) => {
          const env = { PATH: process.env.PATH, HOME: home, ...CLIS[name]!.env('http://127.0.0.1:9') }
          const child = execFile(program!, args, { signal, env }, (error, stdout, stderr) =>
            error ? reject(error) : resolve({ code: 0, stdout, stderr }),
          )
          child.stdin?.end()
        })
      const path = join(BIN, name)
      const able = await probe({ path, name, cacheDir: join(home, 'cache'), run, timeoutMs: 60_000 })
      expect(pinned).toContain(able.version)
      for (const mode of ['stream', 'text'] as const) {
        const ask = { prompt: '', model: 'm', flags: [], mode, budgetUsd: 1, root: false }
        const { argv } = known.get(name)!.make().command(ask, { version: null, flags: null })
        expect(argv.filter(word => /^-./.test(word) && !able.flags?.has(word))).toEqual([])
      }
    },
  )
})
