import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { plain } from '../view/plain.ts'
import { taskSummary } from '../view/task-list.ts'
import type { Person } from '../workflows/build/person.ts'
import { checkList } from '../workflows/build/rules/check-list.ts'
import { listOf, oneLine, type Planned } from '../workflows/build/rules/planned.ts'
import { terminalAsker } from './terminal-asker.ts'

const HINT = 120

/** Asks on the terminal; what is to be edited is opened in the user's editor. */
export function terminalPerson(stop: AbortSignal, env: NodeJS.ProcessEnv): Person {
  const say = (text: string) => process.stdout.write(`${plain(text)}\n`)
  const shorten = (text: string) => oneLine(plain(text)).slice(0, HINT)

  return {
    async chooseGoal(original, refined) {
      say(`\nYour words:\n\n${original}\n\nRefined:\n\n${refined}\n`)
      for (;;) {
        const ask = await terminalAsker(stop)
        const choice = await ask.one('Your prompt was refined. Which version should ralph use?', [
          { value: 'refined', label: 'Use refined prompt (Recommended)', hint: shorten(refined) },
          { value: 'original', label: 'Use original prompt', hint: shorten(original) },
          { value: 'edit', label: 'Other: edit it', hint: editorOf(env) },
        ])
        if (choice !== 'edit') return choice === 'original' ? original : refined
        const edited = edit(refined, 'md', env)
        if ('text' in edited) return edited.text.trim()
        say(`\n${edited.trouble}; choose again`)
      }
    },

    async judgePlan(plan) {
      let judged = plan
      /** What was written last and could not be used: it is there to be mended. */
      let draft: string | null = null
      for (;;) {
        say(`\n${taskSummary(judged.items).join('\n')}\n`)
        const ask = await terminalAsker(stop)
        const choice = await ask.one('Work on this list?', [
          { value: 'accept', label: 'Accept', hint: 'start with the first task' },
          { value: 'edit', label: 'Edit', hint: editorOf(env) },
          { value: 'again', label: 'Ask again', hint: 'say what should be different' },
        ])
        if (choice === 'accept') return { type: 'accept', plan: judged }
        if (choice === 'again') {
          const words = await ask.line('What should be different?', {
            refuse: answer => (answer === '' ? 'Say it in a few words' : undefined),
          })
          return { type: 'again', words, plan: judged }
        }
        const edited = editPlan(judged, draft, env, say)
        judged = edited.plan
        draft = edited.draft
      }
    },
  }
}

/** Opens the list as JSON; one that cannot be used is named and kept as a draft, and the one before stands. */
function editPlan(
  plan: Planned,
  draft: string | null,
  env: NodeJS.ProcessEnv,
  say: (text: string) => void,
): { plan: Planned; draft: string | null } {
  const file = edit(draft ?? `${JSON.stringify(listOf(plan), null, 2)}\n`, 'json', env)
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

function readList(text: string): Planned | { errors: string[] } {
  try {
    const list = JSON.parse(text)
    return Array.isArray(list) ? checkList(list, { fresh: true }) : { errors: ['it is no array'] }
  } catch (error) {
    return { errors: [(error as Error).message] }
  }
}

const editorOf = (env: NodeJS.ProcessEnv): string => env.VISUAL || env.EDITOR || 'vi'

function edit(text: string, ending: string, env: NodeJS.ProcessEnv): { text: string } | { trouble: string } {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-edit-'))
  const path = join(folder, `text.${ending}`)
  try {
    writeFileSync(path, text, { mode: 0o600 })
    // Through a shell: EDITOR may hold arguments ("code --wait").
    const { status, signal, error } = spawnSync('/bin/sh', ['-c', `${editorOf(env)} "$1"`, 'editor', path], {
      stdio: 'inherit',
    })
    const how = error?.message ?? (signal ? `ended by ${signal}` : `exit ${status}`)
    if (error || status !== 0) return { trouble: `The editor ${editorOf(env)} failed (${how})` }
    const edited = existsSync(path) ? readFileSync(path, 'utf8') : ''
    return edited.trim() === '' ? { trouble: 'The file came back empty' } : { text: edited }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
