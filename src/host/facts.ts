import type { RunEvent } from '../core/events.ts'
import type { Folded } from '../core/evolve.ts'
import { formatDuration, listPaths, plural } from '../core/format.ts'
import { redactAll, redactWords } from '../core/secrets.ts'
import type { Limits } from '../core/table.ts'
import { visibleText } from '../core/visible.ts'
import { unfinishedOperation } from '../git/head.ts'
import { isInRalphFolder } from '../git/tree-state.ts'
import { resolveFlags } from '../settings/load.ts'
import { limitRows } from '../view/limit-rows.ts'
import { checkNames, type RunSpec } from '../workflows/spec.ts'
import type { Workflow } from '../workflows/workflow.ts'
import { agentOf, agentsOf, fallbacksOf, isInstalled, programFolders } from './agents/agents.ts'
import type { Listener } from './frontend.ts'

const NO_CHECKS = 'none: the result is claimed, not verified. To add some: ralph init, or --check "npm test"'

const MOST_NAMED = 3

const SRT =
  "srt: writes only in the project and the agent's own files, reaches only its model and the hosts you allow"

const DOCKER =
  'docker (experimental): a clone of the project in a virtual machine; git brings its files back, and it reaches its model and the hosts you allow'

/** What is said of the sandboxes. */
const SANDBOXES: Readonly<Record<string, string>> = { srt: SRT, docker: DOCKER }

/** What runs, on what and until when, as rows. `run`: its state, if it has begun. */
export function factRows(workflow: Workflow, spec: RunSpec, limits: Limits, run?: Folded): string[][] {
  const checks = checkNames(spec.settings)
  const { subject, estimate, doneWhen, verifiedBy = NO_CHECKS } = workflow.describe(spec, limits, run)
  return [
    // Somebody in another folder should know where this happens.
    ...(spec.project === process.cwd() ? [] : [['project', spec.project]]),
    ['agent', [agentOf(spec).name, spec.agent.model].filter(Boolean).join(' · ')],
    ...fallbackRow(spec),
    subject,
    ...(estimate === null ? [] : [['estimate', estimate]]),
    ...sandboxRow(spec),
    ['checks', checks.length > 0 ? checks.join(' · ') : verifiedBy],
    ...worktreeRow(spec),
    ...limitRows(limits, timeoutsOf(spec), run),
    ['until', doneWhen],
  ]
}

function sandboxRow({ settings }: RunSpec): string[][] {
  const said = SANDBOXES[settings.sandbox.mode]
  return said === undefined ? [] : [['sandbox', said]]
}

/** A screen is watched only where there is no stream. */
function timeoutsOf(spec: RunSpec) {
  const { iterationTimeout, inactivityTimeout, screenInactivityTimeout } = spec.settings
  const timeouts = { iterationTimeout, inactivityTimeout }
  return agentOf(spec).plain ? { ...timeouts, screenInactivityTimeout } : timeouts
}

/** How many tasks are worked on at once, and where. */
function worktreeRow({ worktrees, settings: { parallel, scm } }: RunSpec): string[][] {
  if (!worktrees) return []
  const width = parallel > 1 ? `${parallel} tasks at once, each` : 'each task'
  return [['parallel', `${width} in a worktree of its own, then merged (${scm?.merge ?? 'rebase'})`]]
}

/** The fallback agents, in their order; no row if there are none. */
function fallbackRow(spec: RunSpec): string[][] {
  const names = fallbacksOf(spec).map(({ command, model }) => [command, model].filter(Boolean).join(' · '))
  return names.length === 0 ? [] : [['fallback', names.join(', ')]]
}

/** The command line of each agent, the main one first. */
const agentCommands = (spec: RunSpec, env: NodeJS.ProcessEnv): string[][] =>
  agentsOf(spec, env.PATH ?? '').map(({ agent, ask }) =>
    redactWords(agent.command({ ...ask, prompt: '' }, { version: null, flags: null }).argv),
  )

/**
 * What people should know before the first iteration. `why`: why there is no stronger sandbox, or null.
 * `unreadable`: why git does not read the repository that is there.
 */
export function warningsOf(
  spec: RunSpec,
  env: NodeJS.ProcessEnv,
  why: string | null,
  unreadable: string | null,
): string[] {
  const { start } = spec
  const path = env.PATH ?? ''
  const names = [...new Set(agentsOf(spec, path).map(({ agent }) => agent.name))].filter(n => n !== 'demo')
  const notes = fallbacksOf(spec)
    .filter(({ command }) => !isInstalled(command, path, programFolders(spec)))
    .map(({ command }) => `fallback agent "${command}" is not on PATH; it is left out`)
  const { mode } = spec.settings.sandbox
  if (SANDBOXES[mode] !== undefined && why !== null) notes.push(`sandbox ${mode}: ${why}`)
  if (names.length > 0 && SANDBOXES[mode] === undefined)
    notes.push(
      `unprotected: ${names.join(' and ')} may read, change and run whatever you can, without asking; there is no sandbox${why === null ? '' : ` (${why}; see: ralph doctor)`}`,
    )
  if (!start) {
    const cause =
      unreadable === null
        ? 'not a git repository (git init makes one)'
        : `git cannot read this repository (${unreadable})`
    notes.push(`${cause}: ralph cannot tell what changed, undo it, or notice a loop that is stuck`)
  }
  const operation = start && unfinishedOperation(start.dirs)
  if (operation) notes.push(`${operation}, and ralph undo would not bring that back; finish or undo it first`)
  const dirty = Object.keys(start?.dirty ?? {}).filter(path => !isInRalphFolder(path))
  if (dirty.length > 0)
    notes.push(
      `${plural(dirty.length, 'uncommitted change')} in the working tree (${listPaths(dirty, MOST_NAMED)}): ${
        spec.worktrees
          ? 'the worktrees of tasks will not have them; commit what the tasks need'
          : 'ralph will not commit your changes, but the agent may'
      }`,
    )
  return notes
}

/** What would run. Making it writes no file and starts no process. */
export type DryRun = {
  /** For people. */
  rows: string[][]
  prompt: string
  /** The same facts for programs. */
  object: Record<string, unknown>
}

/** `loads`: the files of the project that agents load by themselves. */
export function dryRun(
  workflow: Workflow,
  spec: RunSpec,
  limits: Limits,
  env: NodeJS.ProcessEnv,
  loads: readonly string[] = [],
): DryRun {
  const { subject, estimate, doneWhen } = workflow.describe(spec, limits)
  const [type, name] = subject
  const commands = agentCommands(spec, env)
  const prompt = workflow.preview(spec, limits)
  return {
    rows: [
      ...factRows(workflow, spec, limits),
      ...commands.map((argv, index) => [index === 0 ? 'command' : 'fallback', argv.join(' ')]),
      ...(loads.length > 0 ? [['loads', loads.join(' · ')]] : []),
    ],
    prompt,
    object: {
      workflow: spec.workflow,
      project: spec.project,
      agent: agentOf(spec).name,
      model: spec.agent.model,
      fallbacks: fallbacksOf(spec).map(({ command, model }) => ({ agent: command, model })),
      subject: { type, name },
      ...(estimate !== null && { estimate }),
      checks: checkNames(spec.settings),
      ...(spec.worktrees && { parallel: spec.settings.parallel, worktrees: true }),
      iterations: limits.iterations,
      until: doneWhen,
      commands,
      ...(loads.length > 0 && { loads }),
      prompt,
    },
  }
}

/** `[ralph] …` lines on standard error: what is loaded, called and tested, and how long it took. */
export function verboseLines(
  workflow: Workflow,
  spec: RunSpec,
  limits: Limits,
  sources: string[],
  env: NodeJS.ProcessEnv,
  write: (line: string) => void,
): Listener {
  const say = (text: string) => write(`[ralph] ${visibleText(text)}`)
  const { settings } = spec
  const condition = workflow.describe(spec, limits).condition ?? 'no condition'
  for (const source of sources) say(`Loading settings from ${source}`)
  const hide = <T extends { flags: string[] }>(agent: T): T => ({
    ...agent,
    flags: redactWords(resolveFlags(agent.flags)),
  })
  const hidden = { agent: hide(settings.agent), fallbackAgents: settings.fallbackAgents.map(hide) }
  say(`Settings: ${JSON.stringify(redactAll({ ...settings, ...hidden }))}`)
  for (const [place, command] of agentCommands(spec, env).entries())
    say(`${place === 0 ? 'Agent command' : 'Fallback command'}: ${command.join(' ')}`)
  return { onEvent }

  function onEvent(event: RunEvent): void {
    if (event.type === 'started')
      say(`Iteration ${event.n}${limits.iterations === null ? '' : `/${limits.iterations}`} starting`)
    else if (event.type === 'prompted') say(`Prompt: ${event.text.slice(0, 200)}`)
    else if (event.type === 'ended')
      say(`Agent exited with ${event.exit.signal ?? `code ${event.exit.code}`} (${formatDuration(event.ms)})`)
    else if (event.type === 'checking') say(`Running guardrail: ${event.check}`)
    // Checks of ralph's own run no command, and have no exit.
    else if (event.type === 'checked' && event.exit)
      say(
        `Guardrail exited with ${event.exit.signal ?? `code ${event.exit.code}`} (${formatDuration(event.ms)})`,
      )
    else if (event.type === 'settled' && event.end === 'ok' && event.move !== 'fail')
      say(`Completion (${condition}): ${event.move === 'pass' ? 'matched' : 'not matched'}`)
  }
}
