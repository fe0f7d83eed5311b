import { describe, expect, it } from 'vitest'
import { ending, eventsOf, hinted, refusal, setStage } from './scene.ts'

describe('options', () => {
  it.each([
    ['-m', '3'],
    ['--max-iterations', '3'],
    ['--maximum-iterations', '3'],
    ['-n', '3'],
  ])('%s is the limit of iterations', async (...words) => {
    const stage = setStage({ settings: { maximumIterations: 7 } })
    expect(await stage.ralph('run', '-p', 'x', '--dry-run', ...words)).toMatchObject(
      ending(0, '3 iterations'),
    )
  })

  it.each(['--prompt', '-p'])('%s gives the prompt', async option => {
    const ran = await setStage().ralph('run', option, 'The words.', '--json')
    expect(eventsOf(ran).find(e => e.type === 'prompted')).toMatchObject({ text: hinted('The words.') })
  })

  it.each(['--prompt-file', '-f'])('%s names the file with it, which may be empty', async option => {
    const stage = setStage()
    stage.write('EMPTY.md', '')
    const ran = await stage.ralph('run', option, 'EMPTY.md', '--json')
    expect(ran.code).toBe(0)
    const why = 'prompt file EMPTY.md is empty; it is read again for every iteration'
    expect(eventsOf(ran).find(e => e.type === 'warned' && e.note === why)).toBeDefined()
    expect(eventsOf(ran).find(e => e.type === 'prompted')).toMatchObject({ text: hinted('') })
  })

  it('none of them moves the settings file', async () => {
    const stage = setStage({ settings: { maximumIterations: 7 } })
    stage.write('other.json', '{ "maximumIterations": 3 }')
    for (const option of ['--settings', '--config']) {
      expect(await stage.ralph('run', '-p', 'x', option, 'other.json')).toMatchObject(
        refusal(`unknown option '${option}'`),
      )
    }
    expect((await stage.ralph('run', '-p', 'x', '--dry-run')).stdout).toContain('7 iterations')
  })
})

describe('settings', () => {
  it('with every key of the first format are taken whole', async () => {
    const stage = setStage({
      settings: {
        maximumIterations: 10,
        completionResponse: 'DONE',
        outputTruncateChars: 5000,
        streamAgentOutput: true,
        includeIterationCountInPrompt: false,
        agent: { command: 'claude', flags: ['--model opus', '--no-auto-compact'] },
        guardrails: [
          {
            command: 'make lint',
            failAction: 'APPEND',
            hint: 'Fix lint errors only. Do not change behavior.',
          },
          { command: 'make test', failAction: 'APPEND' },
        ],
        scm: { command: 'git', tasks: ['commit', 'push'] },
      },
    })
    const ran = await stage.ralph('run', '-p', 'x', '--dry-run')
    expect([ran.code, ran.stderr]).toEqual([0, ''])
    expect(ran.stdout).toMatch(/claude -p .* --model opus --no-auto-compact$/m)
    expect(ran.stdout).toContain('make lint · make test')
  })

  it('are not needed', async () => {
    expect(await setStage().ralph('run', '-p', 'x', '--dry-run')).toMatchObject(ending(0, '10 iterations'))
  })

  it.each([
    [{ failAction: 'ADD' }, 'guardrails[0].failAction must be "APPEND", "PREPEND" or "REPLACE", not "ADD"'],
    [{ failAction: 3 }, 'guardrails[0].failAction must be "APPEND", "PREPEND" or "REPLACE", not 3'],
  ])('with a guardrail of %j are refused', async (more, words) => {
    const stage = setStage({ settings: { guardrails: [{ command: 'true', ...more }] } })
    expect(await stage.ralph('run', '-p', 'x')).toMatchObject(refusal(words))
  })
})
