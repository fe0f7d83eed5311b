import { advancedPatterns, corePrompting, quality } from './references.ts'

/** Asks an agent to make a goal clearer without changing what it asks for. */
export const refinePrompt = (
  goal: string,
  instructions: readonly string[] = [],
): string => `You refine the request below, so that coding agents that
know nothing but your text can plan it and carry it out. You change how it is said, never what is wanted: no new
features, no other technology, nothing left out. Do not carry it out, and do not edit any file; you may read the
project to get names and places right.

<request>
${goal}
</request>
${instructions.map(text => `\nInstruction from the user: ${text}\n`).join('')}
<reference name="core prompting">
${corePrompting}
</reference>

<reference name="advanced patterns">
${advancedPatterns}
</reference>

<reference name="quality">
${quality}
</reference>

Go through these seven steps, in writing, briefly:

1. Understand: say in one sentence what is to exist afterwards, and for whom.
2. Collect: list every requirement, limit and name that the request gives. All of them must come back in step 7.
3. Find the gaps: list what is open. Answer from the project where it answers; otherwise take the plainest choice and
   mark it as an assumption.
4. Choose techniques: say which of the references help here, and which would only add words.
5. Structure: order the text in sections with XML tags, from context over requirements to limits.
6. Add quality controls: say for every requirement how one can tell that it is met, by a command where there is one.
7. Write it, compare it with the list of step 2, and add what is missing.

End your answer with the refined request between <refined> and </refined>, complete and in the language of the
original: everything outside of these tags is thrown away. If the request cannot be improved, repeat it there.
`

/**
 * The refined text: the last complete pair of tags that is not empty. Of nested pairs the outer one counts; an opening
 * tag without a closing one does not. Returns undefined if there is no such pair.
 */
export function readRefined(answer: string): string | undefined {
  const open: number[] = []
  const pairs: [from: number, to: number][] = []
  for (const tag of answer.matchAll(/<(\/?)refined>/gi)) {
    if (tag[1] === '') open.push(tag.index + tag[0].length)
    else if (open.length > 0) pairs.push([open.pop()!, tag.index])
  }
  for (const [from, to] of pairs.reverse()) {
    const text = withoutFence(answer.slice(from, to).trim())
    if (text !== '') return text
  }
  return undefined
}

/** Removes a fence around the whole text; fences within the text stay. */
function withoutFence(text: string): string {
  const [first = '', ...rest] = text.split('\n')
  const fence = /^(`{3,}|~{3,})[^`]*$/.exec(first.trim())?.[1]
  if (fence === undefined || rest.at(-1)?.trim() !== fence) return text
  const inner = rest.slice(0, -1)
  // The fence ends before the end of the text, so it does not enclose the whole.
  return inner.some(line => line.trim() === fence) ? text : inner.join('\n').trim()
}
