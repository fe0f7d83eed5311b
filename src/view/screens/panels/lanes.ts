import { plural } from '../../../core/format.ts'
import { type StageTable, stageOf, type TaskState, taskStateOf } from '../../../core/table.ts'
import type { Task } from '../../../core/task.ts'
import { isShown } from '../../../core/todo.ts'
import type { Style } from '../../style.ts'
import { asCheck, plainLine } from '../../text/plain.ts'
import { cutTo } from '../../text/width.ts'
import { fill, type Pane, tall, windowOf } from '../layout.ts'
import type { RunFacts } from '../run-facts.ts'

/** A task in its lane. */
type Card = { task: Task; state: TaskState; iterations: number; tries: number | null; isAtWork: boolean }

type Lane = { name: string; cards: Card[] }

/** The lanes of a workflow: its stages in their order, then what is done, and what is blocked. */
function lanesOf({ workflow: { table }, state, tasks, counts }: RunFacts): Lane[] {
  const flying = new Set(Object.values(state.flight).map(step => step.task))
  const lanes: Lane[] = [...shownStages(table), 'done', 'blocked'].map(name => ({ name, cards: [] }))
  for (const task of tasks) {
    if (!isShown(task, table)) continue
    const stage = stageOf(table, state, task)
    lanes
      .find(({ name }) => name === stage)
      ?.cards.push({
        task,
        state: taskStateOf(table, state, task),
        iterations: counts.get(task.id) ?? 0,
        tries: task.tries?.[stage] ?? table.stages[stage]?.tries ?? null,
        isAtWork: flying.has(task.id),
      })
  }
  return lanes
}

const shownStages = (table: StageTable): string[] =>
  Object.entries(table.stages).flatMap(([name, { listed }]) => (listed === false ? [] : [name]))

/** The tasks of all lanes, from the first to the last. */
export const laneTasks = (facts: RunFacts): Task[] =>
  lanesOf(facts).flatMap(({ cards }) => cards.map(({ task }) => task))

/** Narrower lanes could not be read: then those without cards are left out. */
const LEAST_LANE = 13
const CARD_ROWS = 3

/** Stages as columns, tasks as cards: `3× 2/15` is three iterations, and the second try of fifteen at this stage. */
export function lanePanel(facts: RunFacts, entry: number, { columns, rows, style }: Pane): string[] {
  const { colors } = style
  const all = lanesOf(facts)
  const fitting = Math.max(Math.floor(columns / LEAST_LANE), 1)
  const lanes = all.length <= fitting ? all : all.filter(({ cards }) => cards.length > 0).slice(0, fitting)
  if (lanes.length === 0) return tall([colors.dim(' no tasks yet')], rows)
  const width = Math.floor((columns - 1) / lanes.length)
  const before = (lane: Lane) =>
    all.slice(0, all.indexOf(lane)).reduce((sum, { cards }) => sum + cards.length, 0)
  const blocks = lanes.map(lane => laneLines(lane, entry - before(lane), width - 1, rows, style))
  return Array.from({ length: rows }, (_, row) =>
    ` ${blocks.map(block => fill(block[row] ?? '', width - 1)).join(' ')}`.trimEnd(),
  )
}

/** `selected`: the place of the selected card in this lane, if it is in it. */
function laneLines(
  { name, cards }: Lane,
  selected: number,
  width: number,
  rows: number,
  style: Style,
): string[] {
  const { colors } = style
  const isHere = selected >= 0 && selected < cards.length
  const { from, to } = windowOf(isHere ? selected : 0, cards.length, Math.floor((rows - 1) / CARD_ROWS))
  const more = cards.length - (to - from)
  const title = `${name} ${cards.length}${more > 0 ? ` (${more} more)` : ''}`
  return [
    colors.bold(cutTo(title, width)),
    ...cards
      .slice(from, to)
      .flatMap((card, index) => cardLines(card, selected === from + index, width, style)),
  ]
}

function cardLines(card: Card, isSelected: boolean, width: number, { colors, marks }: Style): string[] {
  const { task, state, iterations, tries, isAtWork } = card
  const mark = isAtWork ? marks.active : state.stage === 'blocked' ? marks.warn : marks.pending
  const proof = state.stage !== 'done' ? '' : state.proof ? ` ${marks.ok} verified` : ' claimed'
  const of = tries === null ? '' : ` ${Math.min(state.tries + 1, tries)}/${tries}`
  const rounds = state.rounds > 0 ? ` · ${plural(state.rounds, 'review')}` : ''
  const head = `${state.stage === 'done' ? marks.pass : mark} ${plainLine(task.id, 40)}`
  const paint = isSelected ? colors.inverse : isAtWork ? colors.bold : (text: string) => text
  return [
    paint(fill(`${isSelected ? '›' : ' '}${head}`, width)),
    paint(fill(`  ${plainLine(asCheck(task.title))}`, width)),
    colors.dim(cutTo(`  ${iterations}×${proof}${of}${rounds}`, width)),
  ]
}
