/** How to tell a good request, and good work on it. */
export const quality = `- Every requirement has a criterion that someone else can check: a command and its result, a test that exists
  afterwards, something to be seen.
- Criteria are about behaviour, not about effort: "returns 401 for an expired token", not "handle errors well".
- Nothing contradicts anything else; where two rules can meet, it is said which of them wins.
- Assumptions are marked as assumptions, so that a person can object before work begins.
- Unknowns are named, not glossed over: an agent that may say "I do not know" guesses less.
- The scope has an edge: a short list of what does not belong to it.
- The text stands alone: a reader without the conversation, the ticket or the author can work from it.
- Read it once as someone who wants to misunderstand it, and fix the places where that succeeds.`
