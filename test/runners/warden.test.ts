import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { WARDEN_SCRIPT } from '../../src/runners/process/warden-script.ts'
import {
  type Act,
  bundleDriver,
  carriers,
  FAKE_AGENT,
  kill,
  lives,
  readText,
  setScene,
  until,
} from './scene.ts'

/** The wardens that this process, or the given one, has started. */
const wardensOf = (ppid = process.pid): number[] =>
  readdirSync('/proc')
    .filter(name => /^\d+$/.test(name) && readText(`/proc/${name}/status`).includes(`\nPPid:\t${ppid}\n`))
    .filter(name => readText(`/proc/${name}/cmdline`).includes('\0ralph-warden\0'))
    .map(Number)
    .filter(lives)

let program: string
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-driver-'))
  program = await bundleDriver(folder)
  return () => rmSync(folder, { recursive: true })
})

/** Starts a process as ralph would be started, and hands over what it says. */
function drive(job: string, scene: ReturnType<typeof setScene>, run = scene.run) {
  const driver = spawn(process.execPath, [program, job, run, FAKE_AGENT], {
    cwd: scene.folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  scene.tidy(driver.pid!)
  return driver
}

describe('when ralph is killed', () => {
  test('at any moment, nothing of the run is left', { timeout: 120_000 }, async () => {
    const scene = setScene()
    let started = 0
    const round = async (n: number) => {
      const run = `${scene.run}-${n}`
      const driver = drive('loop', scene, run)
      driver.stdout.on('data', () => started++)
      // Most are killed at work, some on the way to it.
      if (n % 4 > 0) await once(driver.stdout, 'data')
      await delay(Math.random() * 300)
      driver.kill('SIGKILL')
      await once(driver, 'exit')
      await delay(1000)
      await until(() => carriers(`RALPH_RUN=${run}`).length === 0)
    }
    for (let n = 0; n < 20; n += 4) await Promise.all([n, n + 1, n + 2, n + 3].map(round))
    for (const orphan of await scene.numbers('orphan')) await until(() => !lives(orphan))
    expect(started).toBeGreaterThanOrEqual(15)
  })

  test('its warden leaves, too', async () => {
    const scene = setScene()
    const driver = drive('hang', scene)
    await once(driver.stdout, 'data')
    const [warden = 0] = wardensOf(driver.pid)
    const orphans = await scene.numbers('orphan', 2)
    expect([warden, ...orphans].every(lives)).toBe(true)
    driver.kill('SIGKILL')
    await until(() => !lives(warden))
    expect(orphans.filter(lives)).toEqual([])
    expect(carriers(`RALPH_RUN=${scene.run}`)).toEqual([])
  })

  test('a warden that was replaced knows what is in flight', async () => {
    const scene = setScene()
    const driver = drive('hang', scene)
    await once(driver.stdout, 'data')
    const [first = 0] = wardensOf(driver.pid)
    kill(first)
    await until(() => wardensOf(driver.pid).some(pid => pid !== first))
    driver.kill('SIGKILL')
    await until(() => carriers(`RALPH_RUN=${scene.run}`).length === 0)
    const orphans = await scene.numbers('orphan', 2)
    await until(() => !orphans.some(lives))
  })

  test('the run that is resumed at once is not taken for what was left', async () => {
    const scene = setScene()
    const driver = drive('hang', scene)
    await once(driver.stdout, 'data')
    const [warden = 0] = wardensOf(driver.pid)
    driver.kill('SIGKILL')
    const live = await scene.start([['hang']])
    await until(() => !lives(warden))
    expect(carriers(`RALPH_RUN=${scene.run}`)).toEqual([live.ref.pid])
  })
})

describe('the warden', () => {
  test('leaves when the run is closed', async () => {
    const before = wardensOf()
    const { runner, start } = setScene()
    await (await start([])).exit
    const [warden = 0] = wardensOf().filter(pid => !before.includes(pid))
    expect(lives(warden)).toBe(true)
    await runner.close()
    await until(() => !lives(warden))
  })

  test('is one for all processes of a run, in a session of its own, without mark or secret', async () => {
    const before = wardensOf()
    const { start } = setScene()
    for (const id of [1, 2, 3]) await (await start([], { step: id })).exit
    const [warden = 0, ...more] = wardensOf().filter(pid => !before.includes(pid))
    expect(more).toEqual([])
    const stat = readText(`/proc/${warden}/stat`).split(') ').at(-1)!.split(' ')
    expect(stat.slice(2, 4)).toEqual([String(warden), String(warden)])
    const names = readText(`/proc/${warden}/environ`)
      .split('\0')
      .map(entry => entry.split('=')[0])
    expect(names.filter(Boolean).sort()).toEqual(['LC_ALL', 'PATH'])
  })

  test('takes everything with it when somebody keeps ending it, and nothing is started after that', async () => {
    const before = wardensOf()
    const { run, runner, numbers, start } = setScene()
    const acts: Act[] = [
      ['ignore', 'SIGTERM'],
      ['child', { pid: 'left', clean: true, detached: true, ignoresTerm: true }],
      ['hang'],
    ]
    const live = await start(acts)
    const left = await numbers('left')
    await until(() => {
      for (const pid of wardensOf()) if (!before.includes(pid)) kill(pid)
      return ![live.ref.pid, ...left].some(lives)
    })
    expect(carriers(`RALPH_RUN=${run}`)).toEqual([])
    const refusal = 'something keeps ending the warden'
    await expect(runner.requireWarden()).rejects.toThrow(refusal)
    await expect(start([], { step: 2 })).rejects.toThrow(refusal)
  })

  test('goes on after it was stopped, when the next process is started', async () => {
    const before = wardensOf()
    const { start } = setScene()
    await (await start([])).exit
    const [warden = 0] = wardensOf().filter(pid => !before.includes(pid))
    const isStopped = () => readText(`/proc/${warden}/stat`).includes(') T ')
    process.kill(warden, 'SIGSTOP')
    await until(isStopped)
    await (await start([], { step: 2 })).exit
    await until(() => !isStopped())
    expect(lives(warden)).toBe(true)
  })

  test('does not keep ralph from leaving', async () => {
    const driver = drive('leave', setScene())
    expect(await once(driver, 'exit')).toEqual([0, null])
  })
})

describe.each(['a grep that knows -z', 'a plain grep'])('the script, with %s', grep => {
  /** Runs the script as its own session with the groups in flight, tells it a word, and lets its input end. */
  async function runScript(
    scene: ReturnType<typeof setScene>,
    value: string,
    groups: string,
    word: '' | 'bye\n' = '',
  ) {
    writeFileSync(scene.path('groups'), groups)
    const list = openSync(scene.path('groups'), 'r')
    const bin = scene.path('bin')
    mkdirSync(bin)
    if (grep === 'a plain grep') {
      const refusing =
        '#!/bin/sh\ncase $1 in *z*) exit 2 ;; esac\nexec /usr/bin/env PATH=/usr/bin:/bin grep "$@"\n'
      writeFileSync(scene.path('bin/grep'), refusing, { mode: 0o755 })
    }
    const shell = spawn('sh', ['-c', WARDEN_SCRIPT, 'ralph-warden', 'RALPH_RUN', value], {
      env: { PATH: `${bin}:/usr/bin:/bin` },
      stdio: ['pipe', 'ignore', 'pipe', list],
      detached: true,
    })
    closeSync(list)
    scene.tidy(shell.pid!)
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      await until(() => ignores(shell.pid!))
      shell.kill(signal)
    }
    shell.stdin!.end(word)
    const [errors] = await Promise.all([text(shell.stderr!), once(shell, 'exit')])
    return { errors, code: shell.exitCode }
  }

  const ignores = (pid: number) => /SigIgn:\t[0-9a-f]*4003\n/.test(readText(`/proc/${pid}/status`))

  function sleeper(
    scene: ReturnType<typeof setScene>,
    env: Record<string, string>,
    script = 'exec sleep 60',
  ): number {
    const { pid } = spawn('sh', ['-c', script], {
      detached: true,
      stdio: 'ignore',
      env: { PATH: '/usr/bin:/bin', ...env },
    })
    scene.tidy(pid!)
    return pid!
  }

  test('ends exactly what carries the mark, what descends from it, and the groups in flight', async () => {
    const scene = setScene()
    const { run, path, numbers } = scene
    const descends = `env -i sh -c 'trap "" TERM; echo $$ >> ${path('pids')}; sleep 60' & wait`
    const tidies = `trap 'echo tidied > ${path('tidied')}; exit' TERM; echo > ${path('ready')}; while :; do sleep 0.02; done`
    const ours = [
      sleeper(scene, { RALPH_RUN: run }, tidies),
      sleeper(scene, { A: 'x\ny', RALPH_RUN: run }),
      sleeper(scene, { RALPH_RUN: run }, descends),
      ...(await numbers('pids')),
    ]
    // Of the second group only members are left that nothing but the group gives away, and their descendants.
    const inFlight = sleeper(scene, {}, 'trap "" TERM; sleep 60')
    const leaving = `(trap "" TERM; setsid sh -c 'echo $$ >> ${path('orphans')}; sleep 60' & sleep 60) &`
    const leader = sleeper(scene, {}, leaving)
    const orphans = await numbers('orphans')
    const landed = sleeper(scene, {})
    const strangers = [
      landed,
      sleeper(scene, { RALPH_RUN: `${run}d` }),
      sleeper(scene, { RALPH_RUN: run.slice(0, -1) }),
      sleeper(scene, { NOT_RALPH_RUN: run }),
      sleeper(scene, { A: `x\nRALPH_RUN=${run}\ny` }),
    ]
    await until(() => readText(path('ready')) !== '')
    // What stands after the first line is left over from a longer list.
    const { errors, code } = await runScript(
      scene,
      run,
      `${leader} ${inFlight} 99999999\n${landed} ${landed}\n`,
    )
    expect([...ours, ...orphans, inFlight].filter(lives)).toEqual([])
    expect(strangers.filter(lives)).toEqual(strangers)
    expect(readText(path('tidied'))).toBe('tidied\n')
    expect([errors, code]).toEqual(['', 0])
  })

  test('ends nothing when it is told goodbye', async () => {
    const scene = setScene()
    const kept = sleeper(scene, { RALPH_RUN: scene.run })
    expect(await runScript(scene, scene.run, `${kept}\n`, 'bye\n')).toEqual({ errors: '', code: 0 })
    expect(lives(kept)).toBe(true)
  })
})

describe('a stream of 200 MB', () => {
  test('does not make ralph grow', async () => {
    const driver = drive('stream', setScene())
    const { bytes, grown } = JSON.parse(await text(driver.stdout))
    expect(bytes).toBe(240_000_000)
    expect(grown).toBeLessThan(150_000_000)
  })
})
