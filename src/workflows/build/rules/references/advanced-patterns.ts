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
