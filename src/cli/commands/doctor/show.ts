import { visible } from '../../../core/visible.ts'
import type { Style } from '../../../view/style.ts'
import { wrapTo } from '../../../view/text/fit.ts'
import { type EnvironmentFact, type Facts, findObstacles } from './facts.ts'
import { describeFacts, type Group, type Mark } from './rows.ts'

/**
 * The facts as lines for people. Hidden characters in the output of programs and in files are made visible.
 * `columns`: of a terminal; null: a row may be as long as it is.
 */
export function showFacts(facts: Facts, { colors }: Style, columns: number | null): string[] {
  const width = columns ?? WIDTH
  const marks: Record<Mark, string> = {
    yes: colors.green('✓'),
    no: colors.red('✗'),
    none: colors.dim('–'),
  }
  /** What to do is less important than what is there. */
  const dimmed = (line: string, rest: string) =>
    rest !== '' && line.endsWith(rest) ? line.slice(0, -rest.length) + colors.dim(rest) : line
  const groups = describeFacts(facts)
  const names = Math.max(...groups.flatMap(({ rows }) => rows.map(row => visible(row.name).length)))
  const showGroup = ({ title, rows }: Group): string[] => [
    colors.bold(visible(title)),
    ...rows.flatMap(({ mark, name, value, fix }) => {
      const room = columns === null ? Number.POSITIVE_INFINITY : Math.max(columns - names - MARGIN, LEAST)
      const rest = fix === undefined ? '' : ` → ${visible(fix)}`
      const lines = wrapTo(`${visible(value)}${rest}`, room, 0)
      return lines.map((line, index) => {
        const head = index === 0 ? `${marks[mark]} ${visible(name).padEnd(names)}` : ' '.repeat(names + 2)
        return `  ${head}  ${dimmed(line, rest)}`
      })
    }),
  ]
  const showEnvironment = ({ of, gets, replaced, leftOut }: EnvironmentFact): string[] => [
    // The JSON has the older word.
    colors.bold(`environment of ${of === 'guardrails' ? 'checks and commits' : visible(of)}`),
    ...wrap('gets', gets, width),
    ...(replaced ? wrap('replaced', replaced, width) : []),
    ...wrap('left out', leftOut, width),
  ]
  const obstacles = findObstacles(facts)
  return [
    ...groups.flatMap(showGroup),
    ...(facts.environment ?? []).flatMap(showEnvironment),
    '',
    ...(obstacles.length === 0
      ? [colors.green('✓ ralph can run here')]
      : wrapTo(
          `✗ ralph cannot run here: ${visible(obstacles.join('; '))}`,
          columns ?? Number.POSITIVE_INFINITY,
          2,
        ).map(colors.red)),
  ]
}

/** Wraps names into lines that fit, under one label. */
function wrap(label: string, names: readonly string[], width: number): string[] {
  const lines: string[] = []
  for (const name of names.length > 0 ? names.map(name => visible(name)) : ['none']) {
    const last = lines.at(-1)
    if (last !== undefined && INDENT + last.length + 1 + name.length <= width)
      lines[lines.length - 1] = `${last} ${name}`
    else lines.push(name)
  }
  return lines.map((line, index) => `  ${(index === 0 ? label : '').padEnd(INDENT - 2)}${line}`)
}

const INDENT = 12

/** Of lists where there is no terminal. */
const WIDTH = 80

/** Columns beside the name and the value of a row, and the least that a value gets. */
const MARGIN = 6
const LEAST = 24
