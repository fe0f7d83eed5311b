import { type Call, has, list, operands, type ShellStep } from './call.ts'

/**
 * What a rule denies: a call to which all of a row applies. Without `program` a row is about every call. Names in
 * texts are separated by spaces.
 */
type Row = {
  program?: string
  /** The operands, joined by spaces: for tools with subcommands. */
  operand?: RegExp
  /** All words behind the program, joined by spaces. */
  text?: RegExp
  /** One of these options must be given. */
  flags?: string
  /** None of these options may be given. */
  unless?: string
  when?: (call: Call) => boolean
  /** What is not a call: a function, a loop. No other field applies then. */
  step?: (step: ShellStep) => boolean
}

/**
 * A rule's reason and what it denies. The reason says what is wrong and what to do instead: the agent reads it, and nobody
 * else is there to ask.
 */
type Rule = readonly [reason: string, ...rows: Row[]]

export type Category = { number: number; title: string; rules: Record<string, Rule> }

/** Options that take the next word, in front of subcommands. */
const VALUES =
  '-C -c -n -H -w --git-dir --work-tree --namespace --exec-path --prefix --registry --workspace --repo --profile --region --context --project --kubeconfig --host'

const isAbout = ({ program, step }: Row, name: string): boolean =>
  step === undefined && (program === undefined || (program.includes(name) && list(program).includes(name)))

function applies(row: Row, call: Call): boolean {
  const { operand, text, flags, unless, when } = row
  return (
    (operand === undefined || operand.test(operands(call.args, VALUES).join(' '))) &&
    (text === undefined || text.test(call.args.join(' '))) &&
    (flags === undefined || has(call, flags)) &&
    (unless === undefined || !has(call, unless)) &&
    (when === undefined || when(call))
  )
}

/** Rows that these options switch off. */
export const exceptWith = (unless: string, rows: Row[]): Row[] => rows.map(row => ({ ...row, unless }))

type Denial = { category: Category; name: string; reason: string }

/** Finds the first rule that denies a step. It looks up only once which rules are about a program. */
export function ruleFinder(categories: readonly Category[]): (step: ShellStep) => Denial | null {
  const all = categories.flatMap(category =>
    Object.entries(category.rules).map(([name, [reason, ...rows]]) => ({ category, name, reason, rows })),
  )
  const known = new Map<string, typeof all>()
  const rulesFor = (name: string) =>
    all
      .map(rule => ({ ...rule, rows: rule.rows.filter(row => isAbout(row, name)) }))
      .filter(({ rows }) => rows.length > 0)
  return step => {
    if (step.kind !== 'call') return all.find(({ rows }) => rows.some(row => row.step?.(step))) ?? null
    const { call } = step
    const found = known.get(call.name) ?? rulesFor(call.name)
    known.set(call.name, found)
    return found.find(({ rows }) => rows.some(row => applies(row, call))) ?? null
  }
}
