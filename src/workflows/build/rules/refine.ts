// The references say what a refined request should be like.

/** What every request to an agent needs. */
const corePrompting = `- Say the result first, then the way. "A command that exports the orders as CSV" can be checked; "improve the
  export" cannot.
- Give the reason where it changes decisions: who uses it, how often, what happens when it fails.
- Name things as the project names them: files, commands, types, routes. A name replaces a paragraph.
- Say what must stay as it is. Agents assume that they may change the rest.
- Say what to do rather than what not to do; a list of forbidden things shows no way.
- Give one example where a form matters: an input with its output, a line of the file, a call with its answer.
- Keep facts (what is there), requirements (what must be) and wishes (what would be nice) apart.
- Numbers, not adjectives: "under 200 ms for 10,000 rows" instead of "fast".`

/** Techniques for larger requests. */
const advancedPatterns = `- Steps: where the order matters, number it, and say what is there after each step. Where it does not matter, do not.
- Parts: what can be built and tested alone is described alone, with what it takes and what it gives back.
- Foundations: name first what several parts rest on (data, interfaces, configuration), so that it is built once.
- Sections in XML tags: <context>, <requirements>, <constraints>, <acceptance>. Tags keep quoted material apart from
  instructions; long material comes before the request that speaks of it.
- Thinking before doing: where there are several ways, ask for a comparison by stated criteria and a decision, in
  writing, before the first edit.
- Cases: write down the edges that are decided (empty, very large, twice, at the same time, without permission) as
  pairs of situation and behaviour.
- Roles only where they bring knowledge ("as an accountant reads a balance"), not as decoration.
- Nothing of this is an end in itself: a request of two sentences that leaves nothing open needs none of it.`

/** How to tell a good request, and good work on it. */
const quality = `- Every requirement has a criterion that someone else can check: a command and its result, a test that exists
  afterwards, something to be seen.
- Criteria are about behaviour, not about effort: "returns 401 for an expired token", not "handle errors well".
- Nothing contradicts anything else; where two rules can meet, it is said which of them wins.
- Assumptions are marked as assumptions, so that a person can object before work begins.
- Unknowns are named, not glossed over: an agent that may say "I do not know" guesses less.
- The scope has an edge: a short list of what does not belong to it.
- The text stands alone: a reader without the conversation, the ticket or the author can work from it.
- Read it once as someone who wants to misunderstand it, and fix the places where that succeeds.`

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
