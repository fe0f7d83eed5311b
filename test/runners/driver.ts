/** What stands in for ralph where a test needs a process of its own. Usage: driver JOB RUN [FAKE_AGENT] */
import { writeSync } from 'node:fs'
import { processRef } from '../../src/runners/process/proc.ts'
import { processRunner } from '../../src/runners/process/process.ts'

const [job = '', run = '', agent = ''] = process.argv.slice(2)
const runner = processRunner({ run, graceMs: 100 })
const say = (line: string) => writeSync(1, `${line}\n`)

const start = (acts: [string, ...unknown[]][], id: number, bytes = (_: Uint8Array) => {}) => {
  const env = { PATH: process.env.PATH ?? '', FAKE_AGENT: JSON.stringify(acts) }
  const command = { argv: [process.execPath, agent], cwd: process.cwd(), env, stdin: 'prompt' }
  return runner.start(command, id, { line: () => {}, bytes, error: () => {} })
}

const jobs: Record<string, () => Promise<void>> = {
  /** Iterations for ever, with everything that can be left behind. */
  async loop() {
    for (let id = 1; ; id++) {
      const live = await start(
        [
          ['ignore', 'SIGTERM'],
          ['child', { holds: true }],
          ['child', { detached: true, ignoresTerm: true }],
          ['child', { clean: true, ignoresTerm: true, pid: 'orphan' }],
          ['sleep', 20],
          ['child', { detached: true }],
          ['sleep', Math.random() * 100],
        ],
        id,
      )
      say(String(live.ref.pid))
      await live.exit
      await runner.sweep(id)
    }
  },

  /** One agent that stays, and of another a child that only its group gives away, and one that only its limits do. */
  async hang() {
    const orphans: [string, unknown][] = [
      ['child', { pid: 'orphan', clean: true, ignoresTerm: true }],
      ['child', { pid: 'orphan', clean: true, detached: true, ignoresTerm: true }],
    ]
    await (await start(orphans, 1)).exit
    const live = await start([['ignore', 'SIGTERM'], ['print', 'up'], ['hang']], 2, () => say('up'))
    await live.exit
  },

  /** A long stream; says by how many bytes this process grew. */
  async stream() {
    await (await start([['lines', 1000, 1000]], 1)).exit
    const before = process.memoryUsage.rss()
    let most = before
    let bytes = 0
    const live = await start(
      [
        ['lines', 200_000, 999],
        ['long', 40_000_000],
      ],
      2,
      chunk => {
        bytes += chunk.length
        most = Math.max(most, process.memoryUsage.rss())
      },
    )
    await live.exit
    say(JSON.stringify({ bytes, grown: most - before }))
    await runner.close()
  },

  /** Ends what is left of the run, and tells that it was not itself. */
  async reap() {
    await runner.reap([processRef(process.pid)])
    await runner.reap([processRef(process.ppid)])
    await runner.sweep(1)
    await runner.close()
    say('driver lives')
  },

  /** Nothing is left to do, and nothing was closed: the warden is no reason to stay. */
  async leave() {
    await (await start([], 1)).exit
  },
}

await jobs[job]?.()
