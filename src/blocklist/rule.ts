import type { Call, ShellStep } from './call.ts'

/**
 * The reason says what is wrong and what to do instead: the agent reads it, nobody else is there to ask. A rule is asked
 * about the programs of its category, or about everything (`any`): asking all of them costs more than starting node.
 */
export type Rule = { name: string; any?: true; denies: (step: ShellStep) => boolean; reason: string }

export type Category = { number: number; title: string; programs: ReadonlySet<string>; rules: Rule[] }

/** Names of programs, written in a line and as the keys of tables. */
export const programs = (names: string, ...tables: object[]): ReadonlySet<string> =>
  new Set([...names.split(' '), ...tables.flatMap(Object.keys)])

/** The rules of a category that have something to say about a step; `python` stands for python3.12, too. */
export function rulesFor(category: Category, step: ShellStep): Rule[] {
  if (step.kind !== 'call') return category.rules
  const { name } = step.call
  const concerned = category.programs.has(name) || category.programs.has(/^[a-z]*/i.exec(name)![0])
  return concerned ? category.rules : category.rules.filter(rule => rule.any)
}

/** A rule about one call. */
export const onCall =
  (denies: (call: Call) => boolean): Rule['denies'] =>
  step =>
    step.kind === 'call' && denies(step.call)

/** Files that a call writes: by redirection, or as what it is there for. */
export function writes(call: Call): string[] {
  const redirected = call.redirects.filter(({ op }) => op.includes('>') && op !== '>&').map(r => r.target)
  return [...redirected, ...written(call)]
}

function written({ name, args }: Call): string[] {
  const plain = args.filter(arg => !arg.startsWith('-'))
  switch (name) {
    case 'tee':
    case 'touch':
    case 'truncate':
      return plain
    case 'cp':
    case 'mv':
    case 'ln':
    case 'install':
    case 'rsync':
      return plain.slice(-1)
    case 'sed':
    case 'perl':
      return args.some(arg => /^-(?!-)[a-z]*i|^--in-place/.test(arg)) ? plain.slice(1) : []
    case 'dd':
      return args.filter(arg => arg.startsWith('of=')).map(arg => arg.slice(3))
    default:
      return []
  }
}
