import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { listRuns } from '../../src/workers/list.ts'
import type { Act } from '../support/agent-script.ts'
import { soon } from '../support/killing.ts'
import { RALPH } from '../support/ralph.ts'
import { hasTmux, openTerminal } from '../support/terminal.ts'
import { setRepository } from './repository.ts'

const CHANGES: Act[] = [
  ['file', 'made', 'x'],
  ['claude', 'more'],
]

it('a list of runs has one row for each, however narrow the terminal is', async () => {
  const stage = setRepository({ calls: [CHANGES] })
  await stage.ralph('run', '-p', 'Make all the tests of the whole project pass', '--once')
  let shown = ''
  const stdout = { isTTY: true, columns: 60, write: (text: string) => (shown += text) }
  listRuns(
    { all: true, projectDir: stage.project, format: 'table' },
    { stdout, stderr: stdout, env: stage.env },
  )
  const rows = shown.split('\n').filter(row => /^(?:RUN|\d{8}-)/.test(row))
  expect(rows).toHaveLength(2)
  for (const row of rows) expect(row).toHaveLength(60)
})

describe.skipIf(!hasTmux)('on a terminal of 80 columns', () => {
  /** Runs commands of ralph one after the other on one terminal. */
  async function show(stage: ReturnType<typeof setRepository>, ...commands: string[]) {
    const ralph = `${process.execPath} ${RALPH}`
    const script = commands.map(words => (words.startsWith('git ') ? words : `${ralph} ${words}`)).join('; ')
    const { project: cwd, env } = stage
    return openTerminal(['sh', '-c', `trap : INT; ${script}`], { cwd, env, columns: 80 })
  }

  it('nothing is broken within a word: a new story loop, a dry run, a receipt, an undo that can be copied', async () => {
    const stage = setRepository({ calls: [CHANGES] })
    await stage.ralph('run', '-p', 'Work', '--once')
    const terminal = await show(
      stage,
      'undo --yes',
      'init stories --name a-cart-with-a-rather-long-name',
      'run -p "Make all the tests of the whole project pass" --dry-run -a claude',
      'stories',
      'ls',
      'ls --all',
      'task',
      'report --html',
    )
    const { screen } = await terminal.ended()
    expect(await terminal.brokenLines()).toEqual([])
    expect(screen).toContain('ralph/tasks.json has no stories yet')
    expect(screen).toMatch(/\.ralph\/sessions\/\S+\/report\.html; open it in a\s+browser/)
    // Every step is a line of its own, so it can be copied.
    const command =
      /git restore -s \S+ -SW :\/ &&\n {2}git reset -q [0-9a-f]{40}/.exec(screen)?.[0] ?? 'false'
    execFileSync('sh', ['-c', command], { cwd: stage.project, env: stage.env })
    expect(stage.read('made')).toBe('x')
  })

  it('the question for trust is not broken within a word', async () => {
    const stage = setRepository({ settings: { guardrails: [{ command: 'true' }] } })
    await stage.ralph('trust')
    stage.write('.ralph/settings.json', JSON.stringify({ guardrails: [{ command: 'false' }] }))
    const env = { ...stage.env, RALPH_TRUST: '' }
    const terminal = await show({ ...stage, env }, 'run -p Work')
    await terminal.waitFor('Trust these?')
    expect(await terminal.brokenLines()).toEqual([])
    await terminal.press('Enter')
    expect((await terminal.ended()).screen).toMatch(/have\s+changed\s+since\s+you\s+trusted\s+them/)
  })

  it('a run that is stopped and resumed shows its limits, what is red, what is spent and what is still to be checked', async () => {
    const waits: Act[] = [
      ['file', '../begun', ''],
      ['await', '../go'],
      ['claude', 'Still at it.'],
    ]
    const ends: Act[] = [
      ['file', 'made', 'x'],
      ['claude', 'Done. <response>DONE</response>'],
    ]
    const command = 'test -e made || { echo "Error: made is missing"; exit 3; }'
    const stage = setRepository({ calls: [waits, ends], settings: { guardrails: [{ command }] } })
    const terminal = await show(stage, 'run -p Work --max-cost 5', 'resume')
    expect(await soon(() => existsSync(join(stage.root, 'begun')))).toBe(true)
    await terminal.press('C-c')
    await terminal.waitFor('Ctrl+C again to stop now.')
    stage.write('../go', '')
    const { code, screen } = await terminal.ended()
    const [stopped = '', resumed = ''] = screen.split('to go on: ')
    expect(stopped).toContain('  limits   10 iterations · $5.00 · no limit on tokens or time\n')
    expect(stopped).toContain('    Error: made is missing\n')
    expect(stopped).toContain('  red before the run; all must be green in the end\n')
    expect(stopped).toMatch(/stopped: interrupted\s+1 iteration, still to be checked/)
    expect(resumed).toMatch(/^ {2}spent {4}1 iteration · \$0\.01/m)
    expect(resumed).toMatch(
      /\nthe checks of the iteration that was stopped\n {2}✗ test -e made .* → APPEND\n/,
    )
    expect(resumed).toMatch(/\niteration 2 of 10\n[\s\S]*✅ done, verified {2}2 iterations/)
    expect([code, await terminal.brokenLines()]).toEqual([0, []])
  })

  it('a list of runs that have ended says what each was for and what came of it', async () => {
    const stage = setRepository({ calls: [CHANGES] })
    await stage.ralph('run', '-p', `Write ${'a very long poem '.repeat(5)}`, '--once')
    await stage.ralph('run', '-p', 'Do', '--once', '--check', 'exit 1')
    const terminal = await show(stage, 'ls --all')
    const { screen } = await terminal.ended()
    const rows = screen.split('\n').filter(line => /^\d{8}-/.test(line))
    expect(rows.map(row => row.split(/ {2,}/).slice(1, 3))).toEqual([
      ['at its limit', '1'],
      ['at its limit', '1'],
    ])
    expect(rows[0]).toMatch(/ ago {2}run: Do$/)
    expect(rows[1]).toMatch(/ run: Write .*…$/)
    expect(await terminal.brokenLines()).toEqual([])
  })
})
