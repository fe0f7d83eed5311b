import { join } from 'node:path'
import type { Command } from 'commander'
import { known } from '../../../agents/index.ts'
import { canGoOn, ralphHome, runIds } from '../../../runs/find.ts'
import { readJournal } from '../../../store/journal.ts'
import { print } from '../../../terminal/print.ts'
import { plainLine } from '../../../view/plain.ts'
import type { Shell } from './command.ts'
import { type Completion, findCompletions } from './find-completions.ts'
import { scriptFor } from './scripts.ts'

/** Enough to choose from. Older ones can be typed; reading all of them would take too long. */
const RECENT = 30

export function printCompletions(shell: Shell): number {
  process.stdout.write(scriptFor(shell))
  return 0
}

/** Answers a completion script. */
export function offerCompletions(program: Command, words: readonly string[]): number {
  const completions = findCompletions(program, words, {
    agents: () => [...known.keys(), 'demo'].map(value => ({ value, about: '' })),
    runs: command => recentRuns(ralphHome(process.env), command === 'resume' || command === 'build'),
  })
  const lines =
    completions.type === 'values'
      ? completions.values.map(({ value, about }) => `${value}\t${plainLine(about)}`)
      : [`:${completions.type}`]
  for (const line of lines) print(line)
  return 0
}

/** The latest runs, newest first. A run that cannot be read is not offered. */
function recentRuns(home: string, unfinished: boolean): Completion[] {
  const ids = runIds(home).slice(-RECENT).reverse()
  return ids.flatMap(id => {
    try {
      const events = readJournal(join(home, 'runs', id))
      const began = events[0]
      if (began?.type !== 'began' || (unfinished && !canGoOn(events))) return []
      return [{ value: id, about: began.project }]
    } catch {
      return []
    }
  })
}
