import { expandBraces } from './shell/braces.ts'
import { scriptsIn } from './shell/read-expansion.ts'
import {
  CLOSE,
  COMMA,
  HOME,
  MAYBE,
  OPEN,
  type Part,
  PROCESS,
  type Script,
  SOME,
  SPLIT,
  type Word,
} from './shell/shell.ts'

/** What a word may depend on. */
export type Scope = {
  /** The values that a variable may have. */
  variables: Map<string, string[]>
  /** How many characters of values may still be put into words: doubling a variable must lead nowhere. */
  room: number
  /** Looks into a script that a word holds; what it prints, as far as it is known. */
  substitute: (script: Script) => string
}

const KNOWN: Record<string, string> = {
  HOME,
  PWD: '.',
  // Wherever the command came from: the project, or what is above it.
  OLDPWD: '..',
  IFS: ' ',
  TMPDIR: '/tmp',
  SHELL: 'bash',
  BASH: 'bash',
  // By its name: it is the agent itself.
  PPID: 'PPID',
  USER: SOME,
  RANDOM: SOME,
  $: SOME,
  '!': SOME,
  '?': SOME,
  '#': SOME,
}

/** The words that a shell would make of one: braces, values and splitting taken into account. */
export function resolve(word: Word, scope: Scope): string[] {
  const text = word.map(part => textOf(part, scope)).join('')
  const isQuoted = word.some(part => part.kind === 'text' && part.quoted)
  return expandBraces(text)
    .flatMap(expanded => expanded.split(SPLIT))
    .filter(field => field !== '' || isQuoted)
}

/** One word as one text: the target of a redirection, a value that is assigned. */
export const resolveOne = (word: Word, scope: Scope): string =>
  word.map(part => textOf(part, scope).replaceAll(SPLIT, ' ')).join('')

function textOf(part: Part, scope: Scope): string {
  switch (part.kind) {
    case 'text':
      return part.text
    case 'variable':
      return readVariable(part, scope)
    case 'command': {
      const printed = scope.substitute(part.script).replace(/\n+$/, '')
      return part.quoted ? printed : split(printed)
    }
    case 'process':
      scope.substitute(part.script)
      return PROCESS
    case 'opaque':
      for (const script of part.scripts) scope.substitute(script)
      return SOME
  }
}

function readVariable(part: Part & { kind: 'variable' }, scope: Scope): string {
  const values =
    scope.variables.get(part.name) ?? (Object.hasOwn(KNOWN, part.name) ? [KNOWN[part.name]!] : null)
  if (values === null || scope.room <= 0) {
    if (part.otherwise !== null) return part.otherwise.map(inner => textOf(inner, scope)).join('')
    return part.required ? SOME : MAYBE
  }
  for (const script of part.otherwise?.flatMap(scriptsIn) ?? []) scope.substitute(script)
  scope.room -= values.reduce((sum, value) => sum + value.length, 0)
  const shown = part.quoted ? values : values.map(split)
  return shown.length === 1 ? shown[0]! : OPEN + shown.join(COMMA) + CLOSE
}

const split = (value: string): string => value.replace(/[ \t\n]+/g, SPLIT)
