import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Act } from '../support/agent-script.ts'
import { leftovers, soon } from '../support/killing.ts'
import type { Ran, Started } from '../support/ralph.ts'
import { ending, setStage } from './scene.ts'

type Stage = ReturnType<typeof setStage>

/** Misbehaves the first time, and does what it is asked the second. */
const agent = (misbehave: string): string[] => [
  '--',
  'sh',
  '-c',
  `[ -f ../again ] && { echo '<response>DONE</response>'; exit 0; }; touch ../again; ${misbehave}`,
]

const settle = (stage: Stage) => stage.journal().flatMap(e => (e.type === 'settled' ? [e.end] : []))

/** Waits for the folder of its iteration, which is made while it starts. */
const FOLDER = 'until d=$(ls -d .ralph/sessions/*/iter-001); do sleep 0.02; done 2> /dev/null'

/** Whoever waits for a pipe hears no signal but this one. */
async function bounded(ralph: Started): Promise<Ran> {
  const timer = setTimeout(() => ralph.kill('SIGKILL'), 15_000)
  const ran = await ralph.ended
  clearTimeout(timer)
  return ran
}

/** The most memory that a process ever had, in MB. */
async function peakOf(pid: number, over: Promise<unknown>): Promise<number> {
  let peak = 0
  let gone = false
  void over.then(() => {
    gone = true
  })
  await soon(() => {
    try {
      const [, kb] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
      peak = Number(kb ?? peak * 1024) / 1024
    } catch {
      // Gone: what was seen last stands.
    }
    return gone
  }, 60_000)
  return peak
}

describe.skipIf(process.platform !== 'linux')('an agent that', () => {
  it.each([
    ['exits while a child holds its output', 'sleep 60 & echo more', 'ok'],
    ['exits while a child floods its output', 'yes "$(seq 500)" | tr "\\n" " " & echo more', 'ok'],
    ['closes its output and lives on', 'exec >&- 2>&-; sleep 60', 'inactive'],
    ['never exits', 'echo more; sleep 60', 'inactive'],
    ['ignores SIGTERM', 'trap "" TERM; echo more; sleep 60; sleep 60', 'inactive'],
    ['stops itself', 'echo more; kill -STOP $$', 'inactive'],
    ['kills itself', 'kill -KILL $$', 'error'],
    ['kills its own group', 'kill -KILL 0', 'error'],
    ['ends its own group gently', 'kill -TERM 0; sleep 60', 'error'],
    ['starts a session of its own', 'setsid sh -c "trap \\"\\" TERM; sleep 60" & echo more', 'ok'],
    ['makes a daemon by forking twice', '(setsid sh -c "sleep 60 & exit" &) ; echo more', 'ok'],
    ['forks many children', 'for i in $(seq 100); do sleep 60 & done; echo more', 'ok'],
    ['answers with rubbish', 'head -c 300000 /dev/urandom', 'ok'],
    ['answers in broken UTF-8', 'printf "\\377\\376 more \\303"', 'ok'],
    ['answers with nothing but newlines', 'yes "" | head -n 100000', 'empty'],
    ['floods standard error', 'while yes | head -c 4000000; do sleep 0.1; done >&2', 'timeout'],
  ])('%s: the loop goes on, and nothing of it is left', async (_, misbehave, end) => {
    const stage = setStage({ settings: { killGrace: 0.2, baseline: false } })
    const limits = ['--inactivity-timeout', '1', '--iteration-timeout', '2']
    const ran = await stage.ralph('run', '-p', 'x', ...limits, ...agent(misbehave))
    expect([ran.code, settle(stage)], ran.stdout + ran.stderr).toEqual([0, [end, 'ok']])
    expect(leftovers(stage.ralphHome)).toEqual([])
  })

  it('gives its result and stays is seen off, and its result counts', async () => {
    const stays: Act[] = [['claude', 'Done. <response>DONE</response>'], ['ignore', 'SIGTERM'], ['hang']]
    const stage = setStage({ settings: { killGrace: 0.2 }, calls: [stays] })
    expect((await stage.ralph('run', '-p', 'x')).code).toBe(0)
    expect(stage.journal().find(e => e.type === 'ended')).toMatchObject({
      how: 'exited',
      stoppedByRalph: true,
    })
    expect(settle(stage)).toEqual(['ok'])
    expect(leftovers(stage.ralphHome)).toEqual([])
  })

  const peakFor = async (misbehave: string) => {
    const stage = setStage({ settings: { baseline: false } })
    const ralph = stage.start('run', '-p', 'x', '-q', ...agent(misbehave))
    const peak = await peakOf(ralph.pid, ralph.ended)
    const { code, stdout, stderr } = await ralph.ended
    expect([code, settle(stage)], stdout + stderr).toEqual([0, ['ok', 'ok']])
    return peak
  }
  let usual: Promise<number> | undefined
  it.each([
    ['prints 50 MB without a newline', 'head -c 50000000 /dev/zero | tr "\\0" x'],
    ['prints 100 MB of lines', 'yes some words that are no JSON at all | head -c 100000000'],
    ['prints 50 MB to standard error', 'yes | head -c 50000000 >&2; echo more'],
  ])('%s costs little more memory than one that says a word', async (_, floods) => {
    usual ??= peakFor('echo more')
    expect(await peakFor(floods)).toBeLessThan((await usual) + 150)
  })

  it('removes itself leaves iterations that could not be started, with their prompts on record', async () => {
    const stage = setStage()
    const program = join(stage.root, 'agent')
    writeFileSync(program, '#!/bin/sh\nrm "$0"\necho more\n', { mode: 0o755 })
    const ran = await stage.ralph('run', '-p', 'Do it.', '-m', '2', '--json', '--', program)
    const prompts = ran.stdout.split('\n').filter(line => line.includes('"type":"prompted"'))
    expect([settle(stage), prompts.length]).toEqual([['ok', 'error'], 2])
    expect(stage.session('iter-002/prompt.txt')).toContain('Do it.')
    const calls = stage.session('agent-calls.jsonl').trim().split('\n')
    expect(calls.map(line => JSON.parse(line)).at(-1)).toMatchObject({
      iteration: 2,
      error: expect.stringMatching(/^cannot start .*no such file/),
    })
    expect(stage.session('iterations.log')).toMatch(/\[START\] iteration 2.*\n.*\[END\] iteration 2 exit=127/)
  })

  it('removes the repository is told so, and the loop goes on without it', async () => {
    const settings = { scm: { command: 'git', tasks: ['commit'] }, guardrails: [{ command: 'true' }] }
    const stage = setStage({ settings })
    const ran = await stage.ralph('run', '-p', 'x', ...agent('rm -rf .git; echo more'))
    expect([ran.code, settle(stage)], ran.stdout + ran.stderr).toEqual([0, ['ok', 'ok']])
    expect(ran.stderr).toMatch(/^ralph: warning: .*git/m)
    const git = stage
      .journal()
      .flatMap(e => (e.type === 'settled' && e.end === 'ok' ? e.findings : []))
      .filter(finding => finding.check === 'git')
    expect(git.at(-1)).toMatchObject({ verdict: 'pass', note: 'the repository is gone' })
  })

  it('removes the project ends the run with one line; nothing is made in its place', async () => {
    const stage = setStage({ settings: { guardrails: [{ command: 'true' }] } })
    // Ralph may just be writing in it: then it is not empty when it is removed, and rm says so.
    const removes = 'until rm -rf "$PWD"; do :; done; echo more'
    const ran = await stage.ralph('run', '-p', 'x', ...agent(removes))
    expect([ran.code, ran.stdout + ran.stderr]).toEqual([1, expect.stringMatching(/the project .* is gone/)])
    expect(existsSync(stage.project)).toBe(false)
    expect(leftovers(stage.ralphHome)).toEqual([])
  })

  it('pours out more on standard error than anyone reads fills no disk, and that is noted', async () => {
    const stage = setStage({ settings: { baseline: false } })
    const pours = 'yes | head -c 70000000 >&2; yes last | head -n 3 >&2; exit 3'
    await stage.ralph('run', '-p', 'x', '-m', '1', '--', 'sh', '-c', pours)
    const log = stage.session('iter-001/stderr.log')
    expect(log.length).toBeLessThan(64 * 1024 * 1024 + 200)
    expect(log.slice(-200)).toMatch(/y\s+\[ralph: the rest of standard error is left out, after 64 MB\]\n$/)
    const failed = stage.journal().find(e => e.type === 'settled')
    expect(failed).toMatchObject({ end: 'error', note: expect.stringContaining('last') })
  })

  it('removes what ralph keeps in the project loses only that', async () => {
    const settings = { guardrails: [{ command: 'rm -rf .ralph/sessions; true' }] }
    const stage = setStage({ settings })
    const ran = await stage.ralph('run', '-p', 'x', ...agent('rm -rf .ralph/sessions; echo more'))
    expect([ran.code, settle(stage)], ran.stdout + ran.stderr).toEqual([0, ['ok', 'ok']])
  })

  it.each([
    ['its complaints', 'stderr.log', 'e\n'],
    ['a guardrail', 'guardrail_001_echo_said.log', 'said\n'],
  ])('leaves a pipe in place of the log of %s keeps nobody waiting', async (_, name, log) => {
    const stage = setStage({ settings: { baseline: false, guardrails: [{ command: 'echo said' }] } })
    const leaves = `${FOLDER}; mkfifo $d/${name}; echo e >&2; echo more`
    const ran = await bounded(stage.start('run', '-p', 'x', ...agent(leaves)))
    expect([ran.code, settle(stage)], ran.stdout + ran.stderr).toEqual([0, ['ok', 'ok']])
    expect(stage.session(`iter-001/${name}`)).toBe(log)
  })

  it('leaves pipes in place of what keeps a session out of the repository delays no resume', async () => {
    const stage = setStage({ git: false })
    const leaves = `for f in .ralph/.gitignore .ralph/sessions/*/.gitignore; do rm $f; mkfifo $f; done; echo more`
    await stage.ralph('run', '-p', 'x', '-m', '1', ...agent(leaves))
    const ran = await bounded(stage.start('resume', '-m', '3'))
    // First of all, for a pipe would keep the test waiting, too.
    expect(ran.code, ran.stdout + ran.stderr).toBe(0)
    expect(stage.session('.gitignore')).toBe('*\n')
    expect(stage.read('.ralph/.gitignore')).toContain('sessions')
  })

  it('makes a pipe of the prompt file ends the run with one line; with a file again, it goes on', async () => {
    const stage = setStage()
    stage.write('P.md', 'x')
    const makes = agent('rm P.md; mkfifo P.md; echo more')
    expect(await bounded(stage.start('run', '-f', 'P.md', ...makes))).toMatchObject(
      ending(1, /stopped: cannot read prompt file: \S+P\.md is a pipe, not a regular file/),
    )
    rmSync(join(stage.project, 'P.md'))
    stage.write('P.md', 'x')
    expect((await stage.ralph('resume')).code).toBe(0)
    expect(settle(stage)).toEqual(['ok', 'ok'])
  })

  it('kills the warden gains nothing: there is a new one, and when ralph dies nothing is left', async () => {
    const stage = setStage()
    const begun = join(stage.root, 'begun')
    const killsWarden = 'kill -9 $(pgrep -P $PPID -f "[r]alph-warden"); touch ../begun; sleep 60'
    const ralph = stage.start('run', '-p', 'x', ...agent(killsWarden))
    expect(await soon(() => existsSync(begun))).toBe(true)
    await delay(200)
    ralph.kill('SIGKILL')
    await ralph.ended
    expect(await soon(() => leftovers(stage.ralphHome).length === 0, 3000)).toBe(true)
  })
})
