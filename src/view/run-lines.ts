import type { Finding, RunEvent } from '../core/events.ts'
import { plural, spellDuration, spellUsd } from '../core/spell.ts'
import { agentLines, type Bounds } from './agent-lines.ts'
import { plainLine } from './plain.ts'
import type { Style } from './style.ts'

/** What the console shows beyond the events themselves. */
export type Shown = {
  style: Style
  bounds: Bounds
  streamAgent: boolean
  limit: number | null
  clock: (at: number) => string
}

/** Turns a run's events into lines for people: a pure fold, so a live run and a finished one look the same. */
export function runLines({ style, bounds, streamAgent, limit, clock }: Shown): (event: RunEvent) => string[] {
  const { colors, marks } = style
  let agent = agentLines(style, bounds)
  let iterations = 0
  let usd = 0
  let paid = false
  let began = 0
  let looking = false

  return event => {
    switch (event.type) {
      case 'began':
      case 'resumed':
        began = event.at
        return []
      case 'baseline':
        return event.findings.some(f => f.verdict !== 'pass')
          ? [colors.dim('  red before the run; green is needed all the same')]
          : []
      case 'started': {
        agent = agentLines(style, bounds)
        iterations = event.n
        return ['', colors.bold(`iteration ${event.n}${limit === null ? '' : ` of ${limit}`}`)]
      }
      case 'agent': {
        const lines = agent(event.event, event.at)
        return streamAgent || event.event.type === 'ended' || event.event.type === 'limited'
          ? lines.map(l => `  ${l}`)
          : []
      }
      case 'ended':
        if (event.result.costUsd !== undefined) {
          usd += event.result.costUsd
          paid = true
        }
        if (event.how === 'inactive') return [colors.yellow(`  ${marks.warn} silent for too long, ended`)]
        return event.how === 'timeout' ? [colors.yellow(`  ${marks.warn} out of time, ended`)] : []
      case 'checking': {
        const first = event.id === null && !looking
        looking = event.id === null
        const line = colors.dim(`  … ${plainLine(event.check)}`)
        return first ? ['', colors.bold('before the first iteration'), line] : [line]
      }
      case 'checked': {
        const { finding } = event
        const time = colors.dim(spellDuration(event.ms))
        if (finding.verdict === 'pass') return [`  ${colors.green('✓')} ${plainLine(finding.check)} ${time}`]
        const action = finding.action && event.id !== null ? ` → ${finding.action}` : ''
        const head = `  ${colors.red('✗')} ${plainLine(finding.check)} ${reasonOf(finding)} ${time}${action}`
        return finding.log ? [head, colors.dim(`    ${finding.log}`)] : [head]
      }
      case 'settled': {
        if (event.end === 'ok') return []
        return [colors.yellow(`  ${marks.warn} ${event.end}: ${plainLine(event.note)}`)]
      }
      case 'committed':
        return [
          colors.dim(`  committed ${event.to.slice(0, 10)}${event.by === 'agent' ? ' (by the agent)' : ''}`),
        ]
      case 'waiting':
        return [colors.yellow(`  waiting until ${clock(event.until)} (${plainLine(event.why)})`)]
      case 'finished': {
        const facts = [
          plural(iterations, 'iteration'),
          paid && spellUsd(usd),
          spellDuration(event.at - began),
        ]
        const tail = colors.dim(facts.filter(Boolean).join(' · '))
        if (event.result === 'complete') {
          const words =
            event.proof === 'verified'
              ? colors.green(`${marks.ok} done, verified`)
              : colors.yellow(`${marks.ok} done as claimed: nothing verified it`)
          return ['', `${words}  ${tail}`]
        }
        return ['', `${colors.red(`${marks.error} ${event.result}: ${plainLine(event.why)}`)}  ${tail}`]
      }
      case 'stopped':
        return ['', colors.yellow(`${marks.warn} stopped: ${plainLine(event.why)}`)]
      case 'warned':
      case 'prompted':
      case 'committing':
      case 'spawned':
      case 'applied':
      case 'edited':
        return []
      case 'told':
        return [colors.dim(`  told: ${plainLine(event.text)}`)]
      case 'control':
        return event.hold === 'pause' ? [colors.yellow('  paused; goes on with: ralph resume')] : []
      default:
        return event satisfies never
    }
  }
}

/** Why a check is red, without repeating its name. */
const reasonOf = (finding: Finding) =>
  plainLine(finding.note.split('\n', 1)[0]!.replace(`Guardrail "${finding.check}" `, '').replace(/\.$/, ''))
