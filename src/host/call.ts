import { resetIn } from '../agents/shared/reset.ts'
import type { AgentEnded, AgentEvent, Exit } from '../core/events.ts'
import { plural } from '../core/format.ts'
import type { Agent, AgentListener, Ask, Capabilities, Runner, RunningAgent, Work } from '../core/ports.ts'
import type { AgentName, RunState } from '../core/table.ts'
import { type CallFiles, callRecord } from '../store/call-record.ts'

/** The session folder, as a call uses it. */
type CallSession = CallFiles & {
  /** Makes again what an earlier agent removed of it. */
  ready(): void
  shown(path: string): string
  call(entry: Record<string, unknown>): void
}

export type CallerOptions = {
  runner: Pick<Runner, 'start'>
  session: CallSession
  agentOf(name: AgentName): {
    agent: Agent
    able: Capabilities
    env: Record<string, string>
    ask: Omit<Ask, 'prompt'>
  }
  /** What may still be spent; null where there is no limit. */
  budgetLeft(state: RunState): number | null
  now(): number
  warn(note: string): void
  /** Environment variables that ralph and the agent's hooks use. */
  marks(work: Work): Record<string, string>
  /** What to wait for before more of its output is read; null: nothing. */
  ready?(): Promise<void> | null
}

/** Calls agents. The prompt and the raw stream are kept as files; parsed events go to the listener. */
export function caller(
  options: CallerOptions,
): (work: Work, prompt: string, cwd: string, listener: AgentListener) => Promise<RunningAgent> {
  const warned = new Set<string>()
  const warnOnce = (about: string, note: string) => {
    if (!warned.has(about)) options.warn(note)
    warned.add(about)
  }
  return async (work, prompt, cwd, listener) => {
    const name = work.step.agent ?? ''
    const { agent, able, env, ask } = options.agentOf(name)
    const marks = options.marks(work)
    const command = agent.command({ ...ask, prompt, budgetUsd: options.budgetLeft(work.state), marks }, able)
    const parser = agent.parser(ask.mode)
    const began = options.now()
    const record = callRecord(options.session)
    let ended: AgentEnded | undefined
    let promptFile: string | null = null
    /** The call was given up: its output counts no longer. */
    let isOver = false

    const note = (outcome: Record<string, unknown>) =>
      options.session.call({
        at: new Date(began).toISOString(),
        step: work.step.id,
        iteration: work.step.n,
        stage: work.stage,
        agent: name,
        argv: redact(command.argv),
        prompt: promptFile && options.session.shown(promptFile),
        ms: options.now() - began,
        ...outcome,
      })
    const explain = (event: AgentEvent): AgentEvent => {
      if (event.type === 'limited' && event.resetsAt === undefined)
        return { ...event, resetsAt: resetIn(event.note, options.now()) }
      if (event.type === 'ended') ended = event
      return event
    }
    /** An agent that gave no reason may have printed one to standard error. */
    const explainEnd = (event: AgentEvent): AgentEvent => {
      const tail = record.complaint()
      return event.type !== 'ended' || event.ok || tail === ''
        ? explain(event)
        : explain({ ...event, error: [event.error, tail].filter(Boolean).join(': ') })
    }
    options.session.ready()
    const starting = options.runner.start(
      {
        argv: command.argv,
        cwd,
        env: { ...env, ...command.env, ...marks },
        stdin: command.stdin,
      },
      work.step.id,
      {
        bytes: chunk => {
          record.output(chunk)
          listener.activity()
        },
        line: line => {
          if (isOver) return
          for (const event of parser.line(line)) listener.event(explain(event))
        },
        error: chunk => {
          record.error(chunk)
          listener.activity()
        },
        ready: options.ready,
      },
    )
    const live = await starting.catch(error => {
      promptFile = record.open(work.step, prompt)
      record.close()
      note({ error: (error as Error).message })
      throw error
    })
    try {
      // While the agent starts: making files takes longer than all else that ralph does between two agents.
      promptFile = record.open(work.step, prompt)
    } catch (error) {
      // If its work cannot be kept, the agent must not go on.
      isOver = true
      await live.stop()
      throw error
    }
    return {
      live,
      end(exit: Exit) {
        const events = parser.end(exit, record.complaint()).map(explainEnd)
        record.close()
        if (ended?.denials) warnOnce(`refusals ${name}`, refusalNote(agent, ended.denials))
        if (ended?.ok && ended.costUsd === undefined && options.budgetLeft(work.state) !== null)
          warnOnce(
            `cost ${name}`,
            `${agent.name} does not report its cost, so the dollar budget cannot be enforced`,
          )
        note({ exit: exit.signal ?? exit.code, usage: ended?.usage, costUsd: ended?.costUsd })
        return events
      },
    }
  }
}

/** Warned once: nobody is there to answer an agent that asks for permission. */
function refusalNote(agent: Agent, denials: number): string {
  const what = `${agent.name} was refused ${plural(denials, 'tool call')} because permission was missing, and nobody can grant it`
  return agent.bypass
    ? `${what}; ${agent.bypass} in place of other permission flags (agent.flags) fixes it`
    : what
}

/** Arguments without what follows a secret-looking option. */
export function redact(argv: string[]): string[] {
  const secret = /(key|token|secret|password)/i
  return argv.map((word, i) => {
    if (/^--?[\w-]+=/.test(word) && secret.test(word.split('=', 1)[0]!)) return `${word.split('=', 1)[0]}=…`
    const before = argv[i - 1] ?? ''
    return before.startsWith('-') && !before.includes('=') && secret.test(before) ? '…' : word
  })
}
