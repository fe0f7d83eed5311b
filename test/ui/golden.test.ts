import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { renderer } from '../../src/ui/terminal.ts'
import type { Size } from '../../src/view/screens/layout.ts'
import type { Model } from '../../src/view/screens/model.ts'
import { screenStyle } from '../../src/view/style.ts'
import { LARGE, modelWith, openScreen, SMALL } from '../view/screens/scene.ts'
import { openTerminal } from '../view/terminal.ts'
import { night, shop } from './golden-scene.ts'

const FOLDER = join(import.meta.dirname, 'golden')
/** Set, the files are written again. Look at what changed before you keep it. */
const isWriting = process.env.RALPH_GOLDEN !== undefined

/** Times of day are those of the place where one looks. */
beforeAll(() => void vi.stubEnv('TZ', 'UTC'))
afterAll(() => void vi.unstubAllEnvs())

const ENTER = '\r'
const DOWN = '\x1b[B'

/** What it shows, and the keys that lead to it. `isSmall`: a large one would show what another one shows, but for a line. */
type View = { model: (size: Size) => Model; keys?: string; isSmall?: true }

const VIEWS: Readonly<Record<string, View>> = {
  overview: { model: night },
  'overview-by-cost': { model: night, keys: 'ssss', isSmall: true },
  'overview-filtered': { model: night, keys: '/docs\r' },
  'overview-empty': { model: () => modelWith() },
  'overview-reading': { model: () => modelWith({ loading: 12 }) },
  'run-output': { model: shop },
  'run-output-only': { model: shop, keys: '\x14' },
  'run-scrolled': { model: shop, keys: 'gj', isSmall: true },
  'run-search': { model: shop, keys: '/discount\r', isSmall: true },
  'run-list': { model: shop, keys: '2' },
  'run-list-detail': { model: shop, keys: `2${DOWN}${DOWN}${ENTER}` },
  'run-lanes': { model: shop, keys: '3' },
  'run-agents': { model: shop, keys: '4' },
  'run-checks': { model: shop, keys: '5' },
  'run-iterations': { model: shop, keys: '6' },
  'run-iterations-detail': { model: shop, keys: `6${ENTER}` },
  'run-instruct': { model: shop, keys: 'iUse cents, \u6f22\u5b57 too', isSmall: true },
  'run-cancel': { model: shop, keys: 'x', isSmall: true },
  morning: { model: night, keys: 'm' },
  'morning-undo': { model: night, keys: 'mju' },
  help: { model: night, keys: '?' },
}

/** What a terminal shows after this frame. */
async function shown(lines: readonly string[], { columns, rows }: Size): Promise<string[]> {
  const terminal = openTerminal(columns, rows)
  let written = ''
  renderer({
    write: text => {
      written += text
    },
  }).draw(lines)
  await terminal.write(`\x1b[?7l${written}`)
  return terminal.screen()
}

function linesOf(name: string, size: Size, color = false): string[] {
  const { model, keys = '' } = VIEWS[name]!
  const screen = openScreen(model(size), { size })
  screen.type(keys)
  return screen.lines(screenStyle(color))
}

const viewsAt = (size: Size) => Object.keys(VIEWS).filter(name => size === SMALL || !VIEWS[name]!.isSmall)

const fileOf = (name: string, { columns, rows }: Size) => `${name}-${columns}x${rows}.txt`

describe.each([SMALL, LARGE])('at $columns×$rows', size => {
  it.each(viewsAt(size))('%s looks as its file says', async name => {
    const path = join(FOLDER, fileOf(name, size))
    const text = `${(await shown(linesOf(name, size), size)).join('\n')}\n`
    if (isWriting) {
      mkdirSync(FOLDER, { recursive: true })
      writeFileSync(path, text)
    }
    expect(text).toBe(existsSync(path) ? readFileSync(path, 'utf8') : `no ${path}`)
  })

  it.each(viewsAt(size))('%s says the same in colour as without', async name => {
    expect(await shown(linesOf(name, size, true), size)).toEqual(await shown(linesOf(name, size), size))
  })
})

it('there is no file of a view that is gone', () => {
  const wanted = [SMALL, LARGE].flatMap(size => viewsAt(size).map(name => fileOf(name, size)))
  expect(readdirSync(FOLDER).sort()).toEqual(wanted.sort())
})

it.each([
  { columns: 59, rows: 24 },
  { columns: 80, rows: 14 },
  { columns: 20, rows: 3 },
  { columns: 1, rows: 1 },
])('a terminal of $columns×$rows is told to be too small', async size => {
  const [first, ...rest] = await shown(openScreen(shop(size), { size }).lines(), size)
  const text = `ralph needs 60×15; this is ${size.columns}×${size.rows}`
  expect(first).toBe(size.columns < text.length ? `${text.slice(0, size.columns - 1)}…` : text)
  expect(rest).toHaveLength(size.rows - 1)
})
