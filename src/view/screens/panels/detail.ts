import { formatDuration, formatUsd, plural } from '../../../core/format.ts'
import { taskStateOf } from '../../../core/table.ts'
import type { Task } from '../../../core/task.ts'
import { formatTokens } from '../../report/format.ts'
import type { Iteration } from '../../report/iterations.ts'
import { formatCost, spentOn } from '../../report/spent.ts'
import type { Style } from '../../style.ts'
import { fitTo } from '../../text/fit.ts'
import { asCheck, plain, plainLine } from '../../text/plain.ts'
import type { RunFacts } from '../run-facts.ts'

/** A task: where it is, what must hold for it, what was tried, what was found, and what it changed. */
export function taskDetail(facts: RunFacts, task: Task, columns: number, style: Style): string[] {
  const { colors } = style
  const { state, workflow, iterations, counts } = facts
  const now = taskStateOf(workflow.table, state, task)
  const own = iterations.filter(iteration => iteration.task === task.id)
  const files = new Set(own.flatMap(iteration => iteration.files?.paths ?? []))
  const stage = workflow.table.stages[now.stage]
  const where =
    now.stage === 'done' ? (now.proof ? 'done, verified' : 'done as claimed') : (stage?.title ?? now.stage)
  const told = Object.hasOwn(state.taskInstructions, task.id) ? state.taskInstructions[task.id]! : []
  const part = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ['', colors.bold(` ${title}`), ...lines.map(line => `   ${line}`)]
  const lines = [
    colors.bold(` ${plainLine(task.id, 40)} · ${asCheck(plainLine(task.title))}`),
    ` ${where}${now.why === '' ? '' : `: ${plainLine(now.why)}`}`,
    ` ${plural(counts.get(task.id) ?? 0, 'iteration')} · try ${now.tries + 1}${stage ? ` of ${stage.tries}` : ''} · ${plural(now.rounds, 'review')} · ${formatCost(spentOn(own))}`,
    ...(task.blockedBy.length === 0
      ? []
      : [` blocked by ${task.blockedBy.map(id => plainLine(id, 40)).join(', ')}`]),
    ...part(
      'What must hold',
      workflow.criteriaOf(task).flatMap(line => textLines(line, 6)),
    ),
    ...part(
      'What failed last',
      now.lastRed.flatMap(({ check, note }) => [
        `${plainLine(check)}:`,
        ...textLines(note, 8).map(line => `  ${line}`),
      ]),
    ),
    ...part(
      'Your words',
      told.map(text => plainLine(text)),
    ),
    ...part('Attempts', own.map(attempt)),
    ...part(
      `Files changed (${files.size})`,
      [...files].slice(0, 20).map(path => plainLine(path, 500)),
    ),
  ]
  return wrapped(lines, columns)
}

/** An iteration: what it was about, what it cost, what the checks said, and where its files are. */
export function iterationDetail(
  iteration: Iteration,
  folder: string,
  columns: number,
  style: Style,
): string[] {
  const { colors, marks } = style
  const { n, task, title, stage, agent, end, note, checks, commits, files, ms } = iteration
  const spent = spentOn([iteration])
  const lines = [
    colors.bold(` iteration ${n} · ${plainLine(task, 40)} · ${asCheck(plainLine(title))}`),
    ` ${plainLine(stage)} by ${plainLine(agent ?? 'ralph')} · ${end} · ${formatDuration(ms)}`,
    ` ${formatCost(spent)} · ${formatTokens(spent)}`,
    ...(note === '' ? [] : [` ${plainLine(note, 1000)}`]),
    '',
    ...checks.flatMap(({ check, verdict, note, log }) => [
      ` ${verdict === 'pass' ? marks.pass : verdict === 'fail' ? marks.fail : '?'} ${plainLine(check)}${note === '' ? '' : `: ${plainLine(note)}`}`,
      ...(log === null ? [] : [`     ${plainLine(log, 1000)}`]),
    ]),
    ...commits.map(
      ({ by, to }) => ` commit ${plainLine(to).slice(0, 10)} by ${by === 'agent' ? 'the agent' : 'ralph'}`,
    ),
    ...(files === null
      ? []
      : [
          ` ${plural(files.count, 'file')} changed`,
          ...files.paths.map(path => `     ${plainLine(path, 500)}`),
        ]),
    '',
    ` prompt   ${plainLine(folder, 1000)}/prompt.txt     P opens it`,
    ` stream   ${plainLine(folder, 1000)}/stream.ndjson  T opens it`,
  ]
  return wrapped(lines, columns)
}

const attempt = ({ n, stage, end, note, usd, ms }: Iteration): string =>
  `${n} ${plainLine(stage)}: ${end}${note === '' ? '' : `, ${plainLine(note)}`} (${formatDuration(ms)}${usd === null ? '' : `, ${formatUsd(usd)}`})`

const wrapped = (lines: readonly string[], columns: number): string[] => {
  const fit = fitTo(columns - 1)
  return lines.flatMap(line =>
    line === '' ? [''] : line.includes('\x1b') ? [fit.cut(line)] : fit.wrap(line, undefined, 4),
  )
}

const textLines = (text: string, most: number): string[] =>
  plain(text)
    .split('\n')
    .filter(line => line.trim() !== '')
    .slice(0, most)
    .map(line => line.trimEnd())
