import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import {
  diceOf,
  howAgain,
  KILLS,
  killAway,
  leftovers,
  leftoversLater,
  soon,
  wardensOf,
} from '../support/killing.ts'
import { journalText } from './dying.ts'
import { setStage } from './scene.ts'

type Moment = { from: 'start' | 'record' | 'first line'; ms: number }

/**
 * Early moments matter most: of the process, and of the run once it has a folder; the rest fall anywhere. Some count from
 * the first line of the journal: where a start takes long, no other leaves a run to resume.
 */
function momentOf(round: number): Moment {
  const d = diceOf(round)
  const froms = ['start', 'record', 'start', 'first line'] as const
  return { from: froms[round % 4]!, ms: d.below(round % 4 < 2 ? 50 : 900) }
}

/** Until the run has a folder of its own, or a journal. */
const reaches = {
  start: () => true,
  record: (stage: ReturnType<typeof setStage>) => existsSync(join(stage.ralphHome, 'runs')),
  'first line': (stage: ReturnType<typeof setStage>) => journalText(stage) !== '',
}

describe.skipIf(process.platform !== 'linux')('ralph killed with SIGKILL', () => {
  it(`at ${KILLS} random moments leaves no process a second later, and can be resumed each time`, {
    timeout: KILLS * 10_000,
  }, async () => {
    let resumed = 0
    const play = async (round: number) => {
      const moment = momentOf(round)
      const when = `killed ${moment.ms} ms after its ${moment.from}; ${howAgain}`
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
      await soon(() => reaches[moment.from](stage))
      await delay(moment.ms)
      ralph.kill('SIGKILL')
      const { signal } = await ralph.ended
      expect(await leftoversLater(stage.ralphHome), when).toEqual([])
      if (signal !== 'SIGKILL') return 1
      const again = await stage.spawn('resume')
      // Killed before the run was on record: there is nothing to resume, and a new one starts.
      const { code } = again.stderr.includes('no unfinished run')
        ? await stage.spawn('run', '-p', 'x')
        : again
      expect(code, `${when}: ${again.stderr}`).toBe(0)
      expect(leftovers(stage.ralphHome), when).toEqual([])
      if (again.code === 0) resumed++
      return 1
    }
    await killAway(1, play)
    expect(resumed).toBeGreaterThan(0)
  })

  it('together with its warden leaves what it had started, and the next incarnation ends that first', async () => {
    // A dead one may stay in the table until its new parent looks.
    const meets = '[ -f ../pid ] && grep -qs "^State:.[RSDT]" "/proc/$(cat ../pid)/status" && touch ../met'
    const waits = `${meets}; echo $$ > ../pid; touch ../begun; [ -f ../go ] || exec sleep 60`
    const stage = setStage({ settings: { baseline: false, guardrails: [{ command: waits }] } })
    const has = (name: string) => existsSync(join(stage.root, name))
    const ralph = stage.start('run', '-p', 'x')
    expect(await soon(() => has('begun'))).toBe(true)
    // Stopped first: a warden that is missed is replaced.
    ralph.kill('SIGSTOP')
    for (const pid of wardensOf(ralph.pid)) process.kill(pid, 'SIGKILL')
    ralph.kill('SIGKILL')
    await ralph.ended
    expect(leftovers(stage.ralphHome)).toHaveLength(1)
    writeFileSync(join(stage.root, 'go'), '')
    expect((await stage.spawn('resume')).code).toBe(0)
    expect([has('met'), leftovers(stage.ralphHome)]).toEqual([false, []])
    expect(stage.read('../count')).toBe('.')
  })

  it('together with its warden leaves an agent, and cancelling the run ends that, too', async () => {
    const stage = setStage({ calls: [[['file', 'begun', ''], ['child', { detached: true }], ['hang']]] })
    const ralph = stage.start('run', '-p', 'x')
    expect(await soon(() => existsSync(join(stage.project, 'begun')))).toBe(true)
    ralph.kill('SIGSTOP')
    for (const pid of wardensOf(ralph.pid)) process.kill(pid, 'SIGKILL')
    ralph.kill('SIGKILL')
    await ralph.ended
    expect(leftovers(stage.ralphHome)).not.toEqual([])
    expect((await stage.spawn('cancel')).code).toBe(0)
    expect(leftovers(stage.ralphHome)).toEqual([])
    expect(stage.journal().at(-1)).toMatchObject({ type: 'finished', result: 'cancelled' })
  })
})
