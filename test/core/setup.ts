import type { AgentName, Limits, StageName, StageTable } from '../../src/core/table.ts'
import type { Task } from '../../src/core/task.ts'
import { buildTable } from '../../src/workflows/build/table.ts'
import { pipelineTable } from '../../src/workflows/pipeline/table.ts'
import { runTable } from '../../src/workflows/run/spec.ts'
import { storyTasks } from '../../src/workflows/stories/rules/review.ts'
import type { StoriesFile, Story } from '../../src/workflows/stories/rules/story-file.ts'
import { storiesTable } from '../../src/workflows/stories/table.ts'
import type { Dice } from './dice.ts'

export type Kind = 'prompt' | 'tasks' | 'stories' | 'pipeline'

/** How likely things are in one walk: some worlds are calm, in some hardly anything works. */
export type Temper = {
  trouble: number
  red: number
  unsure: number
  checked: number
  signal: number
  reject: number
  changed: number
  asks: number
  scribble: number
  crash: number
}

export type Setup = {
  kind: Kind
  workflow: StageTable
  limits: Limits
  tasks: Task[]
  agentsFor(stage: StageName): readonly AgentName[]
  skip: boolean
  atCap: 'approve' | 'block'
  temper: Temper
}

/** Ids that are also names of what every object inherits: they must be ids like any other. */
const ODD = ['#1', 'constructor', '__proto__', '#10', 'toString']
const PLAIN = ['#1', '#2', '#3', '#4', '#10']
const idsFrom = (d: Dice) => (d.chance(0.1) ? ODD : PLAIN)
const MINUTE = 60_000

export function setup(kind: Kind, d: Dice): Setup {
  const skip = d.chance(0.2)
  const atCap = d.pick(['approve', 'block'] as const)
  const options = { skip, atCap, cap: 1 + d.below(4) }
  return {
    kind,
    workflow: tableOf(kind, options, d),
    limits: limitsFor(kind, d),
    tasks: kind === 'stories' ? someStories(d) : someTasks(kind, d),
    agentsFor: d.pick([
      () => ['a'],
      () => ['a', 'b'],
      (stage: StageName) => (stage === 'review' || stage === 'reviewer' ? ['c'] : ['a', 'b']),
    ]),
    skip,
    atCap,
    temper: {
      trouble: d.pick([0, 0.05, 0.25, 0.7]),
      red: d.pick([0, 0.1, 0.1, 0.4, 1]),
      unsure: d.pick([0, 0.1]),
      checked: d.pick([1, 1, 0.8, 0]),
      signal: d.pick([1, 0.8, 0.8, 0.4, 0]),
      reject: d.pick([0, 0.2, 0.6, 1]),
      changed: d.pick([1, 0.7, 0.2, 0]),
      asks: d.pick([0, 0, 0.1]),
      scribble: d.pick([0, 0.3, 0.9]),
      crash: d.pick([0, 0, 0, 0.02, 0.1, 0.25]),
    },
  }
}

type Options = { skip: boolean; atCap: 'approve' | 'block'; cap: number }

function tableOf(kind: Kind, options: Options, d: Dice): StageTable {
  const parallel = 1 + d.below(4)
  switch (kind) {
    case 'prompt':
      return runTable(d.pick([{}, { unchanged: 2 }, { untilGreen: true }] as const))
    case 'tasks':
      return buildTable({ bugs: d.below(4), parallel })
    case 'stories':
      return storiesTable(options)
    case 'pipeline': {
      const roles = (['coder', 'reviewer', 'tester', 'qa'] as const).filter(() => d.chance(0.7))
      return pipelineTable({
        ...(roles.length > 0 && { roles }),
        tries: d.chance(0.85) ? { coder: 3, reviewer: 2, tester: 2, qa: 1 } : {},
        rounds: d.below(4),
        parallel,
      })
    }
    default:
      return kind satisfies never
  }
}

const limitsFor = (kind: Kind, d: Dice): Limits => ({
  // A prompt loop has nothing else to count; the others must end without.
  iterations: kind === 'prompt' || d.chance(0.4) ? 1 + d.below(20) : null,
  failures: 1 + d.below(5),
  crashes: 1 + d.below(3),
  stuck: d.pick([2, 3]),
  empties: d.pick([0, 2]),
  limitWaitMs: d.pick([5, 60, 360]) * MINUTE,
  usd: d.chance(0.1) ? 5 : null,
  tokens: d.chance(0.1) ? 5000 : null,
  ms: d.chance(0.1) ? d.pick([30, 600]) * MINUTE : null,
  additions: d.below(3),
})

function someTasks(kind: Kind, d: Dice): Task[] {
  const ids = idsFrom(d).slice(0, kind === 'prompt' ? 1 : 1 + d.below(4))
  const list = ids.map(
    (id, place): Task => ({
      id,
      title: `Do ${id}`,
      blockedBy: [...ids.slice(0, place).filter(() => d.chance(0.3)), ...(d.chance(0.03) ? ['nowhere'] : [])],
      ...(d.chance(0.2) && { priority: d.below(3) }),
      ...(d.chance(0.2) && { tries: { [d.pick(['work', 'coder', 'qa', 'fix'])]: 1 + d.below(3) } }),
    }),
  )
  const plan: Task = { id: 'plan', title: 'Plan', blockedBy: [], first: d.pick(['refine', 'decompose']) }
  if (kind === 'tasks' && d.chance(0.3)) return [plan]
  return d.shuffle(list)
}

/** Most with few tries, so that a walk sees many moves instead of the same one many times. */
function someStories(d: Dice): Task[] {
  const tries = d.chance(0.8) ? { tries: { implement: 1 + d.below(3), fix: 1 + d.below(3) } } : {}
  return storyTasks(storyFile(d)).map(task => ({ ...task, ...tries }))
}

function storyFile(d: Dice): StoriesFile {
  const ids = idsFrom(d).slice(0, 1 + d.below(3))
  return {
    project: 'p',
    branchName: 'ralph/p',
    description: '',
    verifyCommands: ['npm test'],
    userStories: d.shuffle(
      ids.map((id, place) =>
        newStory(
          id,
          d.below(3),
          ids.slice(0, place).filter(() => d.chance(0.3)),
        ),
      ),
    ),
  }
}

export const newStory = (id: string, priority = 1, dependsOn: readonly string[] = []): Story => ({
  id,
  title: `Do ${id}`,
  description: '',
  acceptanceCriteria: [`${id} works`],
  priority,
  passes: false,
  reviewStatus: null,
  reviewCount: 0,
  reviewFeedback: '',
  notes: '',
  dependsOn,
})
