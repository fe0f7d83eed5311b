import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { srtSandbox } from '../../../src/runners/sandbox/srt.ts'
import { scratch } from '../../support/scratch.ts'

/** The sandbox srt with another program as its host, and its folder for temporary files. */
function openWith(host: string) {
  const root = scratch('ralph-host-')
  for (const folder of ['bin', 'tmp', 'home']) mkdirSync(join(root, folder))
  for (const name of ['srt', 'bwrap', 'socat', 'rg', 'index.js'])
    writeFileSync(join(root, 'bin', name), '#!/bin/sh\n', { mode: 0o755 })
  writeFileSync(join(root, 'host.mjs'), host)
  vi.stubEnv('TMPDIR', join(root, 'tmp'))
  onTestFinished(() => void vi.unstubAllEnvs())
  const sandbox = srtSandbox({
    run: 'r',
    project: join(root, 'project'),
    borders: () => ({
      home: join(root, 'home'),
      ralphHome: '',
      folders: [],
      git: [],
      links: [],
      agents: [],
      logins: [],
      secrets: [],
      env: {},
      settings: { allowedDomains: [], allowWrite: [], denyRead: [] },
    }),
    program: join(root, 'host.mjs'),
    env: { PATH: join(root, 'bin') },
    keeps: () => true,
    checkDomains: [],
    onDenied() {},
    answerMs: 1000,
  })
  const wrap = () => sandbox.wrap({ argv: ['true'], cwd: '/', env: {}, stdin: '' }, 'call', {})
  return { sandbox, wrap, left: () => readdirSync(join(root, 'tmp')) }
}

test('a sandbox whose host does not answer is given up, and leaves no files', async () => {
  const { wrap, left } = openWith('process.stdin.resume()')
  await expect(wrap()).rejects.toThrow(
    'the sandbox srt cannot be opened: the process of the sandbox has ended: it did not answer within 1s',
  )
  expect(left()).toEqual([])
})

test('a host that opens, and then does not answer, is given up too', async () => {
  const { sandbox, wrap, left } = openWith(
    "process.stdin.once('data', () => console.log(JSON.stringify({ asked: 0 }))).resume()",
  )
  await expect(wrap()).rejects.toThrow('it did not answer within 1s')
  await expect(wrap()).rejects.toThrow('the process of the sandbox has ended')
  await sandbox.close()
  expect(left()).toEqual([])
})

test('what the runtime prints itself is no answer, and is told when the host ends', async () => {
  const { sandbox, wrap } = openWith(
    `let asked = 0
    process.stdin.on('data', () => {
      console.log('the runtime says hello\\nnull\\n{}')
      if (asked === 2) {
        console.log('and good-bye')
        process.exit(1)
      }
      console.log(JSON.stringify({ asked: asked++, argv: ['wrapped'] }))
    })`,
  )
  expect((await wrap()).argv).toEqual(['wrapped'])
  await expect(wrap()).rejects.toThrow('the process of the sandbox has ended: and good-bye')
  await sandbox.close()
})
