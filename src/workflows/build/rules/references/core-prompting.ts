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
