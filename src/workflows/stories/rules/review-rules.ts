import { byId, type TaskId } from '../../../core/task.ts'
import type { StoriesFile, Story } from './story-file.ts'

/** The kind of an iteration. It decides which review fields an agent may change, and how. */
export type ReviewMode = 'implement' | 'review' | 'review-fix'

type ReviewState = Pick<Story, 'passes' | 'reviewStatus' | 'reviewCount'>

/** The review fields of every story as they were before an iteration. */
export type ReviewSnapshot = readonly (Pick<Story, 'id'> & ReviewState)[]

/** What is wrong with a story. If `change` is given, the text goes on with it. */
export type Flaw = { story: TaskId; text: string; change?: string }

export const flawText = ({ text, change }: Flaw): string =>
  change === undefined ? text : `${text}${change}.`

/** What must be true of a story file at any time, no matter who wrote it. */
export function invariantFlaws({ userStories }: Pick<StoriesFile, 'userStories'>, cap: number): Flaw[] {
  const flaws: Flaw[] = []
  for (const { id, passes, reviewStatus, reviewCount, reviewFeedback } of userStories) {
    const add = (text: string) => flaws.push({ story: id, text })
    if (passes && reviewStatus !== 'approved')
      add(
        `Story ${id} has passes=true but reviewStatus is '${reviewStatus}', not 'approved'. Only review iterations may approve stories. Set passes back to false or complete the review cycle.`,
      )
    if (!passes && reviewStatus === 'approved')
      add(
        `Story ${id} has reviewStatus 'approved' but passes=false. The two are out of sync: a story is approved exactly when it passes.`,
      )
    if (reviewStatus === 'changes_requested' && reviewFeedback.trim() === '')
      add(
        `Story ${id} has reviewStatus 'changes_requested' but its reviewFeedback is empty. Feedback is required: say what has to be fixed, and where.`,
      )
    if (reviewCount > cap + 1)
      add(`Story ${id} has reviewCount ${reviewCount}, more than the review cap of ${cap} allows.`)
  }
  return flaws
}

/** Changes that this mode does not allow. The state afterwards may be legal even if the transition to it is not. */
export function transitionFlaws(mode: ReviewMode, before: ReviewSnapshot, after: StoriesFile): Flaw[] {
  const known = byId(before)
  const added: Story[] = []
  const changed: Change[] = []
  for (const story of after.userStories) {
    const was = known.get(story.id)
    const fields = was ? FIELDS.filter(field => was[field] !== story[field]) : []
    if (!was) added.push(story)
    else if (fields.length > 0) changed.push({ story, was, fields })
  }
  const parts = added.filter(story => isSubmittedPart(mode, story))
  return [
    ...added.filter(story => !parts.includes(story)).flatMap(newStoryFlaws),
    ...removedFlaws(before, after),
    ...modeFlaws(mode, before, changed, parts),
  ]
}

/** A story that is too large is split, and the first of its parts may be submitted instead of it. */
export const isSubmittedPart = (mode: ReviewMode, story: Story): boolean =>
  mode === 'implement' && !story.passes && story.reviewStatus === 'needs_review' && story.reviewCount === 0

type Change = { story: Story; was: ReviewState; fields: (keyof ReviewState)[] }

const FIELDS: (keyof ReviewState)[] = ['passes', 'reviewStatus', 'reviewCount']

function modeFlaws(mode: ReviewMode, before: ReviewSnapshot, changed: Change[], parts: Story[]): Flaw[] {
  switch (mode) {
    case 'implement':
      return implementFlaws(changed, parts)
    case 'review':
      return reviewFlaws(before, changed)
    case 'review-fix':
      return fixFlaws(changed)
    default:
      return mode satisfies never
  }
}

function implementFlaws(changed: Change[], parts: Story[]): Flaw[] {
  const submits = ({ was, story }: Change) =>
    was.reviewStatus === null && story.reviewStatus === 'needs_review'
  const flaws = changed.flatMap(change =>
    change.fields
      .filter(field => field !== 'reviewStatus' || !submits(change))
      .map(field => ({
        story: change.story.id,
        text: `Implement iterations cannot set passes=true or approve stories. Only review iterations may approve. Story ${change.story.id} had illegal transition: `,
        change: formatChange(change, field),
      })),
  )
  const [first, ...more] = [...changed.filter(submits).map(({ story }) => story), ...parts]
  const extra = more.map(({ id }) => ({
    story: id,
    text: `An implement iteration submits one story for review. Story ${id} was submitted besides ${first!.id}.`,
  }))
  return [...flaws, ...extra]
}

function reviewFlaws(before: ReviewSnapshot, changed: Change[]): Flaw[] {
  const illegal = (id: string, details: string): Flaw => ({
    story: id,
    text: `Review iteration made illegal transition on story ${id}: ${details}.`,
  })
  if (changed.length === 0) {
    const waiting = before.find(({ reviewStatus }) => reviewStatus === 'needs_review')
    return waiting ? [illegal(waiting.id, 'a review must increment reviewCount and give a verdict')] : []
  }
  const reviewed = changed.find(c => c.was.reviewStatus === 'needs_review') ?? changed[0]!
  const { story, was } = reviewed
  const approved = story.reviewStatus === 'approved' && story.passes
  const sentBack = story.reviewStatus === 'changes_requested' && !story.passes
  const wrong: string[] = []
  if (was.reviewStatus !== 'needs_review')
    wrong.push(`its reviewStatus was '${was.reviewStatus}', not 'needs_review'`)
  if (story.reviewCount !== was.reviewCount + 1)
    wrong.push(`reviewCount must be incremented by 1, not ${was.reviewCount} → ${story.reviewCount}`)
  if (!approved && !sentBack)
    wrong.push(
      `the verdict must be 'approved' with passes=true or 'changes_requested' with passes=false, not '${story.reviewStatus}' with passes=${story.passes}`,
    )
  if (sentBack && story.reviewFeedback.trim() === '')
    wrong.push("'changes_requested' needs a reviewFeedback that is not empty")
  const others = changed.filter(c => c !== reviewed)
  return [
    ...wrong.map(details => illegal(story.id, details)),
    ...others.map(other =>
      illegal(
        other.story.id,
        `a review may only modify one story, and ${story.id} was reviewed: ${other.fields.map(f => formatChange(other, f)).join(', ')}`,
      ),
    ),
  ]
}

function fixFlaws(changed: Change[]): Flaw[] {
  const illegal = (id: string, change: string): Flaw => ({
    story: id,
    text: `Review-fix iterations cannot approve stories. Story ${id} must go back to needs_review for re-review. Illegal transition: `,
    change,
  })
  const resubmits = ({ was, story }: Change) =>
    was.reviewStatus === 'changes_requested' && story.reviewStatus === 'needs_review'
  const flaws = changed.flatMap(change =>
    change.fields
      .filter(field => field !== 'reviewStatus' || !resubmits(change))
      .map(field => illegal(change.story.id, formatChange(change, field))),
  )
  const [first, ...more] = changed.filter(resubmits)
  if (first && first.story.reviewFeedback.trim() !== '')
    flaws.push(illegal(first.story.id, 'reviewFeedback was not cleared'))
  const extra = more.map(({ story }) => ({
    story: story.id,
    text: `A review-fix iteration resubmits one story. Story ${story.id} was resubmitted besides ${first!.story.id}.`,
  }))
  return [...flaws, ...extra]
}

function newStoryFlaws({ id, passes, reviewStatus, reviewCount }: Story): Flaw[] {
  if (!passes && reviewStatus === null && reviewCount === 0) return []
  const text = `New stories must start incomplete, with passes=false, reviewStatus=null and reviewCount=0. Story ${id} starts with passes=${passes}, reviewStatus=${reviewStatus} and reviewCount=${reviewCount}.`
  return [{ story: id, text }]
}

export function removedFlaws(before: ReviewSnapshot, after: StoriesFile): Flaw[] {
  const left = new Set(after.userStories.map(story => story.id))
  return before
    .filter(({ id }) => !left.has(id))
    .map(({ id }) => ({
      story: id,
      text: `Story ${id} was removed. Stories may be added and reordered, never removed: put it back.`,
    }))
}

const formatChange = ({ was, story }: Change, field: keyof ReviewState) =>
  `${field} ${was[field]} → ${story[field]}`
