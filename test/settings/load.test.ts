import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadSettings } from '../../src/settings/load.ts'
import { folder, project, refusal } from './project.ts'

const SETTINGS = '.ralph/settings.json'

test('local settings go before the shared ones, flags before both', () => {
  const path = project({
    'settings.json': {
      maximumIterations: 3,
      completionResponse: 'SHARED',
      agent: { command: 'codex', flags: ['--model opus'] },
      guardrails: [{ command: 'make lint' }, { command: 'make test' }],
    },
    'settings.local.json': {
      completionResponse: 'LOCAL',
      agent: { flags: ['--verbose'] },
      guardrails: [{ command: 'true' }],
    },
  })
  const { settings, sources } = loadSettings(path, { maximumIterations: 7, agent: { model: 'opus' } })
  expect(settings).toMatchObject({
    maximumIterations: 7,
    completionResponse: 'LOCAL',
    agent: { command: 'codex', flags: ['--verbose'], model: 'opus' },
    guardrails: [{ command: 'true' }],
  })
  expect(sources).toEqual(['.ralph/settings.json', '.ralph/settings.local.json'])
})

test('what the files say is kept apart from the flags and the defaults', () => {
  const path = project({
    'settings.json': { agent: { command: 'codex', flags: ['a'] } },
    'settings.local.json': { agent: { flags: ['b'] } },
  })
  expect(loadSettings(path, { agent: { command: 'claude' } }).fromFiles).toEqual({
    agent: { command: 'codex', flags: ['b'] },
  })
})

test('missing files are fine', () => {
  expect(loadSettings(folder())).toMatchObject({ sources: [], fromFiles: {} })
  expect(loadSettings(project({})).sources).toEqual([])
  expect(loadSettings(project({ 'settings.local.json': {} })).sources).toEqual(['.ralph/settings.local.json'])
})

test('flags that were not given override nothing', () => {
  const path = project({ 'settings.json': { maximumIterations: 3, agent: { command: 'codex' } } })
  const { settings } = loadSettings(path, { maximumIterations: undefined, agent: { command: undefined } })
  expect(settings).toMatchObject({ maximumIterations: 3, agent: { command: 'codex' } })
})

test('a byte order mark and Windows line ends are read like any other text', () => {
  const path = project({ 'settings.json': '\ufeff{\r\n  "maximumIterations": 4\r\n}\r\n' })
  expect(loadSettings(path).settings.maximumIterations).toBe(4)
})

test.each<[string, string | Buffer, string]>([
  ['nothing', '', `${SETTINGS} is empty; remove it, or write JSON into it`],
  ['blanks only', ' \n\t\n', `${SETTINGS} is empty; remove it, or write JSON into it`],
  ['a byte order mark only', '\ufeff', `${SETTINGS} is empty; remove it, or write JSON into it`],
  ['a stray word', '{\n  "maximumIterations": ten\n}', `${SETTINGS}:2:25: unexpected "e"`],
  [
    'a missing comma',
    '{\n  "a": 1\n  "b": 2\n}',
    `${SETTINGS}:3:3: expected ',' or '}' after property value`,
  ],
  ['a trailing comma', '{\n  "a": 1,\n}', `${SETTINGS}:2:9: remove the comma before "}"`],
  ['a trailing comma in a list', '{ "a": [1, 2,] }', `${SETTINGS}:1:13: remove the comma before "]"`],
  ['a comment', '{\n  // how often\n  "a": 1 }', `${SETTINGS}:2:3: JSON has no comments; remove it`],
  ['single quotes', "{ 'a': 1 }", `${SETTINGS}:1:3: JSON has double quotes only`],
  ['a key without quotes', '{ a: 1 }', `${SETTINGS}:1:3: expected property name or '}'`],
  ['a key without a value', '{ "a" }', `${SETTINGS}:1:7: expected ':' after property name`],
  ['an open object', '{ "a": 1', `${SETTINGS}:1:9: the file ends too early`],
  ['an open string', '{ "a": "x\n}', `${SETTINGS}:1:10: bad control character in string literal`],
  ['a raw tab in a string', '{ "a": "x\ty" }', `${SETTINGS}:1:10: bad control character in string literal`],
  ['a lone backslash', '{ "a": "C:\\dir" }', `${SETTINGS}:1:12: bad escaped character`],
  ['more than one value', '{} {}', `${SETTINGS}:1:4: unexpected non-whitespace character after JSON`],
  ['a number that is none', '{ "a": 01 }', `${SETTINGS}:1:9: unexpected number`],
  [
    'a key twice',
    '{\n  "agent": {},\n  "agent": {} }',
    `${SETTINGS}:3:3: the key "agent" is given twice; keep one of them`,
  ],
  [
    'a key twice, deeper',
    '{ "a": [{ "b": {"c": "c"}, "\\u0062" : 1 }] }',
    `${SETTINGS}:1:28: the key "b" is given twice; keep one of them`,
  ],
  [
    'Windows line ends',
    '{\r\n  "a": 1,\r\n  b\r\n}',
    `${SETTINGS}:3:3: expected double-quoted property name`,
  ],
  ['a byte order mark', '\ufeff{ x }', `${SETTINGS}:1:3: expected property name or '}'`],
  ['letters of two units before it', '{ "😀": 😀 }', `${SETTINGS}:1:8: unexpected "😀"`],
  ['a control sequence', '{ \u001b[31m }', `${SETTINGS}:1:3: expected property name or '}'`],
  ['too much depth', '['.repeat(200_000), `${SETTINGS}:1:65: nested deeper than 64 levels`],
  ['NUL bytes', '{}\0', `${SETTINGS} contains NUL bytes; save it as UTF-8 text`],
  ['UTF-16', Buffer.from('\ufeff{}', 'utf16le'), `${SETTINGS} contains NUL bytes; save it as UTF-8 text`],
  [
    'Latin-1',
    Buffer.from('{"completionResponse": "Gr\xfc\xdfe"}', 'latin1'),
    `${SETTINGS} is not UTF-8 text; save it as UTF-8`,
  ],
  [
    'over 1 MiB',
    `{}${' '.repeat(1024 * 1024)}`,
    `${SETTINGS} is larger than 1 MiB, the most that ralph reads of it; replace it with a file of at most 1 MiB, or remove it`,
  ],
])('a file with %s is refused, and the place is named', (_, content, sentence) => {
  expect(refusal(() => loadSettings(project({ 'settings.json': content })))).toBe(sentence)
})

test('a file of exactly 1 MiB is still read', () => {
  expect(loadSettings(project({ 'settings.json': `{}${' '.repeat(1024 * 1024 - 2)}` })).sources).toEqual([
    SETTINGS,
  ])
})

test('a directory in its place is refused', () => {
  const path = project({})
  mkdirSync(join(path, SETTINGS))
  expect(refusal(() => loadSettings(path))).toBe(
    `${SETTINGS} is a folder, not a regular file; replace it with a file of at most 1 MiB, or remove it`,
  )
})

test('a pipe in its place is refused, not waited for', () => {
  const path = project({})
  expect(spawnSync('sh', ['-c', 'mkfifo "$1"', 'sh', join(path, SETTINGS)]).status).toBe(0)
  expect(refusal(() => loadSettings(path))).toBe(
    `${SETTINGS} is a pipe, not a regular file; replace it with a file of at most 1 MiB, or remove it`,
  )
})

test('a link that leads nowhere is refused, one that leads to settings is followed', () => {
  const path = project({})
  symlinkSync('elsewhere.json', join(path, SETTINGS))
  expect(refusal(() => loadSettings(path))).toBe(
    `${SETTINGS} is a link to a file that does not exist; fix or remove it`,
  )
  writeFileSync(join(path, '.ralph/elsewhere.json'), '{"maximumIterations": 2}')
  expect(loadSettings(path).settings.maximumIterations).toBe(2)
})

test('a link to itself is refused', () => {
  const path = project({})
  symlinkSync('settings.json', join(path, SETTINGS))
  expect(refusal(() => loadSettings(path))).toMatch(/^\.ralph\/settings\.json cannot be read: ELOOP/)
})

test('a file in the place of the .ralph folder is refused', () => {
  const path = folder()
  writeFileSync(join(path, '.ralph'), '')
  expect(refusal(() => loadSettings(path))).toBe(`.ralph is a file, not a folder; move it away, or remove it`)
})

// Root reads whatever it likes, so as root there is nothing to see here; the run says that it was skipped.
test.skipIf(process.getuid?.() === 0)(
  'a file without read permission is refused (not testable as root)',
  () => {
    const path = project({ 'settings.json': {} })
    chmodSync(join(path, SETTINGS), 0)
    expect(refusal(() => loadSettings(path))).toBe(
      `${SETTINGS} cannot be read: permission denied; make it and its folder readable`,
    )
  },
)
