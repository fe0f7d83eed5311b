import { describe, expect, it } from 'vitest'
import { agentsByRole } from '../../src/host/agents/agents.ts'
import { resolveSettings } from '../../src/settings/schema.ts'
import type { BaseSpec } from '../../src/workflows/spec.ts'

/** `true` and `sh` are installed everywhere; they stand for agents. */
const specOf = (settings: object, agent: Partial<BaseSpec['agent']> = {}): BaseSpec => ({
  project: '/p',
  settings: resolveSettings(settings),
  agent: { argv: ['claude'], explicit: false, model: 'opus', ...agent },
  once: false,
  start: null,
})
const namesFor = (spec: BaseSpec, role?: string) =>
  agentsByRole(
    spec,
    process.env.PATH!,
  )(role).map(({ name, ask }) => [name, ask.model, ...ask.flags].join(' '))

describe('the agents of a role', () => {
  it('are the one that the settings give it, then the fallbacks', () => {
    const spec = specOf({
      agents: { reviewer: { command: 'codex', flags: ['--fast'] }, tester: { model: 'haiku' } },
      fallbackAgents: ['sh'],
    })
    expect(namesFor(spec, 'reviewer')).toEqual(['codex opus --fast', 'sh '])
    expect(namesFor(spec, 'tester')).toEqual(['claude:haiku haiku', 'sh '])
    for (const role of ['coder', 'a role that nobody knows', undefined])
      expect(namesFor(spec, role)).toEqual(['claude opus', 'sh '])
  })

  it('share one that they have in common, so that its limit holds in all of them', () => {
    const spec = specOf({
      agents: { reviewer: { command: 'sh', model: null }, qa: { command: 'sh', model: null } },
      fallbackAgents: ['sh', 'true'],
    })
    const agents = agentsByRole(spec, process.env.PATH!)
    expect(namesFor(spec, 'reviewer')).toEqual(['sh ', 'true '])
    expect(agents('reviewer')[0]).toBe(agents('qa')[0])
    expect(agents('reviewer')[0]).toBe(agents()[1])
  })

  it('are told apart by name where only their flags differ', () => {
    const spec = specOf({ agents: { qa: { flags: ['-v'] }, coder: { flags: ['-x'] } } })
    const agents = agentsByRole(spec, process.env.PATH!)
    expect(new Set([undefined, 'qa', 'coder'].map(role => agents(role)[0]!.name)).size).toBe(3)
  })

  it('leave a command that is run word for word to the roles that have none of their own', () => {
    const spec = specOf(
      { agents: { qa: { command: 'true', model: null } } },
      { argv: ['sh', '-c', 'x'], explicit: true },
    )
    expect(agentsByRole(spec, process.env.PATH!)('coder')[0]!.program).toBeNull()
    expect(agentsByRole(spec, process.env.PATH!)('qa')[0]!.program).toBe('true')
  })
})
