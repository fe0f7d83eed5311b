import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { branchOf, freshStories } from '../../../src/workflows/stories/rules/templates.ts'
import { newStory } from '../../core/setup.ts'

const read = (name: string) => readFileSync(new URL(`../../../templates/${name}`, import.meta.url), 'utf8')
const oneLine = (text: string) => text.replace(/\s+/g, ' ')
/** The text under each heading of this level, by its title. */
const sectionsOf = (text: string, level: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split(new RegExp(`^${level} `, 'm'))
      .slice(1)
      .map(part => [part.split('\n', 1)[0]!, oneLine(part)]),
  )

describe('the prompt of a story loop', () => {
  const prompt = read('prompt-stories.md')
  const steps = sectionsOf(prompt, '##')
  const modes = sectionsOf(prompt, '###')

  it('says which iteration, mode and story this is, and where the files are', () => {
    const head = oneLine(prompt.split(/^## /m)[0]!)
    for (const words of [
      '# Ralph Loop: iteration $RALPH_ITERATION of $RALPH_MAX_ITERATIONS',
      'You start with a fresh context and work on one story, in one mode: **$RALPH_MODE**, story **$RALPH_STORY**.',
      '`$RALPH_DIR/prd.md` says what to build.',
      '`$RALPH_DIR/tasks.json` has the stories and their state.',
      '`$RALPH_DIR/progress.txt` says what was done and learned before.',
    ])
      expect(head).toContain(words)
  })

  it('orients by progress first, from its patterns, then by prd, tasks, log and status', () => {
    expect(steps['Step 1: Orient']).toContain(
      'Read progress.txt, starting with its Codebase Patterns. Then read prd.md, tasks.json, `git log --oneline -10` and `git status`.',
    )
  })

  it.each<[string, string[]]>([
    [
      'Step 2: The story',
      [
        'first those that were sent back, then those that wait for review, then the most urgent one whose dependencies are met',
        'more than about 60 % of your context, split it',
        'work on the first of them, and submit that one instead',
        'You may add stories and reorder them.',
      ],
    ],
    [
      'Step 4: Write it down',
      [
        'Append to progress.txt: a heading with the story and your mode, what you did, which files changed, the results of the checks, what you learned.',
        'Keep the Codebase Patterns at the top short and correct.',
        "Add what the next agent should know to the story's `notes`.",
      ],
    ],
    [
      'Step 5: Lasting rules',
      [
        'only what stays true after this loop into CLAUDE.md or `.claude/rules/`. Most of the time that is nothing.',
      ],
    ],
    [
      'Step 6: Commit',
      [
        'Commit everything, including tasks.json and progress.txt, with the message for your mode:',
        '- implement: `feat: [$RALPH_STORY] - <title>`',
        '- review, approved: `review: [$RALPH_STORY] - approved`',
        '- review, changes: `review: [$RALPH_STORY] - changes requested`',
        '- review-fix: `fix: [$RALPH_STORY] - address review feedback`',
        'If every story passes and is approved, say <promise>COMPLETE</promise>.',
      ],
    ],
  ])('has %s', (title, sentences) => {
    for (const words of sentences) expect(steps[title]).toContain(words)
  })

  it.each<[string, string[]]>([
    [
      'implement',
      [
        'Read the surrounding code first. Follow the patterns in progress.txt and the constraints in prd.md.',
        'Implement the story. Run the verifyCommands in tasks.json.',
        'Review your own work before you commit: read every line of `git diff`, check each acceptance criterion, look for edge cases, missing error handling and leftovers. Fix what you find, and run the verifyCommands again.',
        'Then set the story\'s `reviewStatus` to "needs_review". Never set `passes`: only a review decides that.',
      ],
    ],
    [
      'review',
      [
        "You did not write this code. Read it as somebody else's work.",
        "Add 1 to the story's `reviewCount`.",
        'Look at its commits (`git log --oneline -5`) and everything they changed.',
        'Check each acceptance criterion separately: find the code that meets it, make sure that it works and does not only look right, try edge cases and errors. Run the verifyCommands.',
        'If all criteria are met, set `reviewStatus` to "approved" and `passes` to true.',
        'set `reviewStatus` to "changes_requested", and write into `reviewFeedback` what to fix and where. Do not fix it yourself.',
        'After $RALPH_REVIEW_CAP reviews ralph decides what happens to the story.',
        'The last line of your final message is your verdict, the same as in tasks.json, in this tag: `<verdict>…</verdict>` with approved or changes_requested in it. Without that line the review does not count.',
      ],
    ],
    [
      'review-fix',
      [
        "Read the story's `reviewFeedback` and address every point.",
        'Run the verifyCommands, and review your own work as in implement.',
        'Then empty `reviewFeedback` and set `reviewStatus` to "needs_review".',
      ],
    ],
  ])('says what to do in mode %s', (mode, sentences) => {
    for (const words of sentences) expect(modes[mode]).toContain(words)
  })

  it('has eight hard rules', () => {
    const rules = steps['Hard rules']!.split(' - ').slice(1)
    expect(rules.map(rule => rule.trim())).toEqual([
      'Work on one story per iteration. Never begin a second one.',
      'Only a review sets `passes` to true, and only when it approves.',
      'Do not weaken a test to make it pass.',
      'If you are stuck, write the reason into progress.txt for the next agent.',
      'You may add, split and reorder stories. You may not remove any or change their criteria.',
      'Do not change prd.md.',
      'A review does not fix code. It judges the code and says why.',
      'A review-fix addresses all of the feedback, not only the easy parts.',
    ])
  })

  it('has nothing that these tests do not know', () => {
    expect(Object.keys(steps)).toHaveLength(7)
    expect(Object.keys(modes)).toEqual(['implement', 'review', 'review-fix'])
    expect(steps['Step 3: Do what your mode says']).toContain('Step 3: Do what your mode says ### implement')
  })
})

describe('the template of prd.md', () => {
  const prd = read('prd.md')
  const sections = sectionsOf(prd, '##')

  it('says for whom it is, who changes it, and what the tiers are', () => {
    const head = oneLine(prd.split(/^## /m)[0]!)
    for (const words of [
      '# {{PROJECT_NAME}}',
      "Describes what to build, for people and agents. Ralph's agents read it in every iteration and never change it.",
      'Tiers: S (a patch), M (a feature), L (an epic). Delete what your tier does not need.',
    ])
      expect(head).toContain(words)
  })

  it.each([
    [
      '1. Summary',
      'Required, all tiers. Two to four sentences: what you build, for whom, with what outcome.',
    ],
    [
      '2. Problem Statement',
      'Required, all tiers. The current state, why it is a problem, why it is urgent.',
    ],
    ['3. Goals', 'Required for M and L, optional for S. Three to six measurable outcomes.'],
    [
      '4. Non-Goals',
      'Required for M and L, recommended for S. What not to do. Agents need this most: it keeps them from building what nobody asked for.',
    ],
    [
      '5. Background & Context',
      'Recommended for M and L. The architecture, important files, patterns to follow, terms.',
    ],
    ['6. Technical Design', 'Required, all tiers. Keep the parts that apply.'],
    [
      '7. Constraints',
      'Recommended for M and L. Rules for every story: types of values, libraries to use, what must always be true.',
    ],
    [
      '8. Edge Cases & Error Handling',
      'Recommended for M and L. --> | Scenario | Trigger | Expected behaviour | Error |',
    ],
    ['9. Risks & Mitigations', 'Recommended for M and L. --> | Risk | Likelihood | Impact | Mitigation |'],
    ['10. Open Questions', 'Recommended, all tiers. Strike through answered questions and add the answer.'],
  ])('has the section %s with its tiers', (title, words) => {
    expect(sections[title]).toContain(words)
  })

  it('divides the technical design', () => {
    const parts = sectionsOf(prd, '###')
    expect(
      Object.entries(parts).map(([title, text]) => [title, text.slice(title.length).split('-->')[0]!.trim()]),
    ).toEqual([
      ['6a. Database Changes', '<!-- Tables, indexes, access rules.'],
      ['6b. API Contracts', '<!-- Method, path, request and response, errors.'],
      ['6c. Core Logic Changes', '<!-- Algorithms, step by step.'],
      ['6d. Frontend Changes', '<!-- Components, where their data comes from, how people use them.'],
      ['6e. Infrastructure / Config Changes', '<!-- Settings, jobs, deployment.'],
    ])
  })
})

describe('a new folder for stories', () => {
  const templates = {
    prd: read('prd.md'),
    tasks: read('tasks.json'),
    progress: read('progress.md'),
    prompt: read('prompt-stories.md'),
  }
  const files = freshStories(templates, { name: 'Cart', date: '2026-03-01', branch: 'ralph/cart' })

  it('has four files', () => {
    expect(Object.keys(files)).toEqual(['prd.md', 'tasks.json', 'progress.txt', 'prompt.md'])
    expect(files['prd.md']).toMatch(/^# Cart\n/)
    expect(files['prompt.md']).toBe(templates.prompt)
  })

  it('has one story to fill in', () => {
    expect(files['tasks.json']).toMatch(/^\{\n {2}"project": "Cart",\n/)
    expect(files['tasks.json']!.at(-1)).toBe('\n')
    expect(JSON.parse(files['tasks.json']!)).toEqual({
      project: 'Cart',
      branchName: 'ralph/cart',
      description: '',
      verifyCommands: [],
      userStories: [{ ...newStory('US-001'), title: '', acceptanceCriteria: [] }],
    })
  })

  it('has a log with date, name, patterns and a rule', () => {
    expect(files['progress.txt']).toBe(
      '# Ralph Progress Log\nStarted: 2026-03-01\nPRD: Cart\n\n## Codebase Patterns\n- (Reusable patterns discovered during this loop)\n\n---\n',
    )
  })

  it.each([
    ['Cart & Checkout', 'ralph/cart-checkout'],
    ['  A.b_C-1 ', 'ralph/a.b_c-1'],
    ['-.x.-', 'ralph/x'],
    ['語', 'ralph/feature-name'],
    ['', 'ralph/feature-name'],
  ])('for %j has the branch %s', (name, branch) => {
    expect(branchOf(name)).toBe(branch)
  })
})

describe('a template as it is printed', () => {
  it('has a branch to begin with', () => {
    expect(JSON.parse(read('tasks.json'))).toMatchObject({ branchName: 'ralph/feature-name' })
  })

  it.each([
    'Study IMPLEMENTATION_PLAN.md, the files in specs/',
    'Pick the one most important task that is not done, and do only that.',
    '- Read the code before you assume',
    '- Run the tests after each change.',
    '- When the task is done, mark it in IMPLEMENTATION_PLAN.md',
    '- Commit your work.',
  ])('has a prompt that says: %s', words => {
    expect(read('prompt.md')).toContain(words)
  })
})
