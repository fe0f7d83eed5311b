import { describe, expect, it } from 'vitest'
import { readArgument } from '../../src/cli/commands/build/argument.ts'

describe('what a build is given', () => {
  it.each([
    'Build a snake game',
    'snake',
    'fix docs/run.md',
    'Use node.js',
    './run.sh hangs\nsee notes.md',
    'read /etc/hosts first',
  ])('%j is a goal', text => expect(readArgument(` ${text} `, 'missing')).toEqual({ type: 'goal', text }))

  it('is the specification where it is a file, whatever its name', () => {
    expect(readArgument('specs/foo.md', 'file')).toEqual({ type: 'spec', path: 'specs/foo.md' })
    expect(readArgument('Build a snake game', 'file')).toEqual({ type: 'spec', path: 'Build a snake game' })
  })

  it.each([
    ...[
      'specs/foo.md',
      'foo.md',
      './my spec.md',
      '../x',
      '/abs/olute',
      '~/spec.txt',
      'a\\b',
      'C:\\spec.md',
    ].map(
      path =>
        [
          path,
          'missing',
          `spec file not found: ${path}; check the path, or say the goal in words, with spaces between them`,
        ] as const,
    ),
    [
      'specs',
      'directory',
      'specs is a directory; name the file in it that holds the specification, or say the goal in words',
    ],
    [
      'https://example.com/spec.md',
      'missing',
      'ralph does not fetch https://example.com/spec.md; save it to a file and name that',
    ],
    ['', 'missing', 'A prompt argument is required. Usage: ralph build "<goal or spec file>"'],
    [' \n ', 'missing', 'A prompt argument is required. Usage: ralph build "<goal or spec file>"'],
  ] as const)('%j, %s, is refused with the way out', (argument, found, error) => {
    expect(readArgument(argument, found)).toEqual({ error })
  })
})
