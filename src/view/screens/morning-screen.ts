import type { LookAt, Morning } from '../morning/model.ts'
import { morningLines } from '../morning/page.ts'
import { formatReasons, formatWork } from '../morning/words.ts'
import type { Style } from '../style.ts'
import { plainLine } from '../text/plain.ts'
import { cutTo } from '../text/width.ts'
import { fill, rule, type Size, tall } from './layout.ts'
import type { Model } from './model.ts'
import type { UiState } from './ui-state.ts'

/** The report below them needs room, too. */
const MOST_LOOKS = 5

/** What to look at first; one of them is selected. */
export const shownLooks = ({ lookFirst }: Morning): readonly LookAt[] => lookFirst.slice(0, MOST_LOOKS)

export const selectedLook = ({ morning }: Model, { entry }: Pick<UiState, 'entry'>): LookAt | null =>
  morning ? (shownLooks(morning)[entry] ?? null) : null

/** How many lines the report has, and how many of them are shown. */
export function reportSize(
  morning: Morning,
  { columns, rows }: Size,
  style: Style,
): { lines: number; room: number } {
  const looks = shownLooks(morning).length
  return {
    lines: morningLines(morning, style, columns - 2).length,
    room: rows - (looks === 0 ? 1 : looks + 2),
  }
}

/** The morning report, with what to look at first on top. */
export function morningScreen({ morning }: Model, ui: UiState, size: Size, style: Style): string[] {
  const { colors } = style
  if (morning === null) return tall(['', ' Reading the journals of the night …'], size.rows)
  const looks = shownLooks(morning).map((look, index) =>
    lookLine(look, index === ui.entry, size.columns, style),
  )
  const report = morningLines(morning, style, size.columns - 2).slice(ui.top ?? 0)
  return tall(
    [
      ...(looks.length === 0 ? [] : [colors.bold(' Look at these first'), ...looks]),
      rule(size.columns, style, 'the morning report'),
      ...report.map(line => ` ${line}`),
    ],
    size.rows,
  )
}

function lookLine(look: LookAt, isSelected: boolean, columns: number, { colors }: Style): string {
  const text = `${plainLine(look.name)} · ${formatWork(look)} · ${formatReasons(look)}`
  const line = cutTo(`${isSelected ? '›' : ' '} ${text}`, columns)
  return isSelected ? colors.inverse(fill(line, columns)) : line
}
