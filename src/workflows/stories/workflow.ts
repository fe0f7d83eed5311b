import { join } from 'node:path'
import { plural, shellWord } from '../../core/format.ts'
import { jsonIn } from '../../core/json.ts'
import { initial } from '../../core/table.ts'
import { projectTodo } from '../../core/todo.ts'
import { realPath } from '../../store/files/paths.ts'
import { formatCapped, formatReviews } from '../../view/report/format.ts'
import type { Style } from '../../view/style.ts'
import { plainLine } from '../../view/text/plain.ts'
import { checkNames, readPins } from '../spec.ts'
import type { ProtectedArea, Workflow } from '../workflow.ts'
import { openStories } from './active.ts'
import { estimate, reviewAnalytics, storyWarnings } from './rules/analytics.ts'
import { specOf, storyTasks } from './rules/review.ts'
import { readStoriesWithoutNotes } from './rules/story-file.ts'
import { type StoriesSpec, storiesSchema } from './spec.ts'
import { storiesTable } from './table.ts'
import { storyTemplate } from './templates.ts'

/** How a person decides about a story. An agent may have chosen its id. */
const decideCommands = (run: string, story: string): string[] => {
  const id = shellWord(plainLine(story))
  return [`ralph approve ${run} ${id}`, `ralph reject ${run} ${id} "why"`]
}

/** `ralph stories`: implement, review, fix. What an agent writes about its own work is only a claim. */
export const storiesWorkflow: Workflow<StoriesSpec> = {
  name: 'stories',
  command: 'stories',
  listed: true,
  readSpec: pins => readPins(storiesSchema, pins),
  pins: spec => spec,
  table: ({ review }) => storiesTable(review),
  describe: ({ dir, file, review }, { iterations }) => ({
    subject: ['stories', `${dir}/tasks.json: ${plural(file.userStories.length, 'story', 'stories')}`],
    doneWhen: review.skip ? 'every story passes' : 'every story is approved',
    condition: 'the list',
    // From the stories as they were when the run began.
    estimate: estimate(file, review, iterations).text,
  }),
  preview: ({ project, dir }) => storyTemplate(join(project, dir)),
  warnings: (spec, { iterations }) => storyWarnings(spec, checkNames(spec.settings).length, iterations),
  about: ({ dir, review }) => ({ stories: dir, review }),
  criteria: (_spec, task) => {
    const { description, acceptanceCriteria } = specOf(task)
    return [...(description?.split('\n') ?? []), ...acceptanceCriteria.map(criterion => `- ${criterion}`)]
  },
  listFile: spec => ({
    path: join(spec.outside ?? join(spec.project, spec.dir), 'tasks.json'),
    read(text) {
      const read = readStoriesWithoutNotes(jsonIn(text))
      return 'file' in read ? projectTodo(storyTasks(read.file), initial, storiesTable(spec.review)) : null
    },
  }),
  protectedAreas: ({ project, dir }) => linkedArea(join(project, dir)),
  summary: (spec, { tasks, state }, style, id) =>
    reviewLines(reviewAnalytics(tasks, state, storiesTable(spec.review)), style, id),
  reviews: (spec, { tasks, state }) => reviewAnalytics(tasks, state, storiesTable(spec.review)).reviewed,
  decideCommands,
  open: openStories,
}

/** If the stories' folder is a link, its target needs an area of its own: globs do not follow links. */
function linkedArea(dir: string): ProtectedArea[] {
  const root = realPath(dir)
  return root === dir ? [] : [{ root, globs: ['prd.md', 'prompt.md'] }]
}

/** Summary of a loop's reviews. Stories that no reviewer approved stand out as warnings. */
function reviewLines(
  { reviewed, blocked }: ReturnType<typeof reviewAnalytics>,
  { colors, marks }: Style,
  run: string,
): string[] {
  return [
    ...formatReviews(reviewed),
    ...formatCapped(reviewed).map(line => colors.yellow(`${marks.warn} ${line}`)),
    ...blocked.map(([id, why]) =>
      colors.yellow(`${marks.warn} ${plainLine(id)} is left for you: ${plainLine(why)}`),
    ),
    ...blocked.slice(0, 1).map(([id]) => `to decide: ${decideCommands(run, id).join(', or: ')}`),
  ]
}
