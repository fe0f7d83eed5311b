/** What `ralph todo` can do to a list. */
export const TODO_ACTIONS = ['add', 'done', 'skip', 'edit'] as const

export type TodoAction = (typeof TODO_ACTIONS)[number]
