/** A red check in the words of the screen: its name and how it failed. */
export const asCheck = (text: string): string => text.replace(/\bGuardrail "(.*)" (?=\w)/, '$1 ')
