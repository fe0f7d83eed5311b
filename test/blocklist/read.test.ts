import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { judgeCommand } from '../../src/blocklist/judge.ts'
import { show, unmark } from '../../src/blocklist/shell/shell.ts'
import { walk } from '../../src/blocklist/walk.ts'

/** The words of every call, as a person would write them. */
const words = (command: string) =>
  walk(unmark(command), '/p').flatMap(step => (step.kind === 'call' ? [step.call.words.map(show)] : []))

describe('words', () => {
  it.each<[string, string[][]]>([
    ['a  b\tc', [['a', 'b', 'c']]],
    [`a "b c" 'd e' f\\ g`, [['a', 'b c', 'd e', 'f g']]],
    [`a "it's" 'say "x"' "a\\"b" 'a\\b'`, [['a', "it's", 'say "x"', 'a"b', 'a\\b']]],
    [`a '' ""`, [['a', '', '']]],
    ['a $EMPTY b "$X"', [['a', '$…', 'b', '$…']]],
    ['a; b && c || d & e | f', [['a'], ['b'], ['c'], ['d'], ['e'], ['f']]],
    ['a \\\n b', [['a', 'b']]],
    ['a # b\nc', [['a'], ['c']]],
    ['a#b', [['a#b']]],
    ['a >x 2>&1 <y b', [['a', 'b']]],
    ['X=1 Y="a b" cmd', [['cmd']]],
    ['X=1; a $X', [['a', '$…']]],
    ['X="a b"; c $X "$X"', [['c', '$…', '$…']]],
    ['a {b,c}d {1..9} {} {x', [['a', 'bd', 'cd', '{1..9}', '{}', '{x']]],
    ['a {b,{c,d}}', [['a', 'b', 'c', 'd']]],
    ['a "{b,c}" "*" *', [['a', '{b,c}', '*', '*']]],
    ["a $'\\x41\\n\\u00e9'", [['a', 'A\né']]],
    [
      'a $(b c) d',
      [
        ['b', 'c'],
        ['a', '$…', 'd'],
      ],
    ],
    [
      'a "$(b "c d")"',
      [
        ['b', 'c d'],
        ['a', '$…'],
      ],
    ],
    ['a `b \\`c\\``', [['c'], ['b', '$…'], ['a', '$…']]],
    [
      'a $(echo b) c',
      [
        ['echo', 'b'],
        ['a', '$…', 'c'],
      ],
    ],
    ['a <(b) c', [['b'], ['a', '<(…)', 'c']]],
    ['if a; then b; elif c; then d; else e; fi', [['a'], ['b'], ['c'], ['d'], ['e']]],
    ['while a; do b; done | c', [['a'], ['b'], ['c']]],
    ['for x in 1 2; do a $x; done', [['a', '$…']]],
    ['for x in $(a); do b; done', [['a'], ['b']]],
    ['case $x in a|b) c;; (d) e ;; *) f; esac; g', [['c'], ['e'], ['f'], ['g']]],
    ['case $(a) in b) c; esac', [['a'], ['c']]],
    [
      'f() { a "$1"; }; f b',
      [
        ['a', '$…'],
        ['f', 'b'],
      ],
    ],
    ['function f { a; }', [['a']]],
    ['[[ a < b && $(c) ]] && d', [['c'], ['d']]],
    [`a=(b c "d e"); f \${a[@]}`, [['f', '$…']]],
    ['a $((1 + (2 * 3))) b', [['a', '$…', 'b']]],
    ['cat <<EOF\na b\nEOF\nc', [['cat'], ['c']]],
    ["cat <<-'E F' | b\n\tx\n\tE F\nc", [['cat'], ['b'], ['c']]],
    ['a $(cat <<EOF\n)\nEOF\n) b', [['cat'], ['a', '$…', 'b']]],
    ['ls *(.) !(x|y).ts', [['ls', '**', '!*.ts']]],
    ['a ) b', [['a'], ['b']]],
  ])('of %j', (command, expected) => {
    expect(words(command)).toEqual(expected)
  })

  test('any words come back from single quotes, double quotes and backslashes', () => {
    const single = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
    const double = (text: string) => `"${text.replace(/["$`\\]/g, '\\$&')}"`
    const slashes = (text: string) =>
      text === '' ? "''" : text.replace(/[^\n]/gsu, '\\$&').replaceAll('\n', "'\n'")
    const text = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...`'"\\$\`(){}*?~#;&|<> \n\ta`) }))
    fc.assert(
      fc.property(
        fc.array(text, { maxLength: 5 }),
        fc.constantFrom(single, double, slashes),
        (list, quote) => {
          expect(words(['x', ...list.map(quote)].join(' '))).toEqual([['x', ...list.map(unmark)]])
        },
      ),
    )
  })
})

const SHELL = fc.constantFrom(
  ...`'"\\$\`(){}[]*?~#;&|<>= \n\ta/-!,.:@`,
  ...[
    '$(',
    `\${`,
    '$((',
    '<<E\n',
    '<(',
    'rm -rf ',
    'if ',
    'fi',
    'do ',
    'done',
    'case ',
    'in ',
    'esac',
    'sh -c ',
    'eval ',
    'f()',
    '&&',
    '\uE000',
    '\uE003',
  ],
)

test('no command makes it throw, and the answer is the same each time', () => {
  fc.assert(
    fc.property(fc.array(SHELL, { maxLength: 60 }), pieces => {
      const command = pieces.join('')
      expect(judgeCommand(command, '/p', [command])).toEqual(judgeCommand(command, '/p', [command]))
    }),
    { numRuns: 1000 },
  )
})

test('whatever stands before it on a line of its own, a closed command is seen', () => {
  const closed = fc.array(
    fc.constantFrom('ls', 'echo "a b"', "x 'y'", '$(a)', '{ b; }', '(c)', '! d', '[ e ]', 'F=g h'),
  )
  fc.assert(
    fc.property(closed, fc.constantFrom(' ; ', ' && ', '\n', ' | ', ' & '), (before, between) => {
      expect(judgeCommand([...before, 'rm -rf /'].join(between), '/p', [])?.category).toBe(1)
    }),
  )
})

// Without a limit of its own: what is not linear does not come back within the time of a test.
test.each([
  ...["'", '"', '(', ')', '$(', '`', '$((', '${', '{a,', '<<a ', 'X=$X$X;'].map(
    piece => [piece, 400_000] as const,
  ),
  ...['\\', '((', '{', '{a,b}', '<<a\n', '"$(', 'a;', 'a|', 'a[ ', 'a=(', '[[ '].map(
    piece => [piece, 200_000] as const,
  ),
  ...['case x in a) ', 'f() ', '*(', 'eval ', 'sh -c ', '<(', '../', '#'].map(
    piece => [piece, 200_000] as const,
  ),
  ...['f(){ f;f; };', 'echo a|sh;', '$(echo $X)', ' ', '\n'].map(piece => [piece, 200_000] as const),
])('%j over and over is judged', (piece, size) => {
  judgeCommand(piece.repeat(size / piece.length), '/p', [])
})

test.each(['chmod o', 'chmod =', 'env -i', 'kill -1', 'find /'])('%s… with a long word is judged', start => {
  judgeCommand(`${start}${start.at(-1)!.repeat(200_000)}!`, '/p', [])
})
