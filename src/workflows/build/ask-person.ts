import type { UserAccess } from '../../core/asker.ts'
import { parseJson } from '../../core/json.ts'
import { taskSummary } from '../../view/task-list.ts'
import { plainLine } from '../../view/text/plain.ts'
import { checkList } from './rules/check-list.ts'
import { type CheckedList, itemsWithDetails } from './rules/planned.ts'

/** A person at the terminal who decides about a plan. Throws NoAnswer if they went away. */
export interface Person {
  /** The text to make the plan from: one of the two, or an edited one. */
  chooseGoal(original: string, refined: string): Promise<string>
  reviewPlan(plan: CheckedList): Promise<PlanDecision>
}

export type PlanDecision =
  | { type: 'accept'; plan: CheckedList }
  /** The planner must change this plan as these words say. */
  | { type: 'again'; words: string; plan: CheckedList }

const HINT_LENGTH = 120

/** Asks a person about the goal and the plan of a build. */
export function askPerson({ asker, say, edit, editor }: UserAccess): Person {
  const shorten = (text: string) => plainLine(text, HINT_LENGTH)

  return {
    async chooseGoal(original, refined) {
      say(`\nYour words:\n\n${original}\n\nRefined:\n\n${refined}\n`)
      for (;;) {
        const ask = await asker()
        const choice = await ask.one('Your prompt was refined. Which version should ralph use?', [
          { value: 'refined', label: 'Use refined prompt (Recommended)', hint: shorten(refined) },
          { value: 'original', label: 'Use original prompt', hint: shorten(original) },
          { value: 'edit', label: 'Other: edit it', hint: editor },
        ])
        if (choice !== 'edit') return choice === 'original' ? original : refined
        const edited = edit(refined, 'md')
        if ('text' in edited) return edited.text.trim()
        say(`\n${edited.trouble}; choose again`)
      }
    },

    async reviewPlan(plan) {
      let current = plan
      /** The last edited text that could not be used, so that the person can correct it. */
      let draft: string | null = null
      for (;;) {
        say(`\n${taskSummary(current.items).join('\n')}\n`)
        const ask = await asker()
        const choice = await ask.one('Work on this list?', [
          { value: 'accept', label: 'Accept', hint: 'start with the first task' },
          { value: 'edit', label: 'Edit', hint: editor },
          { value: 'again', label: 'Ask again', hint: 'say what should be different' },
        ])
        if (choice === 'accept') return { type: 'accept', plan: current }
        if (choice === 'again') {
          const wish = await ask.line('What should be different?', {
            refuse: answer => (answer === '' ? 'Say it in a few words' : undefined),
          })
          return { type: 'again', words: wish, plan: current }
        }
        const edited = editPlan(current, draft, edit, say)
        current = edited.plan
        draft = edited.draft
      }
    },
  }
}

/** Opens the list as JSON. If the result cannot be used, prints why, keeps the text as a draft and the old list. */
function editPlan(
  plan: CheckedList,
  draft: string | null,
  edit: UserAccess['edit'],
  say: UserAccess['say'],
): { plan: CheckedList; draft: string | null } {
  const file = edit(draft ?? `${JSON.stringify(itemsWithDetails(plan), null, 2)}\n`, 'json')
  if ('trouble' in file) {
    say(`\n${file.trouble}; the list is as it was`)
    return { plan, draft }
  }
  const edited = readList(file.text)
  if (!('errors' in edited)) return { plan: edited, draft: null }
  const errors = edited.errors.map(error => `- ${error}`).join('\n')
  say(`The list could not be used; Edit opens it again as you left it:\n${errors}`)
  return { plan, draft: file.text }
}

function readList(text: string): CheckedList | { errors: string[] } {
  try {
    const list = parseJson(text)
    return Array.isArray(list) ? checkList(list, { isNew: true }) : { errors: ['it is not an array'] }
  } catch (error) {
    return { errors: [(error as Error).message] }
  }
}
