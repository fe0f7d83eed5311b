import { known } from '../../../agents/index.ts'
import { NoAnswer } from '../../../core/asker.ts'
import { UsageError } from '../../../core/usage-error.ts'
import { safeJson } from '../../../core/visible.ts'
import { listenToSignals } from '../../../host/process-frontend.ts'
import { rememberTrust } from '../../../host/trust.ts'
import { findProgram } from '../../../runners/find-program.ts'
import { ralphHome } from '../../../runs/find.ts'
import { projectOf } from '../../../runs/project.ts'
import { refuseFromWithinAny } from '../../../runs/within.ts'
import { type Loaded, loadSettings } from '../../../settings/load.ts'
import { risks } from '../../../settings/trust.ts'
import { print, printError, printText, warn } from '../../../terminal/print.ts'
import { terminalAsker } from '../../../terminal/question.ts'
import type { InitOptions } from '../../verbs/begin.ts'
import { type AskSettingsOptions, askSettings, askYesNo, usualAnswers } from './ask-settings.ts'
import { propose, readFiles } from './propose.ts'
import { type Draft, draftOf, writeSettings } from './write-settings.ts'

const SETTINGS = '.ralph/settings.json'

/** Asks for the settings. Nothing is written before the last question is answered. */
export async function initProject({ projectDir: dir, name, force, yes }: InitOptions): Promise<number> {
  if (name !== undefined || force) throw new UsageError('--name and --force go with: ralph init stories')
  if (yes) return writeUsual(projectOf(dir, process.env))
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    throw new UsageError(
      'init asks questions and needs a terminal; without one use --yes, or write .ralph/settings.json by hand (docs/settings.md)',
    )
  const project = projectOf(dir, process.env)
  const before = loadSettings(project)
  const { signals, close } = listenToSignals(() => {})
  try {
    const ask = await terminalAsker(signals.soft)
    if (before.sources.includes(SETTINGS)) {
      show(before)
      if (!(await askYesNo(ask, 'Overwrite?'))) return 0
    }
    const draft = draftOf(await askSettings(ask, askOptions(project, process.env.PATH ?? '')))
    writeSettings(project, draft)
    trustAnswers(project, draft)
    printText(`\nSettings written to ${SETTINGS}\nNext: ralph run -p "Make the tests pass"`)
    return 0
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    printError('Interrupted; nothing was written.')
    return 130
  } finally {
    close()
  }
}

/** Settings without a question. They are shown, and trusted, because the user asked for them. */
function writeUsual(project: string): number {
  refuseFromWithinAny(ralphHome(process.env), process.env, 'write settings')
  if (loadSettings(project).sources.includes(SETTINGS))
    throw new UsageError(`${SETTINGS} already exists; change it, or remove it first`)
  const options = askOptions(project, process.env.PATH ?? '')
  if (options.agents.length === 0)
    throw new UsageError(
      'no agent found on PATH; install one (ralph doctor says how), then: ralph init --yes',
    )
  const draft = draftOf(usualAnswers(options))
  writeSettings(project, draft)
  trustAnswers(project, draft)
  const checks = draft.guardrails.map(({ command }) => command)
  printText(`Settings written to ${SETTINGS}
  agent    ${draft.agent.command}
  checks   ${checks.length > 0 ? checks.join(' · ') : 'none found; add some with --check, or to guardrails in the settings'}
Next: ralph run -p "Make the tests pass"`)
  return 0
}

/** Shows the merged settings files. Hidden characters are made visible, because the files may come from anyone. */
function show({ fromFiles, sources }: Loaded): void {
  const overlay = sources.length > 1 ? ' (with local overlay from settings.local.json)' : ''
  print(`${safeJson(fromFiles, 2)}\nLoaded from ${SETTINGS}${overlay}\n`)
}

const askOptions = (project: string, path: string): AskSettingsOptions => ({
  agents: [...known.keys()].filter(name => findProgram(name, path) !== null),
  proposals: propose(readFiles(project)),
  isProgram: name => findProgram(name, path) !== null,
})

/** The user has just given these commands, so the next run need not ask about them. */
function trustAnswers(project: string, draft: Draft): void {
  try {
    rememberTrust(ralphHome(process.env), project, risks(draft))
  } catch (error) {
    // The settings are written anyway; the next run asks.
    warn(`the settings are not trusted yet: ${(error as Error).message}`)
  }
}
