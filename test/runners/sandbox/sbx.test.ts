import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { cloneTrouble, sbxMissing } from '../../../src/host/docker/choose.ts'
import { sandboxName } from '../../../src/host/docker/record.ts'
import { sandboxesIn, versionIn } from '../../../src/runners/sandbox/docker/sbx.ts'
import { openDockerPlace } from './docker-place.ts'

test.each([
  ['{"client":{"version":"v0.46.0"},"server":{"state":"running"}}', '0.46.0'],
  ['sbx version: v0.39.0 def8cb0523a7\n', '0.39.0'],
  ['nothing', null],
])('the version in %j', (output, version) => {
  expect(versionIn(output)).toBe(version)
})

test('a list of sandboxes is read in its old and its new form, after lines for people', () => {
  const one = { name: 'ralph-1', status: 'running', agent: 'claude' }
  expect(sandboxesIn(`Starting sandboxd daemon...\n${JSON.stringify({ sandboxes: [one, {}] })}`)).toEqual([
    one,
  ])
  expect(sandboxesIn(JSON.stringify([{ name: 'ralph-1' }]))).toEqual([
    { name: 'ralph-1', status: 'unknown', agent: null },
  ])
  expect(sandboxesIn('{"sandboxes":null}')).toEqual([])
  expect(() => sandboxesIn('Please sign in')).toThrow('sbx ls failed: it printed no list')
})

test('names of sandboxes are short and plain, and differ for paths that differ', () => {
  const names = ['/a b', '/a_b', '/a b/c', `/${'x'.repeat(4000)}`, '/ü'].map(sandboxName)
  expect(new Set(names).size).toBe(names.length)
  for (const name of names) expect(name).toMatch(/^ralph-[\da-f]{12}$/)
})

test('docker that is named and missing is refused, with the way out', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-path-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  expect(sbxMissing(folder, '/nowhere')).toMatch(/^sbx is not on PATH; install sbx \(https:/)
  writeFileSync(join(folder, 'docker'), '#!/bin/sh\n', { mode: 0o755 })
  expect(sbxMissing(folder, '/nowhere')).toContain('its old command `docker sandbox` was replaced by sbx')
})

test('a project that cannot be cloned is refused before anything is made', () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-clone-')))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const start = {
    ...{ root, head: 'a', branch: 'main', dirty: {}, staged: {}, ignored: [], flagged: {}, sparse: [] },
    ...{ at: 0, ids: { root: '', own: '', common: '' }, hooks: '', dirs: { own: '', common: '' } },
  }
  const trouble = (more: object = {}) => cloneTrouble({ project: root, start, worktrees: false, ...more })
  expect(trouble({ worktrees: true })).toContain('tasks cannot have worktrees')
  expect(trouble({ start: null })).toContain('not a git repository')
  expect(trouble({ start: { ...start, head: null } })).toContain('no commit yet')
  writeFileSync(join(root, '.git'), 'gitdir: elsewhere')
  expect(trouble()).toContain('linked working tree')
  rmSync(join(root, '.git'))
  mkdirSync(join(root, '.git'))
  expect(trouble()).toBeNull()
  writeFileSync(join(root, '.git', 'shallow'), '')
  expect(trouble()).toContain('git fetch --unshallow')
})

test.each(['version', 'diagnose'])('sbx %s that fails refuses the run in one line', async verb => {
  const place = openDockerPlace('')
  place.plan({ [verb]: 'you are not signed in' })
  const { code, stderr } = await place.run(['run', '-p', 'x', '--sandbox', '-a', 'claude'])
  expect([code, stderr.replaceAll(/\s+/g, ' ').trim()]).toEqual([
    2,
    `ralph: error: sandbox docker: sbx ${verb} failed: you are not signed in`,
  ])
})
