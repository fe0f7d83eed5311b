/** Who pays for a run while a variable is set. */
export type Payment = { variable: string; kind: string }

export const apiKeys = (...variables: string[]): Payment[] =>
  variables.map(variable => ({ variable, kind: 'API key' }))
