/** The path of a value in the settings: keys, and indexes of lists. */
export type Path = readonly (string | number)[]

/** `guardrails[0].command`; an ambiguous key gets quotes. */
export const showPath = (path: Path): string => path.map(showStep).join('')

function showStep(step: string | number, index: number): string {
  if (typeof step === 'number') return `[${step}]`
  if (index === 0) return step
  return /^[\w$-]+$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`
}
