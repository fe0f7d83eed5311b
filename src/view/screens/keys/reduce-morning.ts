import { screenStyle } from '../../style.ts'
import type { Size } from '../layout.ts'
import type { Model } from '../model.ts'
import { reportSize, selectedLook, shownLooks } from '../morning-screen.ts'
import type { UiState } from '../ui-state.ts'
import { moved } from './move.ts'
import { only, type Reduced } from './reduced.ts'

/** To count lines, colours do not matter. */
const PLAIN = screenStyle(false)

/** What a key means in the morning report: j and k select what to look at, PgUp and PgDn turn its pages. */
export function reduceMorning(ui: UiState, name: string, model: Model, size: Size): Reduced {
  const { morning } = model
  const look = selectedLook(model, ui)
  switch (name) {
    case 'escape':
    case 'left':
    case 'h':
    case 'm':
      return only({ ...ui, screen: 'overview', top: null, entry: 0 })
    case 'enter':
    case 'right':
    case 'l':
      return only(
        look
          ? { ...ui, screen: 'run', run: look.run, row: look.run, panel: 'output', top: null, entry: 0 }
          : ui,
      )
    case 'd':
      return look ? { ui, effects: [{ type: 'diff', run: look.run }] } : only(ui)
    case 'u':
      return only(
        look
          ? { ...ui, confirm: { verb: 'undo', left: 1, run: look.run, name: look.name } }
          : { ...ui, message: 'there is nothing to undo' },
      )
  }
  if (morning === null) return only(ui)
  const isByLine = ['up', 'down', 'j', 'k'].includes(name)
  if (isByLine)
    return only({ ...ui, entry: moved(name, ui.entry, shownLooks(morning).length, 1) ?? ui.entry })
  const { lines, room } = reportSize(morning, { ...size, rows: size.rows - 1 }, PLAIN)
  return only({ ...ui, top: moved(name, ui.top ?? 0, Math.max(lines - room + 1, 1), room) ?? ui.top })
}
