import { expect, it } from 'vitest'
import { storyWarnings } from '../../../src/workflows/stories/rules/analytics.ts'
import type { StoriesFile } from '../../../src/workflows/stories/rules/story-file.ts'
import { newStory } from '../../core/setup.ts'

const file: StoriesFile = {
  project: 'p',
  branchName: 'ralph/cart',
  description: '',
  userStories: [newStory('A')],
}
type Loop = Parameters<typeof storyWarnings>[0]
const loop: Loop = { dir: 'ralph', file, review: { skip: false }, start: { branch: 'ralph/cart' } }
const warned = (more: Partial<Loop>, checks = 1, limit: number | null = 15) =>
  storyWarnings({ ...loop, ...more }, checks, limit)
const CHECKS = 'that a story is done; add verifyCommands to ralph/tasks.json, or --check'
const WAY_OUT =
  'but ralph/tasks.json is for ralph/cart: commits will go here. If that is not what you want, stop, then: git switch ralph/cart (with -c if there is none yet)'

it.each<[string, string[], string[]]>([
  ['nothing, if all is well', warned({}), []],
  ['nothing without a limit', warned({}, 1, null), []],
  [
    'a limit that is tight',
    warned({}, 1, 1),
    [expect.stringMatching(/1 story .* needed, and the limit is 1; -m raises it$/)],
  ],
  ['that only reviews say what is done', warned({}, 0), [`no checks: only a review says ${CHECKS}`]],
  [
    'that nothing says what is done',
    warned({ review: { skip: true } }, 0),
    [`no checks: nothing verifies ${CHECKS}`],
  ],
  ['another branch', warned({ start: { branch: 'main' } }), [`this is the branch main, ${WAY_OUT}`]],
  ['no branch', warned({ start: { branch: null } }), [`this is no branch (HEAD is detached), ${WAY_OUT}`]],
  ['nothing without a repository', warned({ start: null }), []],
  [
    'no branch that nobody chose',
    warned({ file: { ...file, branchName: 'ralph/feature-name' }, start: { branch: 'main' } }),
    [],
  ],
  [
    'no branch that is not named',
    warned({ file: { ...file, branchName: '' }, start: { branch: 'main' } }),
    [],
  ],
  [
    'all of it at once',
    warned({ start: { branch: 'main' } }, 0, 1),
    [
      expect.stringContaining('-m raises it'),
      expect.stringContaining('no checks'),
      expect.stringContaining('main'),
    ],
  ],
])('a story loop warns of %s', (_, warnings, expected) => {
  expect(warnings).toEqual(expected)
})
