const SCHEMA = `[
  {
    "id": "#1",
    "content": "Add the orders table and its migration",
    "status": "pending",
    "activeForm": "Adding the orders table",
    "blockedBy": [],
    "description": "What to build, where, and what to mind. One to five sentences.",
    "acceptanceCriteria": ["npm test passes", "GET /orders answers with an empty array"]
  },
  {
    "id": "#2",
    "content": "Export orders as CSV",
    "status": "pending",
    "activeForm": "Exporting orders as CSV",
    "blockedBy": ["#1"]
  }
]`

const RULES = `The answer is a JSON array of objects like these:

${SCHEMA}

- id: "#1", "#2", "#3" … in the order of the list.
- content: what is to be done, as an instruction, in fewer than 80 characters.
- status: always "pending".
- activeForm: the same in the present participle, shown while it is worked on.
- blockedBy: the ids of the tasks that it directly depends on; leave out what follows through others. No cycles.
- description, acceptanceCriteria: optional; whoever works on the task reads them, and may know nothing else.

How to divide:
- Every deliverable of the specification is in a task, and nothing that it does not ask for.
- A task is one session of work for one agent, and leaves the project working: its checks pass after it.
- In order of priority: foundations first, then features, then tests that span several features, then polish.
  The tests of a single feature belong to that feature.
- Dependencies are technical ones: what cannot be begun before the other is there. The order of the list says the rest.

You may read the project, but edit nothing. End with the array alone: no words around it.`

/** What a person wants to change in a list, and the list as they left it. */
export type Wishes = { list: readonly unknown[]; words: readonly string[] }

/** Asks for the tasks of a specification, or for changes of a list that a person was shown. */
export const decomposePrompt = (
  specification: string,
  instructions: readonly string[] = [],
  wishes: Wishes | null = null,
): string =>
  wishes === null
    ? compose('Divide this specification into a list of tasks.', specification, instructions, [RULES])
    : compose(
        'This specification was divided into a list of tasks. The user wants it changed; change it as they ask.',
        specification,
        instructions,
        [...wishLines(wishes), 'Keep the rest of it, and give the whole list again.', RULES],
      )

const wishLines = ({ list, words: wishTexts }: Wishes): string[] => [
  `<list>\n${JSON.stringify(list, null, 2)}\n</list>`,
  `What the user wants to be different in it, the latest last:\n${wishTexts.map(text => `- ${text}`).join('\n')}`,
]

/** Only the beginning of a longer answer is repeated: its end is probably cut off anyway. */
const LONGEST_ANSWER = 100_000

/** Asks again, with the errors of the last answer. A new agent gets this prompt and knows nothing else. */
export const repairPrompt = (
  specification: string,
  failed: { answer: string; errors: readonly string[] },
  instructions: readonly string[] = [],
  wishes: Wishes | null = null,
): string =>
  compose(
    'This specification was to be divided into a list of tasks. The answer could not be used; fix it.',
    specification,
    instructions,
    [
      ...(wishes === null ? [] : ['The user was shown this list before:', ...wishLines(wishes)]),
      `<answer>\n${cut(failed.answer)}\n</answer>`,
      `What is wrong with it:\n${failed.errors.map(error => `- ${error}`).join('\n')}`,
      'Keep what is right, fix exactly these errors, and give the whole list again.',
      RULES,
    ],
  )

function compose(
  task: string,
  specification: string,
  instructions: readonly string[],
  rest: readonly string[],
): string {
  return [
    task,
    `<specification>\n${specification}\n</specification>`,
    ...instructions.map(text => `Instruction from the user: ${text}`),
    ...rest,
  ].join('\n\n')
}

const cut = (answer: string): string =>
  answer.length > LONGEST_ANSWER
    ? `${answer.slice(0, LONGEST_ANSWER)}\n[cut: ${answer.length} characters in all]`
    : answer
