import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { known } from '../../../src/agents/index.ts'
import { describeEnvironment } from '../../../src/cli/commands/doctor/environment.ts'
import { TYPICAL } from '../../support/typical-variables.ts'

const PAGE = join(import.meta.dirname, '..', '..', '..', 'docs', 'environment.md')
const RULES = { pass: ['PASSED_TOKEN'], drop: ['DROPPED'] }
const TIERS = ['none', 'srt', 'docker'] as const
type Tier = (typeof TIERS)[number]
const AGENTS = [...known.keys()]

/** What becomes of a variable: it is passed on, another value takes its place, or it is left out. */
function fate(variable: string, agent: string, who: 'agent' | 'check', tier: Tier): string {
  const receiver = { of: who, agent: who === 'agent' ? agent : null, tier }
  const { gets, replaced } = describeEnvironment(receiver, [agent], TYPICAL, RULES)
  return gets.includes(variable) ? 'yes' : replaced?.includes(variable) ? 'replaced' : '–'
}

/** The same for the agents of all runs: `claude, opencode: replaced` if it is not the same for each. */
function cell(variable: string, who: 'agent' | 'check', tier: Tier): string {
  const fates = AGENTS.map(agent => [agent, fate(variable, agent, who, tier)] as const)
  const kinds = [...new Set(fates.map(([, what]) => what))]
  if (kinds.length === 1) return kinds[0]!
  return kinds
    .filter(kind => kind !== '–')
    .map(kind => `${fates.flatMap(([agent, what]) => (what === kind ? agent : [])).join(', ')}: ${kind}`)
    .join('; ')
}

it('the page says of 40 typical variables whom they reach', () => {
  expect(Object.keys(TYPICAL)).toHaveLength(40)
  const rows = Object.keys(TYPICAL).map(name => {
    const cells = (who: 'agent' | 'check') => TIERS.map(tier => cell(name, who, tier))
    return [`\`${name}\``, ...cells('agent'), ...cells('check')]
  })
  const table = rows.map(row => `| ${row.join(' | ')} |`)
  const page = readFileSync(PAGE, 'utf8').split('\n')
  expect(page.filter(line => line.startsWith('| `'))).toEqual(table)
})
