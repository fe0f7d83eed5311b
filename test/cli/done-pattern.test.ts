import { describe, expect, it } from 'vitest'
import { saying } from '../support/agent-script.ts'
import { eventsOf, refusal, setStage } from './scene.ts'

const says = (text: string) => ({
  type: 'assistant',
  message: { role: 'assistant', content: [{ type: 'text', text }] },
})

describe('a done pattern', () => {
  it('in the middle of the work counts once the agent has finished and its checks are green', async () => {
    const stage = setStage({
      calls: [
        [['json', says('All tasks complete, I will just look once more.')], saying('Nothing else.')],
        [['file', 'green', ''], ['json', says('All tasks complete')], saying('Good night.')],
      ],
    })
    const ran = await stage.ralph(
      'run',
      '-p',
      'x',
      '-m',
      '4',
      '--done-pattern',
      'tasks complete',
      '--check',
      'test -e green',
      '--json',
    )
    expect(ran.code).toBe(0)
    const settled = eventsOf(ran).filter(e => e.type === 'settled') as { move?: string }[]
    expect(settled.map(e => e.move)).toEqual(['fail', 'pass'])
  })

  it('that matches the prompt is warned of, and one that is too slow starts nothing', async () => {
    const stage = setStage()
    const words = ['run', '-p', 'say ALL DONE\nat the end', '-m', '1', '--done-pattern', 'ALL DONE']
    const ran = await stage.ralph(...words)
    expect(ran.stderr + ran.stdout).toContain('--done-pattern matches the prompt itself')
    expect(await stage.ralph('run', '-p', 'x', '--done-pattern', '(a+)+$')).toMatchObject(
      refusal('takes too long on some texts'),
    )
  })
})
