/** What a person has opened, chosen and typed. It changes by keys alone. */
export type UiState = {
  screen: 'overview' | 'run' | 'morning'
  /** The run that is open, by its id. */
  run: string | null
  /** The selected row of the overview, by the id of its run, so that it stays when others come and go. */
  row: string | null
  sort: Sort
  /** Only rows that have this text. */
  filter: string
  panel: Panel
  /** The task panel beside the output. */
  hasTasks: boolean
  /** The first line of the output that is shown, counted from its very beginning. Null for the latest lines. */
  top: number | null
  /** The output of tools as a whole, not only its first line. */
  isUnfolded: boolean
  search: string
  /** The selected entry of the open panel. */
  entry: number
  /** The first line that is shown of the selected entry. Null if it is not open. */
  detail: number | null
  input: Input | null
  confirm: Confirm | null
  /** The page of the keys that is shown. Null if none is. */
  help: number | null
  message: string
}

export const PANELS = ['output', 'list', 'lanes', 'agents', 'checks', 'iterations'] as const
type Panel = (typeof PANELS)[number]

export const SORTS = ['needs', 'name', 'status', 'time', 'cost'] as const
export type Sort = (typeof SORTS)[number]

/** A line that is being typed, and what it is for. */
export type Input = {
  kind: 'filter' | 'search' | 'tell' | 'answer' | 'reject'
  text: string
  /** The run and the task that it is about. */
  run?: string
  task?: string
}

/** Something that is asked before it is done. `left`: how often it is still asked. */
export type Confirm = {
  verb: 'cancel' | 'kill' | 'skip' | 'approve' | 'allow' | 'undo'
  left: number
  run: string
  name: string
  /** The task, or the host. */
  about?: string
}

/** What is to be done with the screen itself. */
export type ScreenEffect = { type: 'quit' | 'interrupt' | 'suspend' | 'redraw' }

const OF_THE_SCREEN: readonly string[] = ['quit', 'interrupt', 'suspend', 'redraw']

export const isOfTheScreen = (effect: Effect): effect is ScreenEffect => OF_THE_SCREEN.includes(effect.type)

/** What is to be done outside of the screen. */
export type Effect =
  | ScreenEffect
  | { type: 'steer'; verb: 'pause' | 'resume' | 'cancel' | 'kill'; run: string }
  | { type: 'tell'; run: string; text: string; task?: string }
  | { type: 'skip'; run: string; task: string }
  | { type: 'decide'; run: string; story: string; isApproved: boolean; why: string }
  | { type: 'allow'; run: string; host: string }
  | { type: 'diff' | 'undo'; run: string }
  /** Opens a file: in the editor to change it, or in the pager to read it. */
  | { type: 'edit' | 'view'; path: string }
  | { type: 'copy'; text: string }

export const firstUi = (run: string | null): UiState => ({
  screen: run === null ? 'overview' : 'run',
  run,
  row: run,
  sort: 'needs',
  filter: '',
  panel: 'output',
  hasTasks: true,
  top: null,
  isUnfolded: false,
  search: '',
  entry: 0,
  detail: null,
  input: null,
  confirm: null,
  help: null,
  message: '',
})
