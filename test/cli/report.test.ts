import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeRunDir } from '../../src/runs/find.ts'
import { journalPath } from '../../src/store/journal.ts'
import { type Act, DONE } from '../support/agent-script.ts'
import { soon } from '../support/killing.ts'
import { RALPH } from '../support/ralph.ts'
import { journal } from '../view/report-journal.ts'
import { setStage } from './scene.ts'

const MORE: Act = ['claude', 'not yet']

/** A project with one run: red at first, then green, committed. */
async function setRun(...args: string[]) {
  const stage = setStage({
    settings: {
      baseline: false,
      guardrails: [{ command: 'test -f made' }],
      scm: { command: 'git', tasks: ['commit'] },
    },
    calls: [[DONE], [['file', 'made', ''], DONE], [['claude', 'Make it']]],
  })
  appendFileSync(join(stage.project, '.git', 'config'), '[user]\n\tname = Me\n\temail = me@example.org\n')
  await stage.ralph('run', '-p', 'x', ...args)
  return { stage, id: stage.runs()[0]!.split('/').at(-1)! }
}

describe.skipIf(!existsSync('/dev/full'))('output to a full disk', () => {
  it.each([
    ['report'],
    ['report --json'],
    ['report --html'],
    ['status --json'],
    ['status'],
    ['run -p x -m 2 --json -- echo "<response>DONE</response>"'],
    ['run -p x --dry-run --json'],
    ['--help'],
    ['run --help'],
    ['--version'],
  ])('of ralph %s exits with 1 and says so in one line', async words => {
    const stage = setStage()
    await stage.ralph('run', '-p', 'x')
    const { status, stderr } = spawnSync(
      'sh',
      ['-c', `"$0" "$1" ${words} > /dev/full`, process.execPath, RALPH],
      {
        cwd: stage.project,
        env: { ...process.env, ...stage.env },
        encoding: 'utf8',
      },
    )
    expect([status, stderr]).toEqual([
      1,
      'ralph: error: cannot write to standard output: the disk is full; some of the output is lost\n',
    ])
  })
})

describe('ralph report', () => {
  it('tells the latest run of this folder', async () => {
    const { stage, id } = await setRun()
    const { code, stdout, stderr } = await stage.ralph('report')
    expect([code, stderr]).toEqual([0, ''])
    const lines = stdout.split('\n')
    expect(lines[0]).toBe(`ralph run ${id}`)
    expect(lines[1]).toBe('  result    done, verified')
    expect(stdout).toContain('  files     1 file changed\n')
    expect(stdout).toContain(`  project   ${stage.project}\n`)
    expect(stdout).toMatch(
      /\n {4}1 {2}fail .*\$0\.01 {2}10 \(0\) \/ 5\n {6}✓ git\n {6}✗ test -f made failed with exit code 1\n {6}no file changed\n/,
    )
    expect(stdout).toMatch(
      /\n {4}2 {2}pass .*\n {6}✓ git\n {6}✓ test -f made\n {6}1 file changed: made\n {6}committed [0-9a-f]{10}\n/,
    )
    expect(stdout).not.toContain('to go on')
  })

  it('tells a run by the end of its id, from anywhere, in every form', async () => {
    const { stage, id } = await setRun('-m', '1')
    const tail = id.slice(-3)
    const json = await stage.ralph('report', tail, '--json', '-C', '/')
    expect(JSON.parse(json.stdout)).toMatchObject({
      id,
      agents: ['claude'],
      ending: { type: 'finished', result: 'exhausted' },
      totals: { counted: 1, usd: 0.01 },
      resume: `ralph resume ${id} -m 11`,
    })
    expect((await stage.ralph('report', tail, '--markdown')).stdout).toMatch(
      /^# ralph run .*\n\n\*\*not done: /,
    )
    const html = await stage.ralph('report', tail, '--html')
    expect(html.stdout).toMatch(/^<!doctype html>\n[\s\S]*<\/html>\n$/)
  })

  it('names the command that continues, and it does', async () => {
    const { stage } = await setRun('-m', '1')
    const { stdout } = await stage.ralph('report')
    const command = /to go on {2}ralph (.*)/.exec(stdout)![1]!
    expect((await stage.ralph(...command.split(' '))).code).toBe(0)
    expect((await stage.ralph('report')).stdout).toMatch(/result {4}done, verified\n[\s\S]*resumed once/)
  })

  it('takes a finished run, too, and no run of another folder', async () => {
    const { stage, id } = await setRun()
    const other = makeRunDir(stage.ralphHome, '99990101-000000-zzzz')
    writeFileSync(journalPath(other), `${JSON.stringify(journal().events[0])}\n`)
    expect((await stage.ralph('report')).stdout).toContain(`ralph run ${id}\n`)
    expect((await stage.ralph('report', 'zzzz')).stdout).toContain('unfinished: it was cut off')
  })

  it('leaves out a last line that a crash tore, and leaves it where it is', async () => {
    const { stage } = await setRun('-m', '1')
    const path = journalPath(stage.runs()[0]!)
    const whole = await stage.ralph('report')
    appendFileSync(path, '{"type":"resu')
    expect(await stage.ralph('report')).toEqual(whole)
    expect(readFileSync(path, 'utf8')).toMatch(/\{"type":"resu$/)
  })

  it('gives all of a long report, and does not mind a reader that goes away', async () => {
    const stage = setStage({ calls: [[MORE]] })
    const pen = journal()
    for (let i = 0; i < 5000; i++) pen.iterate({ move: 'more' })
    const dir = makeRunDir(stage.ralphHome, '20260301-221530-k3f')
    writeFileSync(journalPath(dir), pen.events.map(event => `${JSON.stringify(event)}\n`).join(''))
    const whole = await stage.ralph('report', 'k3f', '--html')
    expect([whole.code, whole.stdout.endsWith('</html>\n')]).toEqual([0, true])
    const pipe = `{ "${process.execPath}" "${RALPH}" report k3f --html; echo "$?" >&2; } | head -n 1`
    const { stdout, stderr } = spawnSync('sh', ['-c', pipe], { env: stage.env, encoding: 'utf8' })
    expect([stdout, stderr]).toEqual(['<!doctype html>\n', '0\n'])
  })

  it.each([
    [['report'], 'no run in'],
    [['report', 'nothing'], 'no run "nothing" in'],
    [['report', '..'], 'no run ".." in'],
    [['report', '2026'], '"2026" matches several runs: 20260101-000000-aaa, 20260102-000000-bbb'],
    [['report', 'ccc'], 'does not begin with the start of a run'],
    [['report', 'aaa', '--json', '--html'], "option '--json' cannot be used with option '--html'"],
    [['report', 'aaa', '--markdown', '--html'], "option '--markdown' cannot be used with option '--html'"],
    [['report', '-C', 'nowhere'], '--project-dir: nowhere does not exist'],
  ])('%j is one clear line and exit 2', async (args, words) => {
    const stage = setStage()
    mkdirSync(join(stage.project, '.ralph', 'sessions'), { recursive: true })
    for (const id of ['20260101-000000-aaa', '20260102-000000-bbb'])
      writeFileSync(journalPath(makeRunDir(stage.ralphHome, id)), `${JSON.stringify(journal().events[0])}\n`)
    mkdirSync(join(stage.ralphHome, 'runs', '19990101-000000-ccc'))
    writeFileSync(journalPath(join(stage.ralphHome, 'runs', '19990101-000000-ccc')), '')
    const ran = await stage.ralph(...args)
    expect([ran.code, ran.stdout]).toEqual([2, ''])
    expect(ran.stderr).toMatch(/^ralph: error: [^\n]+\n$/)
    expect(ran.stderr).toContain(words)
  })
})

describe('of a run that somebody or something ended', () => {
  const FIRST: Act[] = [['file', 'first', 'x'], MORE]
  const WORKS: Act[] = [['file', 'made', 'x'], ['file', '../begun', ''], ['hang']]

  async function setRunning() {
    const stage = setStage({ calls: [FIRST, WORKS] })
    const run = stage.start('run', '-p', 'Make it', '-m', '4')
    expect(await soon(() => existsSync(join(stage.root, 'begun')))).toBe(true)
    return { stage, run }
  }
  const FACTS = [
    /work\s+2 iterations, the last one cut off/,
    /files\s+2 files changed/,
    /time\s+.* at work/,
    /began\s+2\d{3}-/,
    /prompt\s+Make it/,
    /agent\s+claude · fake-1/,
  ]

  it('files, prompt, model and times are kept when it is cancelled', async () => {
    const { stage, run } = await setRunning()
    await stage.ralph('cancel')
    const { stdout } = await run.ended
    expect(stdout).toMatch(/cancelled {2}2 iterations, the last one cut off/)
    expect(stdout).toContain('2 files changed')
    const report = (await stage.ralph('report')).stdout
    for (const fact of FACTS) expect(report).toMatch(fact)
    const page = (await stage.ralph('report', '--html')).stdout
    for (const words of ['2 files changed', 'Make it', 'claude · fake-1']) expect(page).toContain(words)
  })

  it('files, prompt, model and times are there when it crashed', async () => {
    const { stage, run } = await setRunning()
    run.kill('SIGKILL')
    await run.ended
    const report = (await stage.ralph('report')).stdout
    for (const fact of FACTS) expect(report).toMatch(fact)
  })
})
