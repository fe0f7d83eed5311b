import { ownNames } from '../agents/own-names.ts'
import { learnCapabilities } from '../agents/probe/capabilities.ts'
import type { Agent, Ask, Capabilities, Runner } from '../core/ports.ts'
import type { AgentName, RunState } from '../core/table.ts'
import { findProgram } from '../runners/find-program.ts'
import { filterEnvironment } from '../settings/environment.ts'
import type { RunSpec } from '../workflows/spec.ts'
import { crewOf, type Member } from './agents.ts'

/** All that calling one agent takes, but for the prompt. */
export type CrewCall = {
  agent: Agent
  able: Capabilities
  env: Record<string, string>
  ask: Omit<Ask, 'prompt'>
}

export type Crew = {
  /** In order of preference. */
  names: readonly AgentName[]
  called(name: AgentName): CrewCall
  /** The first that is not limited; the first of all if every one is. */
  free(until: RunState['until'], now: number): AgentName
}

/** The agents of a run, ready to be called. What one can do is asked when it is first needed, not before. */
export function composeCrew(c: {
  spec: RunSpec
  runner: Pick<Runner, 'start'>
  env: NodeJS.ProcessEnv
  cacheDir: string
}): Crew {
  const { settings, project } = c.spec
  const path = c.env.PATH ?? ''
  const members = new Map(crewOf(c.spec, path).map(member => [member.name, member]))
  const names = [...members.keys()]
  const ready = new Map<AgentName, () => CrewCall>()

  function prepare({ agent, program, ask }: Member): () => CrewCall {
    const { env } = filterEnvironment(c.env, {
      own: ownNames(agent.name, c.env),
      pass: settings.env.pass,
      drop: settings.env.drop,
    })
    const able = learnCapabilities({
      runner: c.runner,
      agent,
      program: program === null ? null : findProgram(program, path),
      cacheDir: c.cacheDir,
      cwd: project,
      env,
    })
    return () => ({ agent, env, ask, able: able() })
  }
  function called(name: AgentName): CrewCall {
    let call = ready.get(name)
    if (!call) {
      call = prepare(members.get(name)!)
      ready.set(name, call)
    }
    return call()
  }
  // The main one's answer may be there by the time the first iteration begins.
  called(names[0]!)
  return {
    names,
    called,
    free: (until, now) => names.find(name => (until[name] ?? 0) <= now) ?? names[0]!,
  }
}
