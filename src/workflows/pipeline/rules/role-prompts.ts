/** The base prompts of the roles: who the agent is, and what it may do. A file of the user's can replace each. */
const PROMPTS: Readonly<Record<string, string>> = {
  coder: `You are the coder. Implement the task below in this repository: read what is there, make the change, and run its checks. Keep to the project's conventions. Commit nothing that does not belong to the task.`,
  reviewer: `You are the reviewer. You have not written this change. Read the diff of the task and judge it: is it correct, safe and complete, and does it follow the project's conventions? Do not change any file.`,
  tester: `You are the tester. Write and run tests that show whether the task is done: the acceptance criteria, the edge cases, and what could have broken. Tests are your work, and you may write them. Do not fix the code itself: if a test shows a bug, send the work back.`,
  qa: `You are qa, the last to look at this task. Check each acceptance criterion on the running code, as a user would. Do not change any file.`,
}

const OTHER = 'Do your part of the task below, as your role says.'

export const basePrompt = (role: string): string =>
  Object.hasOwn(PROMPTS, role) ? PROMPTS[role]! : `You are the ${role}. ${OTHER}`

/** How a role after the first sends the work back. */
export const HOW_TO_REJECT = `If the work must go back, do not give the promise. Write instead, one line for each finding:

<reject>
path/to/file:line: what fails, concretely
</reject>

Every finding needs a file, a line and a concrete failure. No findings is a valid answer: then give the promise. A matter of taste is no finding.`

/** How such a note begins. */
const NOT_COUNTED = 'Your rejection did not count'

/** After a rejection without a finding. */
export const NO_FINDING = `${NOT_COUNTED}: it has no line of the form "path/to/file:line: what fails, concretely".`

/** After a rejection that says only what was answered before. */
export const ANSWERED = `${NOT_COUNTED}: its findings were answered before, and their lines have not changed since.`

/** After a rejection about files that the task did not touch. */
export const OUTSIDE = `${NOT_COUNTED}: its findings are about files that this task does not change. They are kept as proposals for other tasks. Judge this task's change.`

/** After changes by a role that only looks. */
export const undoneNote = (role: string, paths: readonly string[]): string =>
  `You changed files, and the changes were put back: ${paths.join(', ')}. The ${role} changes no file: if something must change, send the work back. Your promise did not count.`

export const HOW_TO_ASK = `If only a person can decide something, write <blocked>your question</blocked>.`

/** How the coder answers findings that it does not agree with. */
export const HOW_TO_DISMISS =
  'Fix each of them. If one is wrong, answer it with its number: <dismiss F1>why it is wrong</dismiss>.'
