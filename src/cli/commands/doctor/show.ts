import { visible } from '../../../core/visible.ts'
import type { Style } from '../../../view/style.ts'
import { type EnvironmentFact, type Facts, findObstacles } from './facts.ts'
import { describeFacts, type Group, type Mark } from './rows.ts'

/** The facts as lines for people. Hidden characters in the output of programs and in files are made visible. */
export function showFacts(facts: Facts, { colors }: Style, width: number): string[] {
  const marks: Record<Mark, string> = {
    yes: colors.green('✓'),
    no: colors.red('✗'),
    none: colors.dim('–'),
  }
  const groups = describeFacts(facts)
  const names = Math.max(...groups.flatMap(({ rows }) => rows.map(row => visible(row.name).length)))
  const showGroup = ({ title, rows }: Group): string[] => [
    colors.bold(visible(title)),
    ...rows.map(({ mark, name, value, fix }) => {
      const end = fix === undefined ? '' : colors.dim(` → ${visible(fix)}`)
      return `  ${marks[mark]} ${visible(name).padEnd(names)}  ${visible(value)}${end}`
    }),
  ]
  const showEnvironment = ({ of, gets, leftOut }: EnvironmentFact): string[] => [
    colors.bold(`environment of ${visible(of)}`),
    ...wrap('gets', gets, width),
    ...wrap('left out', leftOut, width),
  ]
  const obstacles = findObstacles(facts)
  return [
    ...groups.flatMap(showGroup),
    ...(facts.environment ?? []).flatMap(showEnvironment),
    '',
    obstacles.length === 0
      ? colors.green('✓ ralph can run here')
      : colors.red(`✗ ralph cannot run here: ${visible(obstacles.join('; '))}`),
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
