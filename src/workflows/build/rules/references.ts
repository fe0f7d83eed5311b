// What a refined request should be like: texts for the agent that refines it.

/** What every request to an agent needs. */
export const corePrompting = `- Say the result first, then the way. "A command that exports the orders as CSV" can be checked; "improve the
  export" cannot.
- Give the reason where it changes decisions: who uses it, how often, what happens when it fails.
- Name things as the project names them: files, commands, types, routes. A name replaces a paragraph.
- Say what must stay as it is. Agents assume that they may change the rest.
- Say what to do rather than what not to do; a list of forbidden things shows no way.
- Give one example where a form matters: an input with its output, a line of the file, a call with its answer.
- Keep facts (what is there), requirements (what must be) and wishes (what would be nice) apart.
- Numbers, not adjectives: "under 200 ms for 10,000 rows" instead of "fast".`

/** Techniques for larger requests. */
export const advancedPatterns = `- Steps: where the order matters, number it, and say what is there after each step. Where it does not matter, do not.
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
export const quality = `- Every requirement has a criterion that someone else can check: a command and its result, a test that exists
  afterwards, something to be seen.
- Criteria are about behaviour, not about effort: "returns 401 for an expired token", not "handle errors well".
- Nothing contradicts anything else; where two rules can meet, it is said which of them wins.
- Assumptions are marked as assumptions, so that a person can object before work begins.
- Unknowns are named, not glossed over: an agent that may say "I do not know" guesses less.
- The scope has an edge: a short list of what does not belong to it.
- The text stands alone: a reader without the conversation, the ticket or the author can work from it.
- Read it once as someone who wants to misunderstand it, and fix the places where that succeeds.`
