import { activityReader } from '../../agents/claude/activity.ts'
import { resetIn } from '../../agents/shared/reset.ts'
import { refusedFlag } from '../../agents/shared/trouble.ts'
import type { AgentEnded, AgentEvent, Exit, Usage } from '../../core/events.ts'
import { plural } from '../../core/format.ts'
import type {
  Agent,
  AgentListener,
  Ask,
  Capabilities,
  Live,
  Parser,
  Runner,
  RunningAgent,
} from '../../core/ports.ts'
import { redactWords } from '../../core/secrets.ts'
import type { AgentName, StepId } from '../../core/table.ts'
import { openActivityFile } from '../../store/activity-file.ts'
import { type CallFiles, callRecord } from '../../store/step-files.ts'
import { argvIn, hasStream } from './agents.ts'

/** The session folder, as a call uses it. */
type CallSession = CallFiles & {
  /** Makes again what an earlier agent removed of it. */
  ensureFolder(): void
  shown(path: string): string
  logCall(entry: Record<string, unknown>): void
  numberOf(id: StepId): number
}

export type CallerOptions = {
  runner: Pick<Runner, 'start'>
  session: CallSession
  callable(name: AgentName): {
    agent: Agent
    able: Capabilities
    env: Record<string, string>
    ask: Omit<Ask, 'prompt'>
    estimate(told: string | undefined, usage: Usage): number | null
  }
  /** Where a relative path to an agent begins, if it leads to nothing in the folder of the call. */
  programFolders: readonly string[]
  now(): number
  warn(note: string): void
  /** What to wait for before more of its output is read. Null for nothing. */
  backPressure?(): Promise<void> | null
}

/** One call of an agent: the work of a step, or a question during it. */
export type AgentCall = {
  agent: AgentName
  id: StepId
  prompt: string
  cwd: string
  /** If it is not that of the run's settings. */
  mode?: Ask['mode']
  withoutTools?: string
  /** It only answers, by this schema where its CLI takes one. */
  isolated?: { schema: NonNullable<Ask['schema']>; model: string | null }
  /** What may still be spent. Null where there is no limit. */
  budgetUsd: number | null
  /** Environment variables that ralph and the agent's hooks use. */
  marks: Record<string, string>
  /** In whose role a question is asked. Absent for the work of the step. Its files are named by it. */
  role?: string
  /** More for the list of calls. */
  about: Record<string, unknown>
}

export type CallAgent = (call: AgentCall, listener: AgentListener) => Promise<RunningAgent>

/**
 * The one way to call an agent. The prompt and the raw stream are kept as files; parsed events go to the listener.
 */
export function agentCaller(options: CallerOptions): CallAgent {
  const caller: Caller = { options, warned: new Set(), withoutSecrets: lastWords() }
  return (call, listener) => startCall(caller, call, listener)
}

/** What the calls of a run share. */
type Caller = {
  options: CallerOptions
  /** What was warned of. */
  warned: Set<string>
  withoutSecrets(argv: readonly string[]): string[]
}

/** A call under way: how it was made, and what is known of it so far. */
type OpenCall = Caller & {
  call: AgentCall
  callable: ReturnType<CallerOptions['callable']>
  mode: Ask['mode']
  command: ReturnType<Agent['command']>
  argv: string[]
  parser: Parser
  record: ReturnType<typeof callRecord>
  listener: AgentListener
  began: { at: number; up: number }
  /** What the hooks of an agent without a stream write. */
  activity: ReturnType<typeof openActivityFile> | null
  promptFile: string | null
  ended: AgentEnded | null
  /** Its model, as its stream names it. */
  model: string | undefined
  hasSpoken: boolean
  /** The call was given up: its output counts no longer. */
  isOver: boolean
}

async function startCall(caller: Caller, call: AgentCall, listener: AgentListener): Promise<RunningAgent> {
  const open = prepareCall(caller, call, listener)
  const { session } = caller.options
  const { agent, env } = open.callable
  const { record } = open
  session.ensureFolder()
  if (call.role === undefined && !hasStream(agent, open.mode))
    open.activity = openActivityFile(session, call.id, hookReader(open))
  const live = await startProcess(open).catch(error => {
    open.activity?.close()
    open.promptFile = record.open(call.id, call.prompt)
    record.close()
    logCall(open, { error: (error as Error).message })
    throw error
  })
  try {
    // While the agent starts: making files takes longer than all else that ralph does between two agents.
    open.promptFile = record.open(call.id, call.prompt)
  } catch (error) {
    // If its work cannot be kept, the agent must not go on.
    open.isOver = true
    open.activity?.close()
    await live.stop()
    throw error
  }
  return {
    live,
    lastWritten() {
      open.activity?.read()
      return agent.lastWritten?.(call.cwd, env, open.began.at) ?? null
    },
    end: exit => endCall(open, exit),
  }
}

function prepareCall(caller: Caller, call: AgentCall, listener: AgentListener): OpenCall {
  const { options } = caller
  const { prompt, budgetUsd, marks, withoutTools, isolated } = call
  const callable = options.callable(call.agent)
  const { agent, able, ask } = callable
  const mode = call.mode ?? ask.mode
  const command = agent.command(
    {
      ...ask,
      ...{ mode, prompt, budgetUsd, marks, withoutTools },
      ...(isolated && { isolated: true, ...isolated }),
    },
    able,
  )
  return {
    ...caller,
    ...{ call, callable, mode, command, listener },
    argv: argvIn(call.cwd, command.argv, options.programFolders),
    parser: agent.parser(mode),
    record: callRecord(options.session, call.role),
    began: { at: options.now(), up: performance.now() },
    activity: null,
    promptFile: null,
    ended: null,
    model: undefined,
    hasSpoken: false,
    isOver: false,
  }
}

function startProcess(open: OpenCall): Promise<Live> {
  const { options, call, callable, command, argv, parser, record, listener, activity } = open
  // A question has an answer, which nothing else may be mixed into.
  const isPlain = callable.agent.plain && call.role === undefined
  const { marks, isolated } = call
  return options.runner.start(
    {
      argv,
      cwd: call.cwd,
      env: { ...callable.env, ...command.env, ...marks, ...(activity && { RALPH_ACTIVITY: activity.path }) },
      stdin: command.stdin,
      ...(isolated && { files: { [isolated.schema.path]: isolated.schema.text } }),
      ...(isPlain && { plain: true }),
    },
    call.id,
    {
      bytes: record.output,
      line: (line, _cut, echo) => {
        if (open.isOver) return
        open.hasSpoken = true
        if (echo) listener.event({ type: 'text', text: line, echo })
        else for (const event of parser.line(line)) listener.event(explain(open, event))
      },
      error: record.error,
      activity: listener.activity,
      backPressure: options.backPressure,
    },
  )
}

function hookReader(open: OpenCall): (line: string) => void {
  const read = activityReader()
  return line => {
    if (open.isOver) return
    open.listener.activity('hooks')
    for (const event of read(line)) open.listener.event(event)
  }
}

/** Adds to an event what only the host knows, and remembers what the end of the call needs. */
function explain(open: OpenCall, event: AgentEvent): AgentEvent {
  if (event.type === 'limited' && event.resetsAt === undefined)
    return { ...event, resetsAt: resetIn(event.note, open.options.now()) }
  if (event.type === 'started') open.model = event.model
  if (event.type !== 'ended') return event
  open.ended = withCost(event, usage => open.callable.estimate(open.model, usage))
  return open.ended
}

/** An agent that gave no reason may have printed one to standard error. */
function explainEnd(open: OpenCall, event: AgentEvent): AgentEvent {
  const tail = open.record.complaint()
  return event.type !== 'ended' || event.ok || tail === ''
    ? explain(open, event)
    : explain(open, { ...event, error: [event.error, tail].filter(Boolean).join(': ') })
}

function endCall(open: OpenCall, exit: Exit): AgentEvent[] {
  const { call, callable, parser, record } = open
  open.activity?.close()
  const ending = parser.end(exit, record.complaint()).map(event => explainEnd(open, event))
  const { ended } = open
  // It refused its own arguments before it did anything, and will do so every time.
  const refused = open.hasSpoken || ended?.ok ? null : refusedFlag(record.errors())
  record.close()
  if (ended?.denials) warnOnce(open, `refusals ${call.agent}`, refusalNote(callable.agent, ended.denials))
  // A question in text mode never tells its cost.
  if (ended?.ok && ended.costUsd === undefined && call.budgetUsd !== null && call.mode === undefined) {
    const note = `${callable.agent.name} does not report its cost, so the dollar budget cannot be enforced`
    warnOnce(open, `cost ${call.agent}`, note)
  }
  logCall(open, {
    exit: exit.signal ?? exit.code,
    usage: ended?.usage,
    costUsd: ended?.costUsd,
    estimated: ended?.estimated,
  })
  return refused ? [{ type: 'unusable', note: refused }, ...ending] : ending
}

function warnOnce({ warned, options }: Caller, about: string, note: string): void {
  if (!warned.has(about)) options.warn(note)
  warned.add(about)
}

/** Adds a call to the session's list of calls. */
function logCall({ options, call, argv, began, ...open }: OpenCall, outcome: Record<string, unknown>): void {
  const { session } = options
  session.logCall({
    at: new Date(began.at).toISOString(),
    step: call.id,
    iteration: session.numberOf(call.id),
    ...call.about,
    agent: call.agent,
    argv: open.withoutSecrets(argv),
    prompt: open.promptFile && session.shown(open.promptFile),
    ms: Math.round(performance.now() - began.up),
    ...outcome,
  })
}

/** The words of a command without secrets. Most calls have the words of the call before, so those are remembered. */
function lastWords(): (argv: readonly string[]) => string[] {
  let last: { argv: readonly string[]; shown: string[] } = { argv: [], shown: [] }
  return argv => {
    const isSame = argv.length === last.argv.length && argv.every((word, index) => word === last.argv[index])
    if (!isSame) last = { argv, shown: redactWords(argv) }
    return last.shown
  }
}

/** Many CLIs report tokens only. */
function withCost(ended: AgentEnded, estimate: (usage: Usage) => number | null): AgentEnded {
  const costUsd = ended.costUsd === undefined && ended.usage ? estimate(ended.usage) : null
  return costUsd === null ? ended : { ...ended, costUsd, estimated: true }
}

/** Warned once: nobody is there to answer an agent that asks for permission. */
function refusalNote(agent: Agent, denials: number): string {
  const what = `${agent.name} was refused ${plural(denials, 'tool call')} because permission was missing, and nobody can grant it`
  return agent.bypass
    ? `${what}; ${agent.bypass} in place of other permission flags (agent.flags) fixes it`
    : what
}
