import type { Agent, Ask, Capabilities, Runner } from '../core/ports.ts'
import type { StepId } from '../core/table.ts'
import { redact } from './call.ts'

const TIMEOUT_MS = 300_000

export type AskAgentOptions = {
  runner: Pick<Runner, 'start'>
  agent: Agent
  able: Capabilities
  ask: Omit<Ask, 'prompt' | 'mode'>
  cwd: string
  env: Record<string, string>
  /** Ends the agent now. */
  hard: AbortSignal
  /** Adds an entry to the list of calls. */
  call(entry: Record<string, unknown>): void
  now(): number
}

/** Asks an agent one question outside the loop, in text mode. The answer is empty if the agent fails or is ended. */
export async function askAgent(options: AskAgentOptions, prompt: string, id: StepId): Promise<string> {
  const { runner, agent, able, ask, cwd, env, hard } = options
  const command = agent.command({ ...ask, prompt, mode: 'text' }, able)
  const parser = agent.parser('text')
  const began = options.now()
  let answer = ''
  const hear = (events: ReturnType<typeof parser.line>) => {
    for (const event of events) if (event.type === 'ended' && event.ok) answer = event.text
  }
  const sink = { bytes: () => {}, error: () => {}, line: (line: string) => hear(parser.line(line)) }
  const live = await runner
    .start({ argv: command.argv, cwd, env: { ...env, ...command.env }, stdin: command.stdin }, id, sink)
    .catch(() => null)
  if (!live) return ''
  const stop = () => void live.stop()
  const timer = setTimeout(stop, TIMEOUT_MS)
  hard.addEventListener('abort', stop)
  try {
    const exit = await live.exit
    hear(parser.end(exit))
    options.call({
      at: new Date(began).toISOString(),
      step: id,
      agent: agent.name,
      argv: redact(command.argv),
      asked: prompt,
      ms: options.now() - began,
      exit: exit.signal ?? exit.code,
    })
    return answer
  } finally {
    clearTimeout(timer)
    hard.removeEventListener('abort', stop)
  }
}
