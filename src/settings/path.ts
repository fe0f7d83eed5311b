/** Where something stands in the settings: keys, and places in lists. */
export type Path = readonly (string | number)[]

/** `guardrails[0].command`; a key that would read like two gets quotes. */
export const showPath = (path: Path): string => path.map(showStep).join('')

function showStep(step: string | number, place: number): string {
  if (typeof step === 'number') return `[${step}]`
  if (place === 0) return step
  return /^[\w$-]+$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`
}
