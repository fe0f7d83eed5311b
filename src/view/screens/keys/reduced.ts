import type { Effect, UiState } from '../ui-state.ts'

/** What a key changes, and what is to be done. */
export type Reduced = { ui: UiState; effects: readonly Effect[] }

const NOTHING: readonly Effect[] = []

/** It changes what is shown, and nothing else. */
export const only = (ui: UiState): Reduced => ({ ui, effects: NOTHING })
