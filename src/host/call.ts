import { resetIn } from '../agents/shared/reset.ts'
import type { AgentEnded, AgentEvent, Exit } from '../core/events.ts'
import { plural } from '../core/format.ts'
import type { Agent, AgentListener, Ask, Capabilities, Runner, RunningAgent, Work } from '../core/ports.ts'
import type { AgentName, RunState } from '../core/table.ts'
import { callRecord, type Desk as Files } from '../store/call-record.ts'

/** Where the files of a call go, and who keeps a list of calls. */
type Desk = Files & {
  /** Whatever an earlier agent took away of it is there again. */
  ready(): void
  shown(path: string): string
  call(entry: Record<string, unknown>): void
}

export type Caller = {
  runner: Pick<Runner, 'start'>
  desk: Desk
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
  /** What the agent's hooks go by. */
  marks(work: Work): Record<string, string>
  /** What to wait for before more of its output is read; null: nothing. */
  ready?(): Promise<void> | null
}

/** Calls agents: the prompt and the raw stream are kept as files, the parsed events go to whoever listens. */
export function caller(
  c: Caller,
): (work: Work, prompt: string, cwd: string, listener: AgentListener) => Promise<RunningAgent> {
  const told = new Set<string>()
  const warnOnce = (about: string, note: string) => {
    if (!told.has(about)) c.warn(note)
    told.add(about)
  }
  return async (work, prompt, cwd, listener) => {
    const name = work.step.agent ?? ''
    const { agent, able, env, ask } = c.agentOf(name)
    const marks = c.marks(work)
    const command = agent.command({ ...ask, prompt, budgetUsd: c.budgetLeft(work.state), marks }, able)
    const parser = agent.parser(ask.mode)
    const began = c.now()
    const record = callRecord(c.desk)
    let ended: AgentEnded | undefined
    let promptFile: string | null = null
    /** Nobody listens any more. */
    let isOver = false

    const note = (outcome: Record<string, unknown>) =>
      c.desk.call({
        at: new Date(began).toISOString(),
        step: work.step.id,
        iteration: work.step.n,
        stage: work.stage,
        agent: name,
        argv: redact(command.argv),
        prompt: promptFile && c.desk.shown(promptFile),
        ms: c.now() - began,
        ...outcome,
      })
    const explain = (event: AgentEvent): AgentEvent => {
      if (event.type === 'limited' && event.resetsAt === undefined)
        return { ...event, resetsAt: resetIn(event.note, c.now()) }
      if (event.type === 'ended') ended = event
      return event
    }
    /** An agent that ended without a word of its own may have complained on standard error. */
    const explainEnd = (event: AgentEvent): AgentEvent => {
      const tail = record.complaint()
      return event.type !== 'ended' || event.ok || tail === ''
        ? explain(event)
        : explain({ ...event, error: [event.error, tail].filter(Boolean).join(': ') })
    }
    c.desk.ready()
    const starting = c.runner.start(
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
        ready: c.ready,
      },
    )
    const live = await starting.catch(error => {
      promptFile = record.open(work.step, prompt)
      record.close()
      note({ error: (error as Error).message })
      throw error
    })
    try {
      // While the agent starts, for making files takes longer than all else that ralph does between two agents.
      promptFile = record.open(work.step, prompt)
    } catch (error) {
      // An agent whose work cannot be kept is not let work.
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
        if (ended?.ok && ended.costUsd === undefined && c.budgetLeft(work.state) !== null)
          warnOnce(
            `cost ${name}`,
            `${agent.name} does not tell what it costs, so the budget in dollars cannot hold it`,
          )
        note({ exit: exit.signal ?? exit.code, usage: ended?.usage, costUsd: ended?.costUsd })
        return events
      },
    }
  }
}

/** Said once, after the first iteration it happens in: nobody is there to answer an agent that asks. */
function refusalNote(agent: Agent, denials: number): string {
  const what = `${agent.name} was refused ${plural(denials, 'tool call')} for want of permission, and nobody is there to give it`
  return agent.bypass
    ? `${what}; ${agent.bypass} in place of other permission flags (agent.flags) mends it`
    : what
}

/** Arguments as they may be kept: what follows a secret-looking option is not. */
export function redact(argv: string[]): string[] {
  const secret = /(key|token|secret|password)/i
  return argv.map((word, i) => {
    if (/^--?[\w-]+=/.test(word) && secret.test(word.split('=', 1)[0]!)) return `${word.split('=', 1)[0]}=…`
    const before = argv[i - 1] ?? ''
    return before.startsWith('-') && !before.includes('=') && secret.test(before) ? '…' : word
  })
}
