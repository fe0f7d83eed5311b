/** How an agent turns a specification into tasks, by the rules of the document. */
export function planPrompt(specification: string, taken: readonly string[]): string {
  return `Turn the specification below into tasks for a pipeline of agents: coder, reviewer, tester, qa. Do not do any of the work, and change no file.

${RULES}

${taken.length > 0 ? `These ids are taken: ${taken.join(', ')}. Use others.\n\n` : ''}Answer with the list of tasks as YAML in one \`\`\`yaml block, and nothing else.

# The specification

${specification.trim()}`
}

/** After an answer that cannot be used. */
export const repairPlanPrompt = (
  specification: string,
  answer: string,
  problems: readonly string[],
): string =>
  `${planPrompt(specification, [])}

# Your last answer

${answer.trim()}

# What is wrong with it

${problems.map(problem => `- ${problem}`).join('\n')}

Give the whole list again, with all of this fixed.`

const RULES = `## Task Generation Requirements

For EACH task you create, you MUST specify:

### Required Fields
1. **outcome**: A single sentence describing the measurable outcome
2. **acceptance_criteria**: A list of specific, verifiable requirements

### Optional Per-Agent Criteria
For each agent (coder, reviewer, tester, qa), you MAY specify:
- **promise**: The completion promise text
- **verification_method**: One of: string_match, semantic, external, multi_stage
- **verification_config**: Method-specific configuration

Use external, with a command that is really there, for what a command can check. A smaller priority goes first. Name in dependencies what must be completed first.

### Example Task Definition

\`\`\`yaml
- id: TASK-001
  title: "Implement JWT authentication"
  description: "Add JWT-based authentication to API"
  priority: 1
  dependencies: []
  completion:
    outcome: "All API endpoints require valid JWT tokens for access"
    acceptance_criteria:
      - "Invalid/expired tokens return 401 Unauthorized"
    coder:
      promise: "AUTH_IMPLEMENTED"
      description: "Authentication code complete and committed"
      verification_method: external
      verification_config:
        command: "test -f src/auth/middleware.py"
    qa:
      promise: "AUTH_QA_PASSED"
      description: "Meets all acceptance criteria"
      verification_method: multi_stage
      verification_config:
        stages:
          - name: "all_tests"
            method: external
            config:
              command: "pytest tests/"
          - name: "criteria_check"
            method: semantic
            config:
              check_for: "{{acceptance_criteria}}"
\`\`\`

IMPORTANT: Tasks without completion criteria will fail during Ralph loop execution.`

/** The tasks of an answer: the last fenced block, or all of it. */
export function planText(answer: string): string {
  const blocks = [...answer.matchAll(/^[ \t]*```(?:ya?ml|json)?[ \t]*\n([\s\S]*?)^[ \t]*```[ \t]*$/gm)]
  return blocks.at(-1)?.[1] ?? answer
}
