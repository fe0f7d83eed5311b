import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkList } from '../../core/build/check-list.ts'
import { oneLine, type Planned } from '../../core/build/planned.ts'
import { plain } from '../../view/plain.ts'
import { taskSummary } from '../../view/task-list.ts'
import { terminalAsker } from '../terminal-asker.ts'
import type { Person } from './person.ts'

const HINT = 120

/** Asks on the terminal; what is to be edited is opened in the user's editor. */
export function terminalPerson(stop: AbortSignal, env: NodeJS.ProcessEnv): Person {
  const say = (text: string) => process.stdout.write(`${plain(text)}\n`)
  const shorten = (text: string) => oneLine(plain(text)).slice(0, HINT)

  return {
    async chooseGoal(original, refined) {
      say(`\nYour words:\n\n${original}\n\nRefined:\n\n${refined}\n`)
      const ask = await terminalAsker(stop)
      const choice = await ask.one('Your prompt was refined. Which version should ralph use?', [
        { value: 'refined', label: 'Use refined prompt (Recommended)', hint: shorten(refined) },
        { value: 'original', label: 'Use original prompt', hint: shorten(original) },
        { value: 'edit', label: 'Other: edit it', hint: editorOf(env) },
      ])
      if (choice === 'original') return original
      return choice === 'refined' ? refined : edit(refined, 'md', env).trim() || original
    },

    async judgePlan(plan) {
      let judged = plan
      for (;;) {
        say(`\n${taskSummary(judged.items).join('\n')}\n`)
        const ask = await terminalAsker(stop)
        const choice = await ask.one('Work on this list?', [
          { value: 'accept', label: 'Accept', hint: 'start with the first task' },
          { value: 'edit', label: 'Edit', hint: editorOf(env) },
          { value: 'again', label: 'Ask again', hint: 'say what should be different' },
        ])
        if (choice === 'accept') return { type: 'accept', plan: judged }
        if (choice === 'again')
          return {
            type: 'again',
            words: `The user wants another plan: ${await ask.line('What should be different?', {
              refuse: answer => (answer === '' ? 'Say it in a few words' : undefined),
            })}`,
          }
        judged = editPlan(judged, env, say)
      }
    },
  }
}

/** Opens the list as JSON; a list that cannot be used is named, and the one before stands. */
function editPlan(plan: Planned, env: NodeJS.ProcessEnv, say: (text: string) => void): Planned {
  const items = plan.items.map(item => ({ ...item, ...plan.details[item.id] }))
  const edited = readList(edit(`${JSON.stringify(items, null, 2)}\n`, 'json', env))
  if (!('errors' in edited)) return edited
  say(`The list could not be used:\n${edited.errors.map(error => `- ${error}`).join('\n')}`)
  return plan
}

function readList(text: string): Planned | { errors: string[] } {
  try {
    const list = JSON.parse(text)
    return Array.isArray(list) ? checkList(list, { fresh: true }) : { errors: ['it is no array'] }
  } catch (error) {
    return { errors: [(error as Error).message] }
  }
}

const editorOf = (env: NodeJS.ProcessEnv): string => env.VISUAL || env.EDITOR || 'vi'

function edit(text: string, ending: string, env: NodeJS.ProcessEnv): string {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-edit-'))
  const path = join(folder, `text.${ending}`)
  try {
    writeFileSync(path, text, { mode: 0o600 })
    // Through a shell: EDITOR may hold arguments ("code --wait").
    const { status, error } = spawnSync('/bin/sh', ['-c', `${editorOf(env)} "$1"`, 'editor', path], {
      stdio: 'inherit',
    })
    if (error || status !== 0) return text
    return readFileSync(path, 'utf8')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
