/** How the note of a red check goes on after its name. */
const FAILURE = '(?:failed|timed out|was killed|wrote more|is flaky)'

const NAMED = new RegExp(`\\bGuardrail "(.*?)" (?=${FAILURE}\\b)`, 'g')

/** Red checks in the words of the screen: the name, and how it failed. */
export const asCheck = (text: string): string => text.replace(NAMED, '$1 ')
