import { describe, expect, it } from 'vitest'
import { type DoctorRow, row } from '../../../src/cli/commands/doctor/finding.ts'
import { showDiagnosis } from '../../../src/cli/commands/doctor/show.ts'
import { visible } from '../../../src/core/visible.ts'
import { styleOf } from '../../../src/view/style.ts'

const PLAIN = styleOf({ color: false, emoji: true })

const shown = (...rows: DoctorRow[]) => ({ groups: [{ title: 'tools', rows }], obstacles: [] as string[] })
const names = (of: string, gets: string[], leftOut: string[]) => ({ of, gets, leftOut })

describe('what doctor found', () => {
  it('ends with all that is in the way, or that nothing is', () => {
    const lastOf = (obstacles: string[]) =>
      showDiagnosis({ ...shown(row('yes', 'git', '2')), obstacles }, PLAIN, null).at(-1)
    expect(lastOf(['bad settings', 'no room'])).toBe('✗ ralph cannot run here: bad settings; no room')
    expect(lastOf([])).toBe('✓ ralph can run here')
  })

  it('fits the terminal, and breaks at words', () => {
    const value = 'npm run a-very-long-name-of-a-script -- --with=several --options · npm run lint'
    expect(showDiagnosis(shown(row('yes', 'checks', value, 'do it')), PLAIN, 60)).toEqual([
      'tools',
      '  ✓ checks  npm run a-very-long-name-of-a-script --',
      '            --with=several --options · npm run lint → do it',
      '',
      '✓ ralph can run here',
    ])
  })

  it('ends with names of variables in lines that fit, and says where there is none', () => {
    const all = ['AAAA_AAAA', 'BBBB_BBBB', 'CCCC_CCCC', 'DDDD_DDDD']
    const environment = [names('claude', all, []), { ...names('guardrails', [], ['A']), replaced: ['B'] }]
    const lines = showDiagnosis({ ...shown(row('yes', 'git', '2')), environment }, PLAIN, 40)
    expect(lines.slice(2, -2)).toEqual([
      'environment of claude',
      '  gets      AAAA_AAAA BBBB_BBBB',
      '            CCCC_CCCC DDDD_DDDD',
      '  left out  none',
      'environment of checks and commits',
      '  gets      none',
      '  replaced  B',
      '  left out  A',
    ])
  })

  it('shows every character of what programs and files say, and none raw', () => {
    const nasty = '\x1b]0;title\x07\x1b[31mred\n\x07'
    const lines = showDiagnosis(
      {
        groups: [{ title: nasty, rows: [row('yes', nasty, nasty, nasty)] }],
        obstacles: [nasty],
        environment: [names(nasty, [nasty], [nasty])],
      },
      PLAIN,
      null,
    )
    for (const line of lines) expect(line).toMatch(/^[^\x00-\x1f\x7f]*$/)
    expect(lines.slice(0, 2)).toEqual([
      visible(nasty),
      `  ✓ ${visible(nasty)}  ${visible(nasty)} → ${visible(nasty)}`,
    ])
  })

  it('has coloured marks where colour is wanted, and dims the way out', () => {
    const { colors } = styleOf({ color: true, emoji: true })
    const lines = showDiagnosis(shown(row('none', 'tmux', 'not found', 'get it')), { ...PLAIN, colors }, 80)
    expect(lines[1]).toBe(`  ${colors.dim('–')} tmux  not found${colors.dim(' → get it')}`)
    expect(lines.at(-1)).toBe(colors.green('✓ ralph can run here'))
  })
})
