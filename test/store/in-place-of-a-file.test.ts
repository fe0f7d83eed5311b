import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../src/core/events.ts'
import { readHead } from '../../src/git/head.ts'
import { hooksOf } from '../../src/git/hooks.ts'
import { recordStart } from '../../src/git/start.ts'
import { readArea } from '../../src/protect/area.ts'
import { differingPaths, readAreas, takeSnapshot } from '../../src/protect/snapshot.ts'
import { receiveControls } from '../../src/store/control.ts'
import { readOrMove } from '../../src/store/files/inside.ts'
import { pinFolder } from '../../src/store/files/pinned.ts'
import { beginningOf, openJournal, readJournal } from '../../src/store/journal.ts'
import { readMemo } from '../../src/store/memos.ts'
import { openProgressLog } from '../../src/store/progress-log.ts'
import { findReceipt, latestReceipt } from '../../src/store/receipts.ts'
import { setRepository } from '../cli/work-tree.ts'
import { scratch } from '../support/scratch.ts'

/** What an agent puts where ralph reads a file. Each would make a plain read wait for ever, fail, or fill the memory. */
const HOSTILE: readonly (readonly [what: string, put: (path: string) => void])[] = [
  ['a pipe', path => void execFileSync('mkfifo', [path])],
  [
    'a link to a pipe',
    path => {
      execFileSync('mkfifo', [`${path}.pipe`])
      symlinkSync(`${path}.pipe`, path)
    },
  ],
  ['a link to a device without end', path => symlinkSync('/dev/zero', path)],
  ['a folder', path => void mkdirSync(path)],
  [
    'a file of 5 GB',
    path => {
      writeFileSync(path, '')
      truncateSync(path, 5e9)
    },
  ],
]

/** JSON that would exhaust the stack of whoever walks it. */
const DEEP = '['.repeat(100_000) + ']'.repeat(100_000)

function put(path: string, by: (path: string) => void): void {
  mkdirSync(dirname(path), { recursive: true })
  rmSync(path, { recursive: true, force: true })
  by(path)
}

describe.each(HOSTILE)('%s', (_, make) => {
  it('in the place of a list is moved aside and told', () => {
    const root = scratch()
    const path = join(root, 'tasks.json')
    put(path, make)
    expect(readOrMove(pinFolder(root), path)).toEqual({
      unusable: expect.stringMatching(/^it is /),
      kept: `${path}.broken-1`,
    })
    expect(existsSync(path)).toBe(false)
  })

  it('in the place of progress.txt is moved aside, told, and written again', () => {
    const project = scratch()
    const path = join(project, 'progress.txt')
    const warnings: string[] = []
    const journal: RunEvent[] = [{ type: 'instructed', at: 1, text: 'one\n' }]
    const notes = () => (event: RunEvent) => (event.type === 'instructed' ? event.text : '')
    const log = {
      path,
      root: pinFolder(project),
      journal: () => journal,
      notes,
      warn: (note: string) => warnings.push(note),
    }
    const onEvent = openProgressLog(log, journal)
    put(path, make)
    journal.push({ type: 'instructed', at: 2, text: 'two\n' })
    onEvent(journal[1]!)
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n')
    // A folder is removed before anything is read.
    if (existsSync(`${path}.broken-1`)) expect(warnings).toEqual([expect.stringMatching(/could not be used/)])
  })

  it('in the place of a request is removed', () => {
    const dir = scratch()
    put(join(dir, 'control', '1-a.json'), make)
    const controls = receiveControls(dir, [], { pid: 1, startTime: '1', host: 'h' }, () => {})
    controls.close()
    expect(controls.pending()).toEqual([])
    expect(existsSync(join(dir, 'control', '1-a.json'))).toBe(false)
  })

  it('in the place of a journal is refused with its path, and does not hide other runs', () => {
    const dir = scratch()
    const path = join(dir, 'journal.ndjson')
    put(path, make)
    expect(() => readJournal(dir)).toThrow(`${path} is `)
    expect(() => openJournal(dir)).toThrow(`${path} is `)
    expect(beginningOf(dir)).toBeNull()
  })

  it('in the place of a receipt or a memo counts as none', () => {
    const home = scratch()
    put(join(home, 'receipts', 'r1.json'), make)
    put(join(home, 'left.json'), make)
    expect([findReceipt(home, 'r1'), latestReceipt(home, '/p'), readMemo(home, 'left')]).toEqual([
      null,
      null,
      null,
    ])
  })

  it('in a protected folder is noticed without being read', () => {
    const root = scratch()
    const areas = [readArea({ root, globs: ['test/**'] })]
    put(join(root, 'test', 'kept'), path => writeFileSync(path, 'kept'))
    const before = takeSnapshot(areas, {})
    put(join(root, 'test', 'kept'), make)
    expect(differingPaths(before, readAreas(areas, before).files)).toEqual(
      expect.arrayContaining([join(root, 'test', 'kept')]),
    )
  })

  it('in the place of git’s own files is not waited for', async () => {
    const { project, env, sh } = setRepository()
    sh('git pack-refs --all; rm -rf .git/refs/heads/main')
    const start = (await recordStart(project, env))!
    const before = start.hooks
    put(join(project, '.git', 'hooks', 'pre-commit'), make)
    expect(await hooksOf(project, env)).not.toBe(before)
    put(join(project, '.git', 'packed-refs'), make)
    expect(readHead(start.dirs)).toEqual({ commit: null, branch: 'main' })
    put(join(project, '.git', 'HEAD'), make)
    expect(readHead(start.dirs)).toBeNull()
  })
})

describe('JSON that is nested very deep', () => {
  it.each([
    ['a request', 'control/1-a.json', `{"type":"tell","text":"x","x":${DEEP}}`],
    ['a receipt', 'receipts/r1.json', `{"project":"/p","x":${DEEP}}`],
    ['a memo', 'left.json', DEEP],
  ])('counts as no valid %s', (_, name, text) => {
    const dir = scratch()
    put(join(dir, name), path => writeFileSync(path, text))
    const controls = receiveControls(dir, [], { pid: 1, startTime: '1', host: 'h' }, () => {})
    controls.close()
    expect([controls.pending(), findReceipt(dir, 'r1'), readMemo(dir, 'left')]).toEqual([[], null, null])
  })

  it('is an invalid line of a journal', () => {
    const dir = scratch()
    writeFileSync(join(dir, 'journal.ndjson'), `{"type":"told","at":1,"text":"x","x":${DEEP}}\n`)
    expect(() => readJournal(dir)).toThrow(':1 is not')
  })
})

it('protected files that could not all be put back stop the run before an agent starts', () => {
  const root = scratch()
  const areas = [readArea({ root, globs: ['big'] })]
  put(join(root, 'big'), path => {
    writeFileSync(path, '')
    truncateSync(path, 17 * 1024 ** 2)
  })
  expect(() => takeSnapshot(areas, {})).toThrow('larger than 16 MiB')
})
