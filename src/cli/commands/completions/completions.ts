import { join } from 'node:path'
import type { Command } from 'commander'
import { known } from '../../../agents/index.ts'
import { canGoOn, ralphHome, runIds } from '../../../runs/find.ts'
import { allWorkers } from '../../../runs/worker-record.ts'
import { readJournal } from '../../../store/journal.ts'
import { print } from '../../../terminal/print.ts'
import { plainLine } from '../../../view/text/plain.ts'
import type { Shell } from '../../verbs/upkeep.ts'
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
    workers: () => workersOf(ralphHome(process.env)),
    runs: command => recentRuns(ralphHome(process.env), command === 'resume' || command === 'build'),
  })
  const lines =
    completions.type === 'values'
      ? completions.values.map(({ value, about }) => `${value}\t${plainLine(about)}`)
      : [`:${completions.type}`]
  for (const line of lines) print(line)
  return 0
}

const workersOf = (home: string): Completion[] =>
  allWorkers(home).map(({ name, project }) => ({ value: name, about: project }))

/** The latest runs, newest first, each also by the name of its worker. A run that cannot be read is not offered. */
function recentRuns(home: string, unfinished: boolean): Completion[] {
  const ids = runIds(home).slice(-RECENT).reverse()
  const names = new Map(allWorkers(home).map(({ run, name }) => [run, name]))
  return ids.flatMap(id => {
    try {
      const events = readJournal(join(home, 'runs', id))
      const began = events[0]
      if (began?.type !== 'began' || (unfinished && !canGoOn(events))) return []
      const name = names.get(id)
      return [...(name === undefined ? [] : [name]), id].map(value => ({ value, about: began.project }))
    } catch {
      return []
    }
  })
}
