/** What a scripted agent prints, by the name of the act. */
export const printed: Record<string, (...args: never[]) => string>
