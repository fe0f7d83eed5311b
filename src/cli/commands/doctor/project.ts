import { fold } from '../../../core/evolve.ts'
import { protectNotes } from '../../../host/protection.ts'
import { isTrusted, projectRisks } from '../../../host/trust.ts'
import { isAlive } from '../../../runners/process/proc.ts'
import { latestUnfinished } from '../../../runs/find.ts'
import { type Loaded, loadSettings } from '../../../settings/load.ts'
import { readLock } from '../../../store/lock.ts'
import { endingOf, resumeCommand } from '../../../view/report/ending.ts'
import { iterationsOf } from '../../../view/report/iterations.ts'
import { spentOn } from '../../../view/report/spent.ts'
import { traitsIn, workflows } from '../../../workflows/index.ts'
import { commandGuardrails } from '../../../workflows/spec.ts'
import type { Env } from './environment.ts'
import type { ProjectFacts } from './facts.ts'

/** The settings of a project, or the one line that says what is wrong with them. */
export type SettingsRead = { type: 'read'; loaded: Loaded } | { type: 'invalid'; error: string }

export function readSettings(project: string, home: string): SettingsRead {
  try {
    return { type: 'read', loaded: loadSettings(project, {}, home) }
  } catch (error) {
    return { type: 'invalid', error: (error as Error).message }
  }
}

/** Changes nothing: it takes no lock, gives no trust and makes no folder. */
export function examineProject(path: string, read: SettingsRead, home: string, env: Env): ProjectFacts {
  const lock = readLock(home, path, isAlive)
  return {
    path,
    settings:
      read.type === 'read'
        ? { valid: true, files: read.loaded.sources }
        : { valid: false, error: read.error },
    trust: examineTrust(path, read, home, env),
    guardrails: read.type === 'read' ? commandGuardrails(read.loaded.settings).map(g => g.command) : null,
    protect: examineProtect(path, read),
    lock: lock && { run: lock.run, pid: lock.pid, host: lock.host },
    ...findUnfinished(home, path),
  }
}

function examineProtect(project: string, read: SettingsRead): ProjectFacts['protect'] {
  const patterns = read.type === 'read' ? read.loaded.settings.protect : []
  try {
    return { patterns, notes: protectNotes(project, patterns), trouble: null }
  } catch (error) {
    return { patterns, notes: [], trouble: (error as Error).message }
  }
}

function examineTrust(project: string, read: SettingsRead, home: string, env: Env): ProjectFacts['trust'] {
  if (read.type === 'invalid') return { state: 'unknown', why: 'the settings are not valid' }
  try {
    const found = projectRisks(project, read.loaded.fromFiles, env)
    const isGiven = isTrusted(home, project, found)
    if (isGiven && found.length === 0) return { state: 'not needed' }
    if (env.RALPH_TRUST === '1') return { state: 'by RALPH_TRUST' }
    if (isGiven) return { state: 'given' }
    const where = [...new Set(found.map(risk => risk.file ?? risk.where))]
    return { state: 'missing', where: where.length > 0 ? where : ['what was removed since'] }
  } catch (error) {
    return { state: 'unknown', why: (error as Error).message }
  }
}

function findUnfinished(home: string, project: string): Pick<ProjectFacts, 'unfinished' | 'runsTrouble'> {
  try {
    const run = latestUnfinished(home, project)
    if (!run) return { unfinished: null, runsTrouble: null }
    const { id, events, began } = run
    const traits = traitsIn(workflows, began.workflow)
    const folded = fold(events)
    const spent = spentOn(iterationsOf(events))
    const goOn = resumeCommand(events, traits, endingOf(events, false), spent, () => folded)
    return { unfinished: { run: id, iterations: folded.state.n, goOn }, runsTrouble: null }
  } catch (error) {
    return { unfinished: null, runsTrouble: (error as Error).message }
  }
}
