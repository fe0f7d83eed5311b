import {
  appendFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openActivityFile, readActivity } from '../../src/store/activity-file.ts'
import { LIMITS } from '../../src/store/files/read.ts'
import { scratch } from '../support/scratch.ts'
import { until } from '../support/until.ts'

function setScene() {
  const folder = scratch()
  const lines: string[] = []
  const file = openActivityFile({ folderFor: () => folder, keep: (path, act) => act(path) }, 1, line => {
    lines.push(line)
  })!
  onTestFinished(file.close)
  return { folder, lines, ...file }
}

it('is made for its owner alone, and passes on whole lines as they come', async () => {
  const { path, lines, folder } = setScene()
  expect([statSync(path).mode & 0o777, readFileSync(path, 'utf8')]).toEqual([0o600, ''])
  appendFileSync(path, 'a\n\nb')
  await until(() => lines.length === 1)
  appendFileSync(path, 'c\n')
  await until(() => lines.length === 2)
  expect(lines).toEqual(['a', 'bc'])
  expect(readActivity(folder)).toEqual(['a', 'bc'])
})

it('is read at once when somebody asks, and a last time when it is closed', () => {
  const { path, lines, read, close } = setScene()
  appendFileSync(path, 'a\n')
  read()
  expect(lines).toEqual(['a'])
  appendFileSync(path, 'b\n')
  close()
  appendFileSync(path, 'c\n')
  read()
  expect(lines).toEqual(['a', 'b'])
})

it('is read up to a limit', () => {
  const { path, lines, read, folder } = setScene()
  const line = `${'x'.repeat(1023)}\n`
  appendFileSync(path, line.repeat(2 * 1024))
  read()
  appendFileSync(path, 'more\n')
  read()
  expect(lines).toHaveLength(LIMITS.small / 1024)
  expect(readActivity(folder)).toEqual([])
})

it('is itself read, whatever an agent puts in its place', () => {
  const { path, lines, read, folder } = setScene()
  renameSync(path, join(folder, 'moved'))
  writeFileSync(path, 'forged\n')
  appendFileSync(join(folder, 'moved'), 'own\n')
  read()
  expect(lines).toEqual(['own'])
})

it('is done without where it cannot be made', () => {
  const folder = scratch()
  rmSync(folder, { recursive: true })
  expect(
    openActivityFile({ folderFor: () => folder, keep: (path, act) => act(path) }, 1, () => {}),
  ).toBeNull()
  expect([existsSync(folder), readActivity(folder)]).toEqual([false, []])
})
