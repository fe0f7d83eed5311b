import { fold } from '../../../core/evolve.ts'
import { plural } from '../../../core/format.ts'
import { protectNotes } from '../../../host/protection.ts'
import { isTrusted, projectRisks } from '../../../host/trust.ts'
import { isAlive } from '../../../runners/process/proc.ts'
import { latestUnfinished } from '../../../runs/find.ts'
import { readLock } from '../../../store/lock.ts'
import { endingOf, resumeCommand } from '../../../view/report/ending.ts'
import { iterationsOf } from '../../../view/report/iterations.ts'
import { spentOn } from '../../../view/report/spent.ts'
import { traitsIn, workflows } from '../../../workflows/index.ts'
import { commandGuardrails } from '../../../workflows/spec.ts'
import { blocked, found, row, type Setup } from './finding.ts'

// Each of these looks into one matter of the project. They take no lock, give no trust and make no folder.

export function findSettings({ read }: Setup) {
  if (read.type === 'invalid') return blocked({ valid: false, error: read.error }, 'settings', read.error)
  const files = read.loaded.sources
  return found({ valid: true, files }, row('yes', 'settings', files.join(' · ') || 'none: the defaults'))
}

export function findTrust({ cwd, read, home, env }: Setup) {
  const given = (state: string, value: string) => found({ state }, row('yes', 'trust', value))
  if (read.type === 'invalid') {
    const why = 'the settings are not valid'
    return found({ state: 'unknown', why }, row('no', 'trust', why))
  }
  try {
    const risks = projectRisks(cwd, read.loaded.fromFiles, env)
    const isGiven = isTrusted(home, cwd, risks)
    if (isGiven && risks.length === 0) return given('not needed', 'nothing here needs it')
    if (env.RALPH_TRUST === '1') return given('by RALPH_TRUST', 'given by RALPH_TRUST=1')
    if (isGiven) return given('given', 'given')
    const named = [...new Set(risks.map(risk => risk.file ?? risk.where))]
    const where = named.length > 0 ? named : ['what was removed since']
    const value = `not given for ${where.join(', ')}`
    return found({ state: 'missing', where }, row('none', 'trust', value, 'ralph trust'))
  } catch (error) {
    const why = (error as Error).message
    return blocked({ state: 'unknown', why }, 'trust', why)
  }
}

/** The commands. Null while the settings cannot be read. */
export function findChecks({ settings }: Setup) {
  if (settings === null) return found(null, row('none', 'checks', 'unknown'))
  const commands = commandGuardrails(settings).map(({ command }) => command)
  if (commands.length > 0) return found(commands, row('yes', 'checks', commands.join(' · ')))
  const none = 'none: the result of a run is only claimed'
  return found(commands, row('none', 'checks', none, 'ralph init, or --check "npm test"'))
}

/** The patterns of files to protect, notes about them, and why a run could not start with them. */
export function findProtect({ cwd, settings }: Setup) {
  const patterns = settings?.protect ?? []
  try {
    const notes = protectNotes(cwd, patterns)
    const doubts = notes.map(note => row('none', 'protect', note))
    const all = patterns.length > 0 ? [row('yes', 'protect', patterns.join(' · '))] : []
    return found({ patterns, notes, trouble: null }, ...(notes.length > 0 ? doubts : all))
  } catch (error) {
    const trouble = (error as Error).message
    return blocked({ patterns, notes: [], trouble }, 'protect', trouble)
  }
}

/** The run at work here. */
export function findLock({ home, cwd }: Setup) {
  const lock = readLock(home, cwd, isAlive)
  if (lock === null) return found(null, row('yes', 'lock', 'free'))
  const { run, pid, host } = lock
  const value = `run ${run} is at work here (pid ${pid} on ${host})`
  return found({ run, pid, host }, row('none', 'lock', value, 'wait for it, or use --shared'))
}

/** The latest unfinished run, with the command that continues it, or why the runs could not be read. */
export function findRuns({ home, cwd }: Setup, lock: { run: string } | null) {
  const none = row('yes', 'runs', 'none that was left unfinished')
  try {
    const latest = latestUnfinished(home, cwd)
    if (!latest) return found({ unfinished: null, runsTrouble: null }, none)
    const { id, events, began } = latest
    const folded = fold(events)
    const spent = spentOn(iterationsOf(events))
    const traits = traitsIn(workflows, began.workflow)
    const goOn = resumeCommand(events, traits, endingOf(events, false), spent, folded)
    const iterations = folded.state.n
    const value = `${id} is unfinished after ${plural(iterations, 'iteration')}`
    const unfinished = { run: id, iterations, goOn }
    return found(
      { unfinished, runsTrouble: null },
      id === lock?.run ? none : row('none', 'runs', value, goOn),
    )
  } catch (error) {
    const runsTrouble = (error as Error).message
    return found({ unfinished: null, runsTrouble }, row('no', 'runs', runsTrouble))
  }
}
