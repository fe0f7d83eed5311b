import type { RunEvent, TodoItem } from '../../src/core/events.ts'
import type { Evidence } from '../../src/core/outcome.ts'
import { AT_CAP, type RunState, type Step, taskStateOf } from '../../src/core/table.ts'
import type { Edit, Task } from '../../src/core/task.ts'
import { projectTodo, readTodo } from '../../src/core/todo.ts'
import { agentEdit, personEdit } from '../../src/workflows/build/rules/todo-edits.ts'
import { projectStories, specOf, storyClaims } from '../../src/workflows/stories/rules/review.ts'
import { invariantFlaws } from '../../src/workflows/stories/rules/review-rules.ts'
import { agentStoryEdits, personStoryEdits } from '../../src/workflows/stories/rules/story-edits.ts'
import { readStories, type StoriesFile } from '../../src/workflows/stories/rules/story-file.ts'
import { editStories, editTodo, scribbleStories, someYields } from './behaviour.ts'
import type { Dice } from './dice.ts'
import { must } from './oracle.ts'
import { newStory, type Setup } from './setup.ts'

/** The run that a desk belongs to, as it stands at any moment. */
type Run = {
  readonly state: RunState
  readonly tasks: readonly Task[]
  readonly now: number
  record(event: RunEvent): void
  adoptPerson(edit: Edit): void
}

/** What the list files hold in one run, and what agents and people do to them. A crash leaves them as they are. */
export function desk(rules: Setup, d: Dice, careful: boolean, run: Run) {
  switch (rules.kind) {
    case 'stories':
      return storyDesk(rules, d, careful, run)
    case 'tasks':
      return todoDesk(rules, d, careful, run)
    case 'prompt':
    case 'pipeline':
      return bareDesk(rules, d)
    default:
      return rules.kind satisfies never
  }
}

const saidClaims = ({ temper }: Setup, d: Dice, step: Step): Evidence['claims'] => ({
  signal: d.chance(temper.signal),
  ...(d.chance(temper.reject) && { verdict: 'reject', note: 'not good' }),
  ...(d.chance(temper.asks) && { asks: 'what now?' }),
  ...(step.stage === 'decompose' && { yields: someYields(d) }),
})

const bareDesk = (rules: Setup, d: Dice) => ({
  begin() {},
  scribble(_: Step) {},
  claims: (step: Step) => saidClaims(rules, d, step),
  adoptAgent: (_: Step): string[] => [],
  project(_refused?: string[]) {},
  edit: null,
})

function storyDesk({ workflow, limits, skip, temper }: Setup, d: Dice, careful: boolean, run: Run) {
  const verifyCommands = ['npm test']
  let file: StoriesFile = { project: '', branchName: '', description: '', verifyCommands, userStories: [] }
  const projected = (refused: string[] = []) =>
    projectStories(file, run.tasks, run.state, workflow, { skip, verifyCommands, refused })
  const edits = () => personStoryEdits(file, run.tasks, run.state, workflow, { skip })

  function begin() {
    file.userStories = run.tasks.map(t => ({ ...newStory(t.id, t.priority, t.blockedBy), notes: 'old' }))
    project()
  }

  function scribble(step: Step) {
    file = scribbleStories(file, step.task, step.stage, d, temper)
  }

  function claims(step: Step): Evidence['claims'] {
    const after = file.userStories.filter(s => s.id === step.task)
    const own = { ...file, userStories: after }
    const task = run.tasks.find(t => t.id === step.task)!
    const before = projectStories(own, [task], run.state, workflow, { skip }).userStories[0]
    const claimed = storyClaims(step.stage, before, after[0], { skip })
    const approves = step.stage === 'review' && after[0]?.passes && after[0].reviewStatus === 'approved'
    must(claimed.verdict !== 'approve' || approves === true, 'only a reviewer approves, and not by halves')
    return claimed
  }

  function adoptAgent(): string[] {
    const read = () => agentStoryEdits(file, run.tasks, limits.additions - run.state.added)
    const before = new Map(run.tasks.map(t => [t.id, definition(t)]))
    const { list, refused } = read()
    if (!list) return refused
    run.record({ type: 'edited', at: run.now, by: 'agent', list })
    must(same(read(), { refused }), 'an adopted edit is not adopted twice')
    for (const task of run.tasks) {
      const was = before.get(task.id)
      if (was) must(same(definition(task), was), 'an agent redefines nothing')
      else
        must(taskStateOf(workflow, run.state, task).stage === 'implement', 'what an agent adds starts fresh')
      before.delete(task.id)
    }
    must(before.size === 0, 'an agent removes nothing')
    return refused
  }

  function project(refused: string[] = []) {
    must(run.state.added <= limits.additions, 'agents add no more than they may')
    file = projected(refused)
    if (careful) {
      must(same(projected(refused), file), 'projecting twice is projecting once')
      must('file' in readStories(file), 'what ralph writes is well-formed')
      must(skip || invariantFlaws(file, workflow.rounds).length === 0, 'what ralph writes keeps the rules')
    }
    must(same(file.verifyCommands, verifyCommands), 'the checks are put back')
    const byId = new Map(file.userStories.map(s => [s.id, s]))
    for (const task of run.tasks) {
      const story = byId.get(task.id)
      must(story !== undefined, 'a removed story is put back')
      const done = taskStateOf(workflow, run.state, task).stage === 'done'
      must(story!.passes === done, 'passes is the truth, whatever was written')
      const told = story!.reviewFeedback.startsWith('[AUTO-APPROVED AT CAP]')
      const capped = taskStateOf(workflow, run.state, task).why === AT_CAP
      must(skip || !done || told === capped, 'the cap is told of, where it was the cap')
      const { acceptanceCriteria } = specOf(task)
      const asItWas = same(story!.acceptanceCriteria, acceptanceCriteria) && story!.title === task.title
      must(asItWas, 'the definition is put back')
      byId.delete(task.id)
    }
    for (const story of byId.values()) must(!story.passes && story.reviewStatus === null, 'new is fresh')
  }

  function edit() {
    const found = editStories(file, d)
    if (!('file' in readStories(found))) return
    file = found
    const edited = edits()
    if (!same(edited, {})) run.adoptPerson(edited)
    must(same(edits(), {}), "a person's edit is adopted once")
    project()
    must(same(edits(), {}), 'what was projected is no edit')
  }

  return { begin, scribble, claims, adoptAgent, project, edit }
}

function todoDesk(rules: Setup, d: Dice, careful: boolean, run: Run) {
  const { workflow, limits, temper } = rules
  let items: readonly TodoItem[] = []
  let scribbled = false
  const edits = () => personEdit(run.tasks, run.state, workflow, items).edit
  const attempts = (own: string, room: number) => agentEdit(run.tasks, run.state, workflow, items, own, room)

  function scribble() {
    if (!d.chance(temper.scribble * 0.5)) return
    items = editTodo(items, d)
    scribbled = true
  }

  function adoptAgent(step: Step): string[] {
    if (!scribbled && !careful) return []
    scribbled = false
    const read = () => attempts(step.task, limits.additions - run.state.added)
    const before = new Set(run.tasks.map(t => t.id))
    const { list } = read().edit
    must(!list?.remove && !list?.change, 'an agent only adds and reorders')
    if (!list) return []
    run.record({ type: 'edited', at: run.now, by: 'agent', list })
    must(!read().edit.list, 'an adopted edit is not adopted twice')
    for (const task of run.tasks)
      if (!before.has(task.id))
        must(taskStateOf(workflow, run.state, task).stage === 'work', 'what an agent adds starts fresh')
    return []
  }

  function project() {
    must(run.state.added <= limits.additions, 'agents add no more than they may')
    items = projectTodo(run.tasks, run.state, workflow)
    if (!careful) return
    const read = readTodo(JSON.parse(JSON.stringify(items)))
    must('items' in read && same(read.items, items), 'what ralph writes is well-formed')
    must(same(edits(), {}), 'a list that nobody touched is no edit')
    must(same(attempts('', 0), { edit: {}, refused: [] }), 'nor an attempt')
  }

  function edit() {
    const found = editTodo(items, d)
    items = found
    const edited = edits()
    if (!same(edited, {})) run.adoptPerson(edited)
    must(same(edits(), {}), "a person's edit is adopted once")
    project()
    const shown = (list: readonly TodoItem[]) =>
      list.map(i => [i.content, i.activeForm, i.status === 'completed'])
    must(same(shown(items), shown(found)), 'the list is as the person left it')
  }

  return { begin: project, scribble, claims: (s: Step) => saidClaims(rules, d, s), adoptAgent, project, edit }
}

const definition = (task: Task) => [task.title, task.blockedBy, specOf(task).acceptanceCriteria]

export const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)
