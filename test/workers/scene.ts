import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { isAlive, processes } from '../../src/runners/process/proc.ts'
import { allWorkers, readWorker } from '../../src/runs/worker-record.ts'
import type { WorkerState } from '../../src/workers/rules/state.ts'
import { setStage } from '../cli/scene.ts'
import { type Act, saying } from '../support/agent-script.ts'
import { until } from '../support/until.ts'

export const SPAWN = ['spawn', '--name', 'agent', '-f', 'PROMPT.md']

/** An agent that waits until it may go on, then says this. */
export const waits = (said = 'ok'): Act[] => [
  ['await', '../go'],
  ['claude', said],
]

/** Agents that note their processes; the first one waits. */
export const HELD: Act[][] = [
  [['pid', '../agent.pid'], ...waits()],
  [['pid', '../agent.pid'], saying('ok')],
]

const POLL_MS = 25

/** A project, a home and a tmux server of the test's own. Everything that was started is ended with the test. */
export function setWorkers(options: Parameters<typeof setStage>[0] = {}) {
  const stage = setStage(options)
  const { ralphHome: home } = stage
  stage.write('PROMPT.md', 'Do task A\n')
  const tmux = (...words: string[]) =>
    execFileSync('tmux', ['-S', join(home, 'tmux.sock'), ...words], { encoding: 'utf8', stdio: 'pipe' })
  onTestFinished(async () => {
    for (const { supervisor } of allWorkers(home))
      for (
        let tries = 0;
        supervisor && supervisor.pid !== process.pid && isAlive(supervisor) && tries < 200;
        tries++
      ) {
        process.kill(supervisor.pid, 'SIGKILL')
        await delay(POLL_MS)
      }
    try {
      tmux('kill-server')
    } catch {
      // It was not started, or is gone already.
    }
  })
  const file = (name: string, path: string) => join(home, 'workers', name, path)
  const readFile = (name: string, path: string) =>
    existsSync(file(name, path)) ? readFileSync(file(name, path), 'utf8') : ''
  return {
    ...stage,
    home,
    tmux,
    file,
    readFile,
    state: (name: string): WorkerState => JSON.parse(readFile(name, 'state.json')),
    record: (name: string) => readWorker(home, name)!,
    /** Lets an agent go on that waits for this file. */
    go: (name: string) => writeFileSync(join(stage.root, name), ''),
    /** The processes of the agents that noted theirs, in the order of their calls. */
    agentPids: (): number[] =>
      existsSync(join(stage.root, 'agent.pid'))
        ? readFileSync(join(stage.root, 'agent.pid'), 'utf8').trim().split('\n').map(Number)
        : [],
    /** Waits until the log of the loop has this. */
    logged: (name: string, what: string) =>
      until(() => readFile(name, 'view.log').includes(what), `"${what}" in the log of ${name}`),
    ended: (name: string) => stage.ralph('wait', name),
    windows: () => tmux('list-windows', '-t', '=ralph', '-F', '#{window_name}').trim().split('\n'),
  }
}

/** Keeps tmux from answering, and so a worker in its start, until the function that it gives is called. */
export function heldTmux(scene: Pick<ReturnType<typeof setStage>, 'bin' | 'root'>): () => void {
  const go = join(scene.root, 'tmux.go')
  const slow = `#!/bin/sh\nuntil [ -e ${go} ]; do sleep 0.02; done\nPATH=${process.env.PATH} exec tmux "$@"\n`
  writeFileSync(join(scene.bin, 'tmux'), slow, { mode: 0o755 })
  const letGo = () => writeFileSync(go, '')
  onTestFinished(letGo)
  return letGo
}

/** A process and all that it has started. */
export function familyOf(pid: number): number[] {
  const all = processes.list()
  const below = (parent: number): number[] =>
    all.filter(({ ppid }) => ppid === parent).flatMap(child => [child.pid, ...below(child.pid)])
  return [pid, ...below(pid)]
}

/** One of them may have ended before, or because of another. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids)
    try {
      process.kill(pid, signal)
    } catch {}
}
