import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { setStage } from './scene.ts'

const ROUNDS = Number(process.env.RALPH_KILLS ?? 60)

/** Everything that carries this run's home in its environment: ralph itself, agents, checks and their children. */
function leftovers(home: string): string[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter(pid => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`RALPH_HOME=${home}`)
      } catch {
        return false
      }
    })
    .map(pid => `${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`)
}

type Moment = { from: 'start' | 'record'; ms: number }

/** Early moments matter most: of the process, and of the run once it is on record; the rest fall anywhere. */
const moments: Moment[] = Array.from({ length: ROUNDS }, (_, i) => {
  if (i % 3 === 2) return { from: 'start', ms: Math.round(Math.random() * 900) }
  return { from: i % 3 === 0 ? 'start' : 'record', ms: Math.round(Math.random() * 50) }
})

/** Until the run has a folder of its own, or ralph is gone. */
async function onRecord(stage: ReturnType<typeof setStage>): Promise<void> {
  for (let i = 0; i < 1000 && !existsSync(join(stage.ralphHome, 'runs')); i++) await delay(2)
}

describe.skipIf(process.platform !== 'linux')('ralph killed with SIGKILL', () => {
  it(`at ${ROUNDS} random moments leaves no process a second later, and can be resumed each time`, {
    timeout: ROUNDS * 10_000,
  }, async () => {
    const width = 4
    const round = async (moment: Moment) => {
      const stage = setStage({
        settings: { guardrails: [{ command: 'sleep 0.1' }] },
        calls: [
          [
            ['child', { detached: true, ignoresTerm: true }],
            ['child', { holds: true }],
            ['sleep', 300],
            ['claude', 'more'],
          ],
          [['claude', 'Done. <response>DONE</response>']],
        ],
      })
      const ralph = stage.start('run', '-p', 'x')
      if (moment.from === 'record') await onRecord(stage)
      await delay(moment.ms)
      ralph.kill('SIGKILL')
      const { signal } = await ralph.ended
      await delay(1000)
      expect(leftovers(stage.ralphHome), `killed ${moment.ms} ms after its ${moment.from}`).toEqual([])
      if (signal !== 'SIGKILL') return 'over before'
      const resumed = await stage.ralph('resume')
      // Killed before the run was on record: there is nothing to resume, and a new one starts.
      const { code } = resumed.stderr.includes('no unfinished run')
        ? await stage.ralph('run', '-p', 'x')
        : resumed
      expect(code, `killed ${moment.ms} ms after its ${moment.from}: ${resumed.stderr}`).toBe(0)
      expect(leftovers(stage.ralphHome)).toEqual([])
      return resumed.code === 0 ? 'resumed' : 'started anew'
    }
    const waiting = [...moments]
    const ends: string[] = []
    const worker = async () => {
      for (let moment = waiting.pop(); moment !== undefined; moment = waiting.pop())
        ends.push(await round(moment))
    }
    await Promise.all(Array.from({ length: width }, worker))
    expect(ends).toHaveLength(ROUNDS)
    expect(ends).toContain('resumed')
  })
})
