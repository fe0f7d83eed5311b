import { activityReader } from '../../agents/claude/activity.ts'
import { resetIn } from '../../agents/shared/reset.ts'
import { refusedFlag } from '../../agents/shared/trouble.ts'
import type { AgentEnded, AgentEvent, Exit, Usage } from '../../core/events.ts'
import { plural } from '../../core/format.ts'
import type { Agent, AgentListener, Ask, Capabilities, Runner, RunningAgent } from '../../core/ports.ts'
import { redactWords } from '../../core/secrets/redact.ts'
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
  /** What to wait for before more of its output is read; null: nothing. */
  backPressure?(): Promise<void> | null
}

/** One call of an agent: the work of a step, or a question during it. */
export type AgentCall = {
  agent: AgentName
  id: StepId
  prompt: string
  cwd: string
  /** Absent: as the run's settings say. */
  mode?: Ask['mode']
  withoutTools?: string
  /** It only answers, by this schema where its CLI takes one. */
  isolated?: { schema: NonNullable<Ask['schema']>; model: string | null }
  /** What may still be spent; null where there is no limit. */
  budgetUsd: number | null
  /** Environment variables that ralph and the agent's hooks use. */
  marks: Record<string, string>
  /** In whose role a question is asked; absent for the work of the step. Its files are named by it. */
  role?: string
  /** More for the list of calls. */
  about: Record<string, unknown>
}

export type CallAgent = (call: AgentCall, listener: AgentListener) => Promise<RunningAgent>

/**
 * The one way to call an agent. The prompt and the raw stream are kept as files; parsed events go to the listener.
 */
export function agentCaller(options: CallerOptions): CallAgent {
  const warned = new Set<string>()
  const warnOnce = (about: string, note: string) => {
    if (!warned.has(about)) options.warn(note)
    warned.add(about)
  }
  const withoutSecrets = lastWords()
  return async (call, listener) => {
    const { agent: name, id, prompt, budgetUsd, marks } = call
    const { agent, able, env, ask, estimate } = options.callable(name)
    const mode = call.mode ?? ask.mode
    const command = agent.command(
      {
        ...ask,
        mode,
        prompt,
        budgetUsd,
        marks,
        withoutTools: call.withoutTools,
        ...(call.isolated && { isolated: true, ...call.isolated }),
      },
      able,
    )
    const argv = argvIn(call.cwd, command.argv, options.programFolders)
    const parser = agent.parser(mode)
    const began = options.now()
    const beganUp = performance.now()
    const record = callRecord(options.session, call.role)
    let ended: AgentEnded | undefined
    let promptFile: string | null = null
    /** The call was given up: its output counts no longer. */
    let isOver = false
    let hasSpoken = false
    let model: string | undefined

    const note = (outcome: Record<string, unknown>) =>
      options.session.logCall({
        at: new Date(began).toISOString(),
        step: id,
        iteration: options.session.numberOf(id),
        ...call.about,
        agent: name,
        argv: withoutSecrets(argv),
        prompt: promptFile && options.session.shown(promptFile),
        ms: Math.round(performance.now() - beganUp),
        ...outcome,
      })
    // A question has an answer, which nothing else may be mixed into.
    const isPlain = agent.plain && call.role === undefined
    const explain = (event: AgentEvent): AgentEvent => {
      if (event.type === 'limited' && event.resetsAt === undefined)
        return { ...event, resetsAt: resetIn(event.note, options.now()) }
      if (event.type === 'started') model = event.model
      if (event.type === 'ended') {
        ended = withCost(event, usage => estimate(model, usage))
        return ended
      }
      return event
    }
    /** An agent that gave no reason may have printed one to standard error. */
    const explainEnd = (event: AgentEvent): AgentEvent => {
      const tail = record.complaint()
      return event.type !== 'ended' || event.ok || tail === ''
        ? explain(event)
        : explain({ ...event, error: [event.error, tail].filter(Boolean).join(': ') })
    }
    const readHooks = activityReader()
    const hear = (line: string) => {
      if (isOver) return
      listener.activity('hooks')
      for (const event of readHooks(line)) listener.event(event)
    }
    options.session.ensureFolder()
    const isHidden = call.role === undefined && !hasStream(agent, mode)
    const activity = isHidden ? openActivityFile(options.session, id, hear) : null
    const starting = options.runner.start(
      {
        argv,
        cwd: call.cwd,
        env: { ...env, ...command.env, ...marks, ...(activity && { RALPH_ACTIVITY: activity.path }) },
        stdin: command.stdin,
        ...(call.isolated && { files: { [call.isolated.schema.path]: call.isolated.schema.text } }),
        ...(isPlain && { plain: true }),
      },
      id,
      {
        bytes: record.output,
        line: (line, _cut, echo) => {
          if (isOver) return
          hasSpoken = true
          if (echo) listener.event({ type: 'text', text: line, echo })
          else for (const event of parser.line(line)) listener.event(explain(event))
        },
        error: record.error,
        activity: listener.activity,
        backPressure: options.backPressure,
      },
    )
    const live = await starting.catch(error => {
      activity?.close()
      promptFile = record.open(id, prompt)
      record.close()
      note({ error: (error as Error).message })
      throw error
    })
    try {
      // While the agent starts: making files takes longer than all else that ralph does between two agents.
      promptFile = record.open(id, prompt)
    } catch (error) {
      // If its work cannot be kept, the agent must not go on.
      isOver = true
      activity?.close()
      await live.stop()
      throw error
    }
    return {
      live,
      lastWritten() {
        activity?.read()
        return agent.lastWritten?.(call.cwd, env, began) ?? null
      },
      end(exit: Exit) {
        activity?.close()
        const ending = parser.end(exit, record.complaint()).map(explainEnd)
        // It refused its own arguments before it did anything, and will do so every time.
        const refused = hasSpoken || ended?.ok ? null : refusedFlag(record.errors())
        const events: AgentEvent[] = refused ? [{ type: 'unusable', note: refused }, ...ending] : ending
        record.close()
        if (ended?.denials) warnOnce(`refusals ${name}`, refusalNote(agent, ended.denials))
        // A question in text mode never tells its cost.
        if (ended?.ok && ended.costUsd === undefined && budgetUsd !== null && call.mode === undefined)
          warnOnce(
            `cost ${name}`,
            `${agent.name} does not report its cost, so the dollar budget cannot be enforced`,
          )
        note({
          exit: exit.signal ?? exit.code,
          usage: ended?.usage,
          costUsd: ended?.costUsd,
          estimated: ended?.estimated,
        })
        return events
      },
    }
  }
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
