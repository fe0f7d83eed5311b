import { type Style, screenStyle } from '../../style.ts'
import type { Effect, UiState } from '../ui-state.ts'

/** What a key changes, and what is to be done. */
export type Reduced = { ui: UiState; effects: readonly Effect[] }

/** To count lines, colours do not matter. */
export const PLAIN: Style = screenStyle(false)

/** It changes what is shown, and nothing else. */
export const only = (ui: UiState): Reduced => ({ ui, effects: [] })

/** Where a key moves to in a list of `count`. Null if it does not move. */
export function moved(name: string, at: number, count: number, page: number): number | null {
  const last = Math.max(count - 1, 0)
  const to = (place: number) => Math.min(Math.max(place, 0), last)
  switch (name) {
    case 'up':
    case 'k':
      return to(at - 1)
    case 'down':
    case 'j':
      return to(at + 1)
    case 'pageup':
    case 'ctrl+b':
      return to(at - page)
    case 'pagedown':
    case 'ctrl+f':
    case ' ':
      return to(at + page)
    case 'home':
    case 'g':
      return 0
    case 'end':
    case 'G':
      return last
    default:
      return null
  }
}
