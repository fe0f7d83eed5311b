import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { journalPath } from '../../src/store/journal.ts'
import { leftovers } from '../support/killing.ts'
import type { Ran } from '../support/ralph.ts'
import { ending, setStage } from './scene.ts'

type Stage = ReturnType<typeof setStage>

/** Does harm the first time, and says that it is done the second. */
const agent = (harm: string): string[] => [
  '--',
  'sh',
  '-c',
  `[ -f ../again ] && { echo '<response>DONE</response>'; exit 0; }; touch ../again; ${harm}`,
]

const journalOf = (stage: Stage) => journalPath(stage.runs()[0]!)

/** One line says what is wrong; no stack, and no second opinion. */
function expectOneError(ran: Ran, code: number, what: RegExp): void {
  const errors = ran.stderr.split('\n').filter(line => line.startsWith('ralph: error: '))
  expect([ran.code, errors], ran.stdout + ran.stderr).toEqual([code, [expect.stringMatching(what)]])
  expect(ran.stderr).not.toMatch(/^\s+at /m)
}

/** A run that was cut short after one iteration. */
async function halfDone(start: 'ralph' | 'spawn' = 'ralph'): Promise<Stage> {
  const stage = setStage()
  await stage[start]('run', '-p', 'x', '-m', '1', ...agent('echo more'))
  return stage
}

describe('a journal that', () => {
  it('ends in half a line is whole without it', async () => {
    const stage = await halfDone()
    const whole = readFileSync(journalOf(stage), 'utf8')
    appendFileSync(journalOf(stage), '{"type":"resumed","at":17')
    expect((await stage.ralph('resume', '-m', '3')).code).toBe(0)
    expect(readFileSync(journalOf(stage), 'utf8').startsWith(`${whole}{"type":"resumed"`)).toBe(true)
  })

  it.each([
    [
      'has rubbish in the middle',
      (lines: string[]) => lines.toSpliced(2, 0, 'rubbish'),
      /:3 is not a journal event/,
    ],
    [
      'has half an event',
      (lines: string[]) => lines.toSpliced(2, 0, '{"type":"settled","at":1,"id":1}'),
      /:3 is not a journal event: "settled" without a proper "task"/,
    ],
    ['lost its beginning', (lines: string[]) => lines.slice(1), /does not begin with the start of a run/],
  ])('%s is named with its place, and left as it is', async (_, harm, what) => {
    const stage = await halfDone()
    const harmed = harm(readFileSync(journalOf(stage), 'utf8').split('\n')).join('\n')
    writeFileSync(journalOf(stage), harmed)
    const id = readdirSync(join(stage.ralphHome, 'runs'))[0]!
    for (const command of [
      ['resume', id],
      ['status', id],
      ['report', id],
      ['cancel', id],
      ['tell', id, 'x'],
    ])
      expectOneError(await stage.ralph(...command), 2, what)
    expect(readFileSync(journalOf(stage), 'utf8')).toBe(harmed)
    // It stands in nobody's way.
    rmSync(join(stage.root, 'again'))
    expect((await stage.ralph('run', '-p', 'x', ...agent('echo more'))).code).toBe(0)
  })

  it('is empty is no run', async () => {
    const stage = await halfDone()
    writeFileSync(journalOf(stage), '')
    expectOneError(await stage.ralph('resume'), 2, /no unfinished run/)
  })

  it.each([
    [
      'is written to by another',
      'for j in "$RALPH_HOME"/runs/*/journal.ndjson; do echo >> "$j"; done',
      /changed by someone else/,
    ],
    ['is removed', 'rm "$RALPH_HOME"/runs/*/journal.ndjson', /was removed while the run was going on/],
    ['is removed with all there is', 'rm -rf "$RALPH_HOME"', /was removed while the run was going on/],
  ])('%s while the run goes on ends it, and is not written again', async (_, harm, what) => {
    const stage = setStage()
    const ran = await stage.ralph('run', '-p', 'x', ...agent(`sleep 60 & ${harm}; echo more`))
    expectOneError(ran, 1, what)
    expect(leftovers(stage.ralphHome)).toEqual([])
    if (harm.startsWith('rm')) expect(existsSync(stage.ralphHome) && existsSync(journalOf(stage))).toBe(false)
    else expect(readFileSync(journalOf(stage), 'utf8').endsWith('\n\n')).toBe(true)
  })
})

/** A small file system of its own at this place; null, said aloud, where that is not allowed. */
function mountSmall(dir: string, kb: number): boolean {
  mkdirSync(dir, { recursive: true })
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kb}k`, 'tmpfs', dir], { stdio: 'ignore' })
  } catch {
    console.warn('SKIPPED: mounting a file system is not allowed here, so no disk is filled')
    return false
  }
  onTestFinished(() => void execFileSync('umount', ['--lazy', dir]))
  return true
}

describe.skipIf(process.platform !== 'linux')('a disk that', () => {
  it('fills up under a build’s list makes no word of a person of what its agent wrote', async ({ skip }) => {
    const stage = setStage({ settings: { baseline: false } })
    const sessions = join(stage.project, '.ralph', 'sessions')
    if (!mountSmall(sessions, 256)) skip()
    const items = ['#1', '#2'].map(id => ({ id, content: `Do ${id}`, status: 'pending', activeForm: 'x' }))
    const list = join(stage.root, 'list.json')
    writeFileSync(list, JSON.stringify(items))
    const claims = items.map(item => ({ ...item, status: 'completed' }))
    writeFileSync(join(stage.root, 'claims.json'), JSON.stringify(claims))
    const fill = `cp ../claims.json .ralph/sessions/*/tasks.json; dd if=/dev/zero of=.ralph/sessions/fill bs=1k 2> /dev/null; echo more`
    const work = `[ -f ../again ] || { touch ../again; ${fill}; exit 0; }; grep -o "(#.)" >> ../worked; echo ok`
    const ran = await stage.ralph('build', '--tasks', list, '--', 'sh', '-c', work)
    // Which file meets the full disk first is a matter of time: one ends the run, another one stops it.
    const said = ran.stdout + ran.stderr
    expect([ran.code, said]).toEqual([1, expect.stringMatching(/space|disk is full/)])
    rmSync(join(sessions, 'fill'))
    expect((await stage.ralph('resume')).code).toBe(0)
    expect(readFileSync(join(stage.root, 'worked'), 'utf8')).toContain('(#2)')
  })

  it('fills up under the journal ends the run with one line; with room again it goes on', async ({
    skip,
  }) => {
    const stage = setStage()
    if (!mountSmall(stage.ralphHome, 256)) skip()
    const fill = 'dd if=/dev/zero of="$RALPH_HOME/fill" bs=1k 2> /dev/null; seq 20000'
    const ran = await stage.ralph('run', '-p', 'x', ...agent(fill))
    expectOneError(ran, 1, /cannot write to \S+(journal|stream)\.ndjson: the disk is full/)
    rmSync(join(stage.ralphHome, 'fill'))
    expect((await stage.ralph('resume')).code).toBe(0)
  })

  it('fills up under the stream of an agent ends the run with one line; with room again it goes on', async ({
    skip,
  }) => {
    const stage = setStage({ git: false })
    const sessions = join(stage.project, '.ralph', 'sessions')
    if (!mountSmall(sessions, 256)) skip()
    const ran = await stage.spawn('run', '-p', 'x', ...agent('sleep 60 & yes | head -c 2000000'))
    expectOneError(ran, 1, /cannot write to \S+(journal|stream)\.ndjson: the disk is full/)
    expect((await stage.ralph('status')).stdout).toMatch(/stopped: cannot write to \S+: the disk is full/)
    expect(leftovers(stage.ralphHome)).toEqual([])
    rmSync(join(sessions, readdirSync(sessions)[0]!, 'iter-001'), { recursive: true })
    expect((await stage.ralph('resume')).code).toBe(0)
  })

  it.each(['runs', 'sessions'])(
    'is read-only under %s keeps a run from going on, and says so',
    async where => {
      const stage = setStage({ git: false })
      const dir = where === 'runs' ? stage.ralphHome : join(stage.project, '.ralph', 'sessions')
      if (!mountSmall(dir, 1024)) return
      await stage.ralph('run', '-p', 'x', '-m', '1', ...agent('echo more'))
      execFileSync('mount', ['-o', 'remount,ro', dir])
      expectOneError(await stage.ralph('resume', '-m', '3'), 2, /cannot write to .*read-only/)
      execFileSync('mount', ['-o', 'remount,rw', dir])
      expect((await stage.ralph('resume', '-m', '3')).code).toBe(0)
    },
  )

  it('is full from the start is named, with the way out, and nothing half made is left', async ({ skip }) => {
    const stage = setStage()
    if (!mountSmall(stage.ralphHome, 64)) skip()
    mkdirSync(join(stage.ralphHome, 'locks'))
    const fill = 'dd if=/dev/zero of=fill bs=1k 2> /dev/null; :'
    execFileSync('sh', ['-c', fill], { cwd: stage.ralphHome })
    expectOneError(await stage.ralph('run', '-p', 'x'), 2, /cannot write to .*the disk is full.*RALPH_HOME/)
    expect(readdirSync(join(stage.ralphHome, 'locks'))).toEqual([])
  })

  it('is read-only from the start is named, with the way out', async () => {
    const stage = setStage()
    if (!mountSmall(stage.ralphHome, 1024)) return
    execFileSync('mount', ['-o', 'remount,ro', stage.ralphHome])
    expectOneError(await stage.ralph('run', '-p', 'x'), 2, /cannot write to .*read-only.*RALPH_HOME/)
  })
})

describe('a folder for temporary files that', () => {
  const CANNOT = /stopped: cannot write to \S+: [^;]+; set TMPDIR to a folder of yours/

  it.each([
    ['does not exist', {}],
    ['does not exist, with checks to run first', { guardrails: [{ command: 'true' }] }],
  ])('%s stops the run, however often it is resumed, and is no failure of the agent', async (_, settings) => {
    const stage = setStage({ settings })
    const env = { ...stage.env, TMPDIR: join(stage.root, 'nowhere') }
    const run = ['run', '-p', 'x', '-m', '2', '-c', '', ...agent('echo more')]
    for (const words of [run, ['resume'], ['resume'], ['resume']]) {
      const ran = await stage.withEnv(env, ...words)
      expect([ran.code, ran.stdout], ran.stderr).toEqual([1, expect.stringMatching(CANNOT)])
    }
    expect(stage.journal().map(e => e.type)).not.toContain('started')
    expect((await stage.ralph('resume')).code).toBe(0)
  })

  it('is full does so, too', async ({ skip }) => {
    const stage = setStage()
    const TMPDIR = join(stage.root, 'small')
    if (process.platform !== 'linux' || !mountSmall(TMPDIR, 16)) skip()
    execFileSync('sh', ['-c', 'dd if=/dev/zero of=fill bs=1k 2> /dev/null; :'], { cwd: TMPDIR })
    const ran = await stage.withEnv({ ...stage.env, TMPDIR }, 'run', '-p', 'x', ...agent('echo more'))
    expect([ran.code, ran.stdout], ran.stderr).toEqual([1, expect.stringMatching(CANNOT)])
    expect(readdirSync(TMPDIR)).toEqual(['fill'])
  })
})

/** Waits until ralph has made the files of the call: removing a folder in which files appear fails. */
const WHEN_FILES_ARE_MADE =
  'i=0; until [ $i -gt 500 ] || ls .ralph/sessions/*/iter-*/stream.ndjson > /dev/null 2>&1; do sleep 0.01; i=$((i+1)); done'

describe('a session folder that', () => {
  it('is removed is made anew and kept out of the repository, and that is said once', async () => {
    const stage = setStage()
    const harm = `${WHEN_FILES_ARE_MADE}; rm -rf .ralph; echo more`
    const ran = await stage.ralph('run', '-p', 'x', '-m', '3', '--', 'sh', '-c', harm)
    expect(ran.stderr.match(/warning: .*removed and is created again/g), ran.stderr).toHaveLength(1)
    expect(stage.journal().filter(e => e.type === 'warned' && e.note.includes('created again'))).toHaveLength(
      1,
    )
    expect(stage.session('iterations.log')).toContain('[STOP]')
    expect(existsSync(join(stage.project, '.ralph', '.gitignore'))).toBe(true)
  })

  it('is replaced by a file stops the run with one line, on record; put back, it goes on', async () => {
    const stage = setStage()
    const sessions = join(stage.project, '.ralph', 'sessions')
    const ran = await stage.ralph(
      'run',
      '-p',
      'x',
      ...agent(`${WHEN_FILES_ARE_MADE}; rm -rf .ralph/sessions; : > .ralph/sessions`),
    )
    const why =
      /stopped: cannot write to \S+sessions\S+: a part of that path is a file; fix that, then: ralph resume \S+/
    expect(ran).toMatchObject(ending(1, why))
    const { stdout } = await stage.ralph('status')
    expect(stdout).toMatch(/status\s+stopped\n/)
    expect(stdout).toMatch(why)
    expect(leftovers(stage.ralphHome)).toEqual([])
    rmSync(sessions)
    expect((await stage.ralph('resume')).code).toBe(0)
  })
})

describe('a lock of another host', () => {
  it('is believed, and the host is named, with the way out if it is gone', async () => {
    const stage = await halfDone('spawn')
    const id = readdirSync(join(stage.ralphHome, 'runs'))[0]!
    const holder = { pid: 1, startTime: '1', host: 'far-away', run: id }
    writeFileSync(join(stage.ralphHome, 'locks', `run-${id}.json`), JSON.stringify(holder))
    const lock = join(stage.ralphHome, 'locks', `run-${id}.json`)
    const refused = await stage.ralph('resume', '-m', '3', '--shared')
    expectOneError(refused, 2, /pid 1 on far-away.* if nothing runs on far-away any more, remove/)
    expect(refused.stderr).toContain(lock)
    // One that is at work there has no end here.
    const ended = readFileSync(journalOf(stage), 'utf8').split('\n').toSpliced(-2, 1).join('\n')
    writeFileSync(journalOf(stage), ended)
    const { stdout } = await stage.ralph('status')
    expect(stdout).toMatch(/status\s+running \(pid 1 on far-away, as far as ralph knows\)\n/)
    expect(stdout).toContain(`if nothing runs on far-away any more, remove ${lock}\n`)
    expect(stdout).not.toMatch(/crashed|go on/)
    expect((await stage.ralph('report')).stdout).toContain('still at work')
    rmSync(lock)
    expect((await stage.ralph('status')).stdout).toContain('crashed')
    expect((await stage.ralph('resume', '-m', '3')).code).toBe(0)
  })
})
