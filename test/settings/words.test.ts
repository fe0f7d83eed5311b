import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { resolveFlags } from '../../src/settings/load.ts'
import { refusal } from './project.ts'

test.each<[string, string[]]>([
  ['--no-auto-compact', ['--no-auto-compact']],
  ['--model opus', ['--model', 'opus']],
  ['  --model \t opus\n', ['--model', 'opus']],
  ['', []],
  ['   ', []],
  ["''", ['']],
  ['""', ['']],
  ['a "" b', ['a', '', 'b']],
  ["--append 'two words'", ['--append', 'two words']],
  ['--append "two words"', ['--append', 'two words']],
  ['--append=two\\ words', ['--append=two words']],
  ['--x="a b"c', ['--x=a bc']],
  ['\'a\'"b"c', ['abc']],
  ["'a\"b'", ['a"b']],
  ['"a\'b"', ["a'b"]],
  ['"a\\"b"', ['a"b']],
  ["'a\\b'", ['a\\b']],
  ['"a\\nb"', ['a\\nb']],
  ['"a\\\\b"', ['a\\b']],
  ['a\\\nb', ['ab']],
  ['a\\\n b', ['a', 'b']],
  ['$HOME', ['$HOME']],
  ['"$HOME"', ['$HOME']],
  ['"\\$HOME"', ['$HOME']],
  ['`id`', ['`id`']],
  ['*.ts ~ a;b|c>d&e #f', ['*.ts', '~', 'a;b|c>d&e', '#f']],
  ['größe=ü 日本', ['größe=ü', '日本']],
])('%j becomes %j', (entry, words) => {
  expect(resolveFlags([entry])).toEqual(words)
})

test('the words of all entries follow each other', () => {
  expect(resolveFlags(['--model opus', '--no-auto-compact'])).toEqual([
    '--model',
    'opus',
    '--no-auto-compact',
  ])
})

test.each(['"', "'", "--x 'a", '--x "a\\"', "a'b'c'"])('a quote without its second is refused: %j', entry => {
  expect(refusal(() => resolveFlags(['ok', entry]))).toBe(
    `unbalanced quote in the agent's flags: ${JSON.stringify(entry)}`,
  )
})

test('a real shell reads the same words', () => {
  const letters = fc.constantFrom('a', 'b', ' ', '\t', '"', "'", '\\', '\\\n')
  const entries = fc
    .sample(fc.string({ unit: letters, maxLength: 12 }), { numRuns: 2000, seed: 1 })
    .filter(entry => !refusal(() => resolveFlags([entry])).startsWith('unbalanced'))
    // A bare newline ends a command in a shell; in a flag it is white space.
    .filter(entry => !/(?<!\\)(?:\\\\)*\n/.test(entry))
  expect(entries.length).toBeGreaterThan(500)
  const script = `for e; do eval "set -- $e"; for w; do printf '%s\\0' "$w"; done; printf '\\1'; done`
  const { stdout } = spawnSync('sh', ['-c', script, 'sh', ...entries], { encoding: 'utf8' })
  const read = stdout
    .split('\u0001')
    .slice(0, -1)
    .map(words => words.split('\0').slice(0, -1))
  expect(read.map((words, place) => [entries[place], words])).toEqual(
    entries.map(entry => [entry, resolveFlags([entry])]),
  )
})
