import { spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { isLimitOf } from '../../src/runners/process/marks.ts'
import { processRunner } from '../../src/runners/process/process.ts'
import { ignoring, lives, readText, setScene, until } from './scene.ts'

const has = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0

/** Everything that the kernel says descends from a run, found here without the code under test. */
function descendants(run: string): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name) && lives(Number(name)))
    .filter(name => {
      const hard = /^Max file locks +\S+ +(\d+) /m.exec(readText(`/proc/${name}/limits`))?.[1]
      return hard !== undefined && isLimitOf(run, hard)
    })
    .map(Number)
}

/** Writes its pid down and stays. */
const STAY = `trap "" TERM HUP; echo $$ >> pids; while :; do sleep 1; done`
const NO_MARKS = 'env -u RALPH_RUN -u RALPH_STEP -u RALPH_INCARNATION -u RALPH_CALL'

/** What an agent may do to have a process outlive it. STAY is in $0; each is a shell command. */
const ESCAPES: Record<string, string> = {
  'a session of its own': 'setsid sh -c "$0" &',
  'two forks': '(setsid sh -c "$0" &) &',
  nohup: 'nohup sh -c "$0" >/dev/null 2>&1 &',
  'no environment, the same session': 'env -i sh -c "$0" &',
  'no environment, a session of its own': 'env -i setsid sh -c "$0" &',
  'no environment, two forks, two sessions': `(env -i setsid sh -c 'setsid sh -c "$0" & exit' "$0" &) &`,
  'no marks, a session of its own': `${NO_MARKS} setsid sh -c "$0" &`,
  'another run': 'RALPH_RUN=x setsid sh -c "$0" &',
  'another step': 'RALPH_STEP=999 setsid sh -c "$0" &',
  'an earlier step': 'RALPH_STEP=1 RALPH_CALL= setsid sh -c "$0" &',
  'another call': 'RALPH_CALL=x RALPH_STEP=x setsid sh -c "$0" &',
  'an earlier call': 'RALPH_STEP=1 RALPH_CALL="$RALPH_INCARNATION.1" setsid sh -c "$0" &',
  'another of everything': 'RALPH_RUN=x RALPH_STEP=x RALPH_INCARNATION=x RALPH_CALL=x setsid sh -c "$0" &',
  'another name, no environment': 'cp /bin/sh ./kworker; (env -i PATH="$PATH" setsid ./kworker -c "$0" &) &',
  'a program that cannot be read':
    'cp /bin/sh ./quiet; chmod 111 quiet; env -i PATH="$PATH" setsid ./quiet -c "$0" &',
  'no open files, no environment': `(env -i setsid sh -c "$0" <&- >&- 2>&- &) &`,
  'stopped, no environment': `env -i setsid sh -c 'echo $$ >> pids; kill -STOP $$; exec sleep 60' &`,
  ...(has('script') && {
    'a terminal of its own':
      'printf %s "$0" > stay; setsid script -qec "sh ./stay" /dev/null >/dev/null 2>&1 &',
  }),
  ...(has('tmux') && { 'a server of tmux': 'env -i PATH="$PATH" tmux -S ./socket new-session -d "$0"' }),
  ...(has('python3') && {
    'a daemon by the book': `python3 -c 'import os,sys
if os.fork(): sys.exit()
os.setsid()
if os.fork(): os._exit(0)
for f in range(64):
  try: os.close(f)
  except OSError: pass
os.execve("/bin/sh", ["sh", "-c", sys.argv[1]], {"PATH": "/usr/bin:/bin"})' "$0"`,
  }),
}

type Scene = ReturnType<typeof setScene>

/** An agent that does this and then exits. */
async function leave(
  { runner, command, numbers, tidy }: Scene,
  script: string,
  step: number,
): Promise<number[]> {
  const waits = `${script}\nuntil [ -s pids ]; do sleep 0.01; done`
  const live = await runner.start(command([], { argv: ['sh', '-c', waits, STAY] }), step, ignoring)
  const pids = await numbers('pids')
  for (const pid of pids) tidy(pid)
  await live.exit
  expect(pids.filter(lives)).toEqual(pids)
  return pids
}

describe('what an agent left is ended with its step, though it has', () => {
  test.each(Object.entries(ESCAPES))('%s', async (_, script) => {
    const scene = setScene()
    await (await scene.runner.start(scene.command([]), 1, ignoring)).exit
    await scene.runner.sweep(1)
    const pids = await leave(scene, script, 2)
    await scene.runner.sweep(2)
    expect(pids.filter(lives)).toEqual([])
    expect(descendants(scene.run)).toEqual([])
  })
})

describe('what hides where it comes from', () => {
  const hides = ESCAPES['no environment, two forks, two sessions']!

  test('is ended by the next incarnation', async () => {
    const run = `test-${randomUUID()}`
    const crashed = setScene({ run })
    const pids = await leave(crashed, hides, 1)
    await processRunner({ run, graceMs: 50 }).reap([])
    expect(pids.filter(lives)).toEqual([])
  })

  test('is ended when the run is closed', async () => {
    const scene = setScene()
    const pids = await leave(scene, hides, 1)
    await scene.runner.close()
    expect(pids.filter(lives)).toEqual([])
  })

  test('is left alone while another step is at work, which it may belong to', async () => {
    const scene = setScene()
    const other = await scene.runner.start(scene.command([['hang']]), 1, ignoring)
    const pids = await leave(scene, hides, 2)
    await scene.runner.sweep(2)
    expect([other.ref.pid, ...pids].filter(lives)).toEqual([other.ref.pid, ...pids])
    await other.stop()
    await scene.runner.sweep(1)
    expect(pids.filter(lives)).toEqual([])
  })

  test('is ended though it forks faster than processes are listed', async () => {
    const scene = setScene()
    const hop = `hop() { [ $1 -lt 20000 ] || exit; echo $1 > count; (hop $(($1 + 1)) &) ; exit; }; echo $$ > pids; hop 1`
    const waits = `env -i setsid sh -c "$0" & until [ -s pids ]; do sleep 0.01; done`
    const argv = ['sh', '-c', waits, hop]
    await (await scene.runner.start(scene.command([], { argv }), 1, ignoring)).exit
    await until(() => Number(readText(scene.path('count'))) > 50)
    await scene.runner.sweep(1)
    expect(descendants(scene.run)).toEqual([])
  })
})

test('a stranger that looks alike is left alone', async () => {
  const scene = setScene()
  const look = (env: Record<string, string>, argv = ['sleep', '60']) => {
    const [program = '', ...args] = argv
    const { pid } = spawn(program, args, {
      cwd: scene.folder,
      detached: true,
      stdio: 'ignore',
      env: { PATH: process.env.PATH, ...env },
    })
    scene.tidy(pid!)
    return pid!
  }
  await (await scene.runner.start(scene.command([]), 1, ignoring)).exit
  const strangers = [
    look({}),
    look({}, ['env', '-i', '/bin/sleep', '60']),
    look({ RALPH_STEP: '1' }),
    look({ RALPH_RUN: `${scene.run}0`, RALPH_STEP: '1', RALPH_INCARNATION: 'x', RALPH_CALL: 'x.1' }),
    look({}, ['prlimit', '--locks=1000', 'sleep', '60']),
  ]
  const other = setScene()
  const [theirs = 0] = await leave(other, ESCAPES['no environment, a session of its own']!, 1)
  await scene.runner.sweep(1)
  await scene.runner.reap([])
  await scene.runner.close()
  expect([...strangers, theirs].filter(lives)).toEqual([...strangers, theirs])
})
