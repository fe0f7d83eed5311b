import type { AgentEnding, Finding, TodoItem } from '../../src/core/events.ts'
import type { Task } from '../../src/core/task.ts'
import type { StoriesFile, Story } from '../../src/workflows/stories/rules/story-file.ts'
import type { Dice } from './dice.ts'
import { newStory, type Temper } from './setup.ts'

type Ending = Omit<AgentEnding, 'ms' | 'claimed'>

/** How an agent may end: well, or in one of the many ways that are trouble. */
export function someEnding(d: Dice, { trouble }: Temper, now: number): Ending {
  const well: Ending = {
    how: 'exited',
    exit: { code: 0, signal: null },
    result: { type: 'ended', ok: true, text: 'words', usage: USAGE, costUsd: 0.5 },
    stoppedByRalph: false,
  }
  if (!d.chance(trouble))
    return d.chance(0.05) ? { ...well, exit: { code: 143, signal: null }, stoppedByRalph: true } : well
  const failed = { ...well.result, ok: false, text: '', error: 'no' }
  switch (d.below(9)) {
    case 0:
      return { ...well, how: 'timeout' }
    case 1:
      return { ...well, how: 'inactive' }
    case 2:
      return { ...well, result: failed, exit: { code: 1, signal: null } }
    case 3:
      return { ...well, exit: { code: null, signal: 'SIGKILL' } }
    case 4:
      return { ...well, result: { ...well.result, text: ' \n' } }
    case 5:
      return { ...well, result: failed, limited: { note: 'slow down' } }
    case 6:
      return { ...well, result: failed, unusable: { note: 'no such key' } }
    case 7:
      return {
        ...well,
        result: failed,
        limited: { note: 'later', resetsAt: now + d.pick([-1, 1, 90, 400]) * 60_000 },
      }
    default:
      return { ...well, result: { ...well.result, denials: 1 + d.below(2) } }
  }
}

const USAGE = { input: 100, output: 10, cacheRead: 0, cacheWrite: 0 }

export function someFindings(d: Dice, temper: Temper): Finding[] {
  if (!d.chance(temper.checked))
    return d.chance(0.3) ? [{ check: 'said', verdict: 'pass', note: '', claim: true }] : []
  const verdict = d.chance(temper.red) ? 'fail' : d.chance(temper.unsure) ? 'unsure' : 'pass'
  const first: Finding = { check: 'test', verdict, note: 'a test' }
  return d.chance(0.3)
    ? [first, { check: 'lint', verdict: d.chance(temper.red / 2) ? 'fail' : 'pass', note: 'a lint' }]
    : [first]
}

export const someYields = (d: Dice): Task[] =>
  ['#1', '#2', '#3'].slice(0, d.below(4)).map((id, place, ids) => ({
    id,
    title: `Do ${id}`,
    blockedBy: ids.slice(0, place).filter(() => d.chance(0.5)),
  }))

const STATUSES = [null, 'needs_review', 'changes_requested', 'approved'] as const

/** What an agent can do to the story file, by mistake or on purpose. `own` is the story it was given. */
export function scribbleStories(
  file: StoriesFile,
  own: string,
  stage: string,
  d: Dice,
  temper: Temper,
): StoriesFile {
  let userStories = file.userStories.map(story =>
    d.chance(temper.scribble * 0.4) ? scribbled(story, d) : story,
  )
  if (d.chance(0.9)) userStories = userStories.map(s => (s.id === own ? asAsked(s, stage, d, temper) : s))
  if (d.chance(temper.scribble * 0.2)) userStories = userStories.filter(() => d.chance(0.7))
  if (d.chance(temper.scribble * 0.2)) userStories = d.shuffle(userStories)
  if (d.chance(temper.scribble * 0.3)) {
    const id = d.pick(['new', 'newer', '#1', '#2'])
    if (!userStories.some(s => s.id === id))
      userStories.splice(d.below(userStories.length + 1), 0, scribbled(newStory(id), d))
  }
  return { ...file, userStories, ...(d.chance(temper.scribble * 0.2) && { verifyCommands: ['true'] }) }
}

function scribbled(story: Story, d: Dice): Story {
  return {
    ...story,
    passes: d.chance(0.6),
    reviewStatus: d.chance(0.6) ? 'approved' : d.pick(STATUSES),
    reviewCount: d.below(3),
    reviewFeedback: d.pick(['', 'mine', '[AUTO-APPROVED AT CAP] lie']),
    notes: 'scribbled',
    ...(d.chance(0.3) && { acceptanceCriteria: ['nothing'], title: 'Nothing' }),
    ...(d.chance(0.3) && { dependsOn: d.chance(0.5) ? [] : ['nowhere'] }),
    ...(d.chance(0.2) && { priority: d.below(3) }),
  }
}

/** What a well-behaved agent writes into its own story. */
function asAsked(story: Story, stage: string, d: Dice, temper: Temper): Story {
  const notes = d.chance(0.5) ? 'did it' : ''
  if (stage !== 'review')
    return d.chance(temper.signal) ? { ...story, reviewStatus: 'needs_review', passes: false } : story
  const reviewCount = story.reviewCount + 1
  if (d.chance(temper.reject)) {
    const feedback = { reviewStatus: 'changes_requested', passes: false, reviewCount } as const
    return { ...story, ...feedback, reviewFeedback: d.pick(['fix this', 'fix that', '']) }
  }
  if (!d.chance(temper.signal)) return story
  return {
    ...story,
    reviewStatus: 'approved',
    passes: true,
    reviewCount,
    notes,
    reviewFeedback: d.pick(['', 'nice']),
  }
}

/** A person's hand in the story file: anything the format allows. */
export function editStories(file: StoriesFile, d: Dice): StoriesFile {
  let userStories = file.userStories.map(story => {
    if (d.chance(0.6)) return story
    const reviewStatus = d.pick(STATUSES)
    return {
      ...scribbled(story, d),
      passes: reviewStatus === 'approved' ? d.chance(0.8) : d.chance(0.2),
      reviewStatus,
    }
  })
  if (d.chance(0.2)) userStories = userStories.filter(() => d.chance(0.6))
  if (d.chance(0.2)) userStories = d.shuffle(userStories)
  if (d.chance(0.2) && !userStories.some(s => s.id === 'mine'))
    userStories.push(scribbled(newStory('mine'), d))
  return { ...file, userStories }
}

/** What an agent or a person may do to a build's list. */
export function editTodo(items: readonly TodoItem[], d: Dice): TodoItem[] {
  let out = items.map((item): TodoItem => {
    const { blockedBy: _, ...rest } = item
    if (d.chance(0.6)) return item
    if (d.chance(0.5)) return { ...item, status: d.pick(['pending', 'in_progress', 'completed'] as const) }
    if (d.chance(0.3))
      return d.chance(0.5) ? rest : { ...item, blockedBy: [d.pick(items).id!, 'nowhere', 'nowhere'] }
    const { id: __, ...nameless } = item
    return d.pick([{ ...item, content: 'Other words' }, { ...item, activeForm: 'Doing' }, nameless])
  })
  if (d.chance(0.2)) out = out.filter(() => d.chance(0.6))
  if (d.chance(0.2)) out = d.shuffle(out)
  for (let i = d.below(3); i > 0; i--) {
    const id = d.pick([undefined, undefined, '#77'])
    const status = d.pick(['pending', 'completed'] as const)
    if (id === undefined || !out.some(item => item.id === id))
      out.splice(d.below(out.length + 1), 0, {
        ...(id && { id }),
        content: d.pick(['More', 'Even more']),
        status,
        activeForm: 'Adding',
      })
  }
  return out
}
