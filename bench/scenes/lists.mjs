import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { least, median } from '../measure.mjs'
import { agent, bare, f, firstCalls, gitProject, iterations, ralph, root, row, SHORT } from '../setting.mjs'

/** A build with a long list, in the middle of it and at its start. */
export async function tasks() {
  const build = (length, done) => {
    const file = tasksFile(length, done)
    return (program, n) => ralph(program, n, {}, ['build', '--tasks', file])
  }
  const contenders = doneOf => [
    { name: 'bare node', run: bare },
    { name: 'ralph run', run: ralph },
    { name: 'ralph build, 1000 tasks', goal: 50, first: 150, run: build(1_000, doneOf(1_000)) },
    { name: 'ralph build, 10000 tasks', goal: 1000, first: 300, run: build(10_000, doneOf(10_000)) },
  ]
  const halfway = contenders(length => length / 2 - 100)
  await showIterations('an iteration halfway, of 9', halfway, agent('claude', SHORT), [5, 55])
  await showFirstCalls(contenders(() => 0))
}

/** A story loop in a git project. In each iteration the agent marks one more story, in a file of several megabytes. */
export async function stories() {
  const marks = `sed -i '0,/"passes": false/s//"passes": true/' ralph/tasks.json`
  const at = (length, run) => (program, n) => run(program, n, { cwd: storyProject(length) })
  const loop = (program, n, options) => ralph(program, n, options, ['stories', '--skip-review'])
  const sizes = [
    { length: 10, goal: 12, first: 150 },
    { length: 1_000, goal: 50, first: 180 },
    { length: 10_000, goal: 1000, first: 1000 },
  ]
  const contenders = sizes.flatMap(({ length, goal, first }) => [
    { name: `bare node, ${length} stories`, run: at(length, bare) },
    {
      name: `ralph stories, ${length}`,
      over: `bare node, ${length} stories`,
      goal,
      first,
      run: at(length, loop),
    },
  ])
  await showIterations('an iteration, of 5', contenders, agent('claude', SHORT, marks), [2, 8], 5)
  await showFirstCalls(contenders.filter(({ goal }) => goal))
}

async function showIterations(title, contenders, program, range, rounds = 9) {
  const { each, over } = await iterations(contenders, program, range, rounds)
  row(title, 'least ms', 'over bare node', 'medians', 'goal')
  for (const { name, goal = '', over: reference = contenders[0].name } of contenders)
    row(name, f(each(name, least), 2), over(name, least, reference), over(name, median, reference), goal)
  console.log()
}

async function showFirstCalls(contenders, rounds = 15) {
  const first = await firstCalls(contenders, rounds)
  row(`until the first call, of ${rounds}`, 'least ms', 'median ms', 'goal')
  for (const { name, first: goal = '' } of contenders)
    row(name, f(least(first[name]), 0), f(median(first[name]), 0), goal)
}

/** Half of the tasks are in chains of ten; the others wait for a task far before them, or for none. */
function tasksFile(length, done) {
  const path = join(root, `tasks-${length}-${done}.json`)
  const blockers = n => {
    if (n <= length / 2) return n % 10 === 1 ? [] : [n - 1]
    return n % 3 === 0 ? [] : [n - length / 2]
  }
  const list = Array.from({ length }, (_, i) => ({
    id: `#${i + 1}`,
    content: `Do part ${i + 1} of the work as the plan has it`,
    status: i < done ? 'completed' : 'pending',
    activeForm: `Doing part ${i + 1} of the work`,
    blockedBy: blockers(i + 1).map(n => `#${n}`),
  }))
  writeFileSync(path, JSON.stringify(list, null, 2))
  return path
}

/** Each story depends on the one before it. */
function storyProject(length) {
  const id = n => `US-${String(n).padStart(5, '0')}`
  const userStories = Array.from({ length }, (_, i) => ({
    id: id(i + 1),
    title: `Part ${i + 1}`,
    description: 'As a user I want it',
    acceptanceCriteria: ['It works'],
    priority: 1,
    passes: false,
    reviewStatus: null,
    reviewCount: 0,
    reviewFeedback: '',
    notes: 'done',
    dependsOn: i > 0 ? [id(i)] : [],
  }))
  const list = { project: 'p', branchName: 'main', description: 'd', verifyCommands: [], userStories }
  return gitProject({
    'ralph/tasks.json': JSON.stringify(list, null, 2),
    'ralph/prd.md': 'A goal.\n',
    'ralph/progress.txt': '',
    'ralph/prompt.md': 'Do the next story.\n',
  })
}
