import { describe, expect, it } from 'vitest'
import { CannotGoOn } from '../../src/core/ports.ts'
import { whenRoom } from '../../src/core/trouble/no-room.ts'

const failWith = (code: string) => Object.assign(new Error(`spawn sh ${code}`), { code })

/** Fails as often as told, then works; keeps what it slept. */
function setTries(failures: Error[]) {
  const slept: number[] = []
  let tries = 0
  const act = () => {
    const error = failures[tries++]
    if (error) throw error
    return 'started'
  }
  return { slept, tries: () => tries, run: () => whenRoom('sh', async ms => void slept.push(ms), act) }
}

describe('what the system has no room for', () => {
  it.each(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM'])('after %s is tried again a moment later', async code => {
    const wrapped = new Error('cannot start sh', { cause: failWith(code) })
    const { run, slept } = setTries([failWith(code), wrapped])
    expect(await run()).toBe('started')
    expect(slept).toHaveLength(2)
  })

  it('stops the run in the end, with a line that tells why', async () => {
    const { run, tries } = setTries(Array(99).fill(failWith('EAGAIN')))
    const error = await run().catch(error => error)
    expect(error).toBeInstanceOf(CannotGoOn)
    expect(error.message).toBe(
      'cannot start sh: the system allows no more processes; try again once there is room',
    )
    expect(tries()).toBeLessThan(20)
  })

  it('is no reason to try anything else again', async () => {
    const { run, tries } = setTries([failWith('ENOENT')])
    await expect(run()).rejects.toThrow('ENOENT')
    expect(tries()).toBe(1)
  })
})
