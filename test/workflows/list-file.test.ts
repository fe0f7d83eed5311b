import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../src/core/events.ts'
import type { Folded } from '../../src/core/evolve.ts'
import { initial } from '../../src/core/table.ts'
import { pinFolder } from '../../src/store/files/pinned.ts'
import {
  isStale,
  type ListFile,
  type ListFormat,
  readChange,
  writeList,
} from '../../src/workflows/shared/list-file.ts'
import { scratch } from '../support/scratch.ts'

type Titles = readonly string[]

/** The file of a run whose list is the titles of its tasks. */
function openScene({ titles = ['one'], ...more }: { titles?: Titles } & Partial<ListFormat<Titles>> = {}) {
  const root = pinFolder(scratch('ralph-list-'))
  const path = join(root.path, 'session', 'tasks.json')
  const run: { tasks: Folded['tasks']; state: Folded['state'] } = { tasks: tasksOf(titles), state: initial }
  const file: ListFile<Titles> = {
    place: { root, path, writePath: () => path },
    read: json => (Array.isArray(json) ? { list: json } : { errors: ['it is no list'] }),
    project: ({ tasks }) => tasks.map(({ title }) => title),
    ifGone: ['It is gone.'],
    surelyAfter: ['applied'],
    journal: () => [],
    run: () => run,
    lastValid: [],
    written: null,
    ...more,
  }
  const put = (text: string) => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  const text = () => readFileSync(path, 'utf8')
  return { path, run, file, put, text }
}

const tasksOf = (titles: Titles) => titles.map(title => ({ id: title, title, blockedBy: [] }))

/** What a reader gets to see: the list that was found, and the one that was there before. */
function seenBy(file: ListFile<Titles>) {
  let seen: { found: Titles; before: Titles | null } | null = null
  const { refused } = readChange(file, 'person', 1, (found, written) => {
    seen = { found, before: file.project(written, found) }
    return { edit: {}, refused: [] }
  })
  return { seen, refused }
}

describe('a list file', () => {
  it('is written once, and not replaced as long as it means the same', () => {
    const { file, path, put, text } = openScene()
    expect(isStale(file)).toBe(true)
    writeList(file)
    expect([text(), isStale(file)]).toEqual(['[\n  "one"\n]\n', false])
    put('["one"]')
    const { ino } = statSync(path)
    writeList(file)
    expect([statSync(path).ino, text()]).toEqual([ino, '["one"]'])
  })

  it('is not written before the run has a list', () => {
    const { file, path } = openScene({ project: () => null })
    writeList(file)
    expect(readdirSync(dirname(dirname(path)))).toEqual([])
  })

  it('gives what was found and what ralph wrote last, although the run went on since', () => {
    const { file, run, put } = openScene()
    writeList(file)
    run.tasks = tasksOf(['one', 'two'])
    put('["one", "mine"]')
    expect(seenBy(file)).toEqual({ seen: { found: ['one', 'mine'], before: ['one'] }, refused: [] })
    writeList(file)
    expect(seenBy(file).seen).toEqual({ found: ['one', 'two'], before: ['one', 'two'] })
  })

  it.each([
    ['gone', (path: string) => rmSync(path), []],
    ['empty, after a power cut', (path: string) => writeFileSync(path, ''), []],
    ['broken', (path: string) => writeFileSync(path, '[{'), ['[{']],
    ['no list', (path: string) => writeFileSync(path, '{}'), ['{}']],
  ])('that is %s is put back; what was there is kept beside it', (_, spoil, kept) => {
    const { file, path, text } = openScene()
    writeList(file)
    spoil(path)
    const { seen, refused } = seenBy(file)
    expect(seen).toBeNull()
    expect(refused).toEqual([
      kept.length === 0
        ? 'It is gone.'
        : expect.stringMatching(
            /^tasks\.json could not be used \(.+\)\. It is put back\. What was there is kept as session\/tasks\.json\.broken-1\.$/,
          ),
    ])
    writeList(file)
    expect(text()).toBe('[\n  "one"\n]\n')
    expect(kept.map((_, n) => readFileSync(`${path}.broken-${n + 1}`, 'utf8'))).toEqual(kept)
  })

  it('never loses a text that could not be used', () => {
    const { file, path, put } = openScene()
    for (const text of ['one', 'two']) {
      put(text)
      seenBy(file)
    }
    mkdirSync(`${path}.broken-3`)
    put('three')
    expect(seenBy(file).refused[0]).toContain('broken-4')
    expect([1, 2, 4].map(n => readFileSync(`${path}.broken-${n}`, 'utf8'))).toEqual(['one', 'two', 'three'])
  })
})

describe('a list file that an earlier process wrote', () => {
  const edited = (...titles: string[]): RunEvent => ({
    type: 'edited',
    at: 1,
    by: 'person',
    list: { add: tasksOf(titles).map(task => ({ task, after: null })) },
  })
  const applied = (n: number) => ({ type: 'applied', at: 1, id: n }) as unknown as RunEvent
  const past = [edited('one'), applied(1), edited('two'), applied(2), edited('three'), edited('four')]

  const foundIn = (text: string) => {
    const { file, put } = openScene({ titles: ['four', 'three', 'two', 'one'], journal: () => past })
    put(text)
    return seenBy(file).seen
  }

  it.each([
    ['the last state', '["four", "three", "two", "one"]'],
    ['one before it', '["three", "two", "one"]'],
    ['the one that was surely written', '["two", "one"]'],
  ])('shows %s, which nobody has changed then', (_, text) => {
    expect(foundIn(text)).toEqual({ found: JSON.parse(text), before: JSON.parse(text) })
  })

  it.each([
    ['an older state', '["one"]'],
    ['a text of their own', '["mine"]'],
  ])('and now shows %s was changed since it surely was there', (_, text) => {
    expect(foundIn(text)).toEqual({ found: JSON.parse(text), before: ['two', 'one'] })
  })
})
