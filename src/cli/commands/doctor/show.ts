import { visible } from '../../../core/visible.ts'
import type { Style } from '../../../view/style.ts'
import { wrapTo } from '../../../view/text/fit.ts'
import { table } from '../../../view/text/table.ts'
import { widthOf } from '../../../view/text/width.ts'
import type { EnvironmentFact } from './environment.ts'
import type { Diagnosis } from './examine.ts'
import type { DoctorRow } from './finding.ts'

type Shown = Pick<Diagnosis, 'groups' | 'obstacles'> & { environment?: EnvironmentFact[] }

/**
 * The findings as lines for people. Hidden characters in the output of programs and in files are made visible.
 * `columns`: of a terminal. Null if a row may be as long as it is.
 */
export function showDiagnosis(shown: Shown, { colors }: Style, columns: number | null): string[] {
  const { groups, obstacles, environment = [] } = shown
  const width = columns ?? Number.POSITIVE_INFINITY
  const marks = { yes: colors.green('✓'), no: colors.red('✗'), none: colors.dim('–') }
  const cellsOf = ({ mark, name, value, fix }: DoctorRow) => [
    `${marks[mark]} ${visible(name)}`,
    visible(value) + wayOut(fix),
  ]
  /** What to do is less important than what is there. */
  const dimmed = (line: string, rest: string) =>
    rest !== '' && line.endsWith(rest) ? line.slice(0, -rest.length) + colors.dim(rest) : line
  const names = groups.flatMap(({ rows }) => rows.map(row => widthOf(visible(row.name))))
  const options = { width, margin: '  ', least: [2 + Math.max(...names)], room: 24 }
  return [
    ...groups.flatMap(({ title, rows }) => [
      colors.bold(visible(title)),
      ...table(rows.map(cellsOf), {
        ...options,
        wrap: (cell, room, at) => wrapTo(cell, room, 0).map(line => dimmed(line, wayOut(rows[at]!.fix))),
      }),
    ]),
    ...environment.flatMap(({ of, gets, replaced, leftOut }) => [
      // The JSON has the older word.
      colors.bold(`environment of ${of === 'guardrails' ? 'checks and commits' : visible(of)}`),
      ...table(
        [
          namesRow('gets', gets),
          ...(replaced ? [namesRow('replaced', replaced)] : []),
          namesRow('left out', leftOut),
        ],
        { width: columns ?? WIDTH, margin: '  ', least: [8], wrap: (cell, room) => wrapTo(cell, room, 0) },
      ),
    ]),
    '',
    ...(obstacles.length === 0
      ? [colors.green('✓ ralph can run here')]
      : wrapTo(`✗ ralph cannot run here: ${visible(obstacles.join('; '))}`, width, 2).map(colors.red)),
  ]
}

const wayOut = (fix: DoctorRow['fix']): string => (fix ? ` → ${visible(fix)}` : '')

const namesRow = (label: string, names: readonly string[]): string[] => [
  label,
  visible(names.join(' ')) || 'none',
]

/** Of lists where there is no terminal. */
const WIDTH = 80
