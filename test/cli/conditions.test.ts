import { describe, expect, it } from 'vitest'
import { type Act, DONE, MORE, saying } from '../support/agent-script.ts'
import { ending, refusal, setStage, setUntrusted } from './scene.ts'

const IDLE: Act[] = [['claude', 'Everything is in order.']]
const GREEN = { guardrails: [{ command: 'true' }] }
const NOTHING_MORE = 'done, verified: the agent found nothing more to do  2 iterations'

describe('an agent that changes nothing and leaves the checks green, twice in a row', () => {
  const run = (settings: object, ...words: string[]) =>
    setStage({ settings, calls: [IDLE] }).ralph('run', '-p', 'Make the tests pass', '-m', '3', ...words)

  it('is done, and the run says so', async () => {
    const ran = await run(GREEN)
    expect(ran).toMatchObject(ending(0, NOTHING_MORE))
    expect(ran.stdout).toContain(
      'until    <response>DONE</response> or 2 iterations in a row that change nothing\n',
    )
  })

  it.each<[string, object, string[]]>([
    ['without checks', {}, []],
    ['with -c', GREEN, ['-c', 'DONE']],
    ['with --done-pattern', GREEN, ['--done-pattern', 'shipped']],
  ])('is not done %s', async (_, settings, words) => {
    expect(await run(settings, '-m', '2', ...words)).toMatchObject(ending(1, 'all 2 iterations are used'))
  })

  it('uses its iterations where there is no condition', async () => {
    expect(await run(GREEN, '-c', '')).toMatchObject(ending(0, 'all 3 iterations are used'))
  })

  it('is not done if it changes something in between', async () => {
    const stage = setStage({
      settings: GREEN,
      calls: [IDLE, [['file', 'a.txt', 'a'], MORE], IDLE],
    })
    expect(await stage.ralph('run', '-p', 'Work.', '-m', '5')).toMatchObject(
      ending(0, 'the agent found nothing more to do  4 iterations'),
    )
  })
})

describe('--check', () => {
  const check = 'test -e made'
  const calls: Act[][] = [
    [['claude', 'Done. <response>DONE</response>']],
    [['stdin', '../got'], ['file', 'made', ''], DONE],
  ]

  it('verifies with the settings’ guardrails, in a project that nobody has trusted', async () => {
    const stage = setUntrusted(undefined)
    const words = ['run', '-p', 'Work.', '--check', 'true', '--check', check, '-m', '1']
    const ran = await stage.ralph(...words)
    expect(ran).toMatchObject(ending(1, `checks   true · ${check}\n`))
    expect(ran.stdout).toContain(`✗ ${check} failed with exit code 1`)
  })

  it('shapes the next prompt, and the run is verified once it is green', async () => {
    const stage = setStage({ calls })
    expect(await stage.ralph('run', '-p', 'Work.', '--check', check)).toMatchObject(
      ending(0, 'done, verified  2 iterations'),
    )
    expect(stage.read('../got')).toContain(`Guardrail "${check}" failed`)
  })

  it('comes after the guardrails, and not twice', async () => {
    const settings = { guardrails: [{ command: 'true', timeout: 7 }] }
    const stage = setStage({ settings })
    await stage.ralph('run', '-p', 'Work.', '--check', 'true', '--check', 'echo', '--check', 'echo')
    const [began] = stage.journal()
    expect(began).toMatchObject({
      pins: {
        settings: {
          guardrails: [
            { command: 'true', timeout: 7 },
            { command: 'echo', timeout: 900, failAction: 'APPEND' },
          ],
        },
      },
    })
  })

  it('is kept by a run that is resumed', async () => {
    const stage = setStage({ calls })
    await stage.ralph('run', '-p', 'Work.', '--check', check, '-m', '1')
    expect(await stage.ralph('resume', '-m', '2')).toMatchObject(ending(0, 'done, verified'))
  })

  it('is an option of every workflow', async () => {
    for (const words of [['build', 'A goal'], ['stories']]) {
      const stage = setStage()
      stage.write('TODO.md', '')
      expect(await stage.ralph(...words, '--check', ' ')).toMatchObject(
        refusal('--check is empty; give a command'),
      )
    }
    expect(await setStage().ralph('run', '-p', 'x', '--check', 'npm\u200b test')).toMatchObject(
      refusal('--check must be text without invisible characters (U+200B at character 4)'),
    )
  })
})

describe('--until-green', () => {
  it('is done when the checks are, whatever the agent says', async () => {
    const stage = setStage({
      settings: { guardrails: [{ command: 'test -e made' }] },
      calls: [
        [['stdin', '../got'], ...IDLE],
        [['file', 'made', ''], saying('not done')],
      ],
    })
    const ran = await stage.ralph('run', '-p', 'Work.', '--until-green')
    expect(ran).toMatchObject(ending(0, 'done, verified  2 iterations'))
    expect(ran.stdout).toContain('until    green checks\n')
    expect(stage.read('../got')).toBe('Work.')
  })

  it('ends without having been reached as any other condition', async () => {
    const stage = setStage({ settings: { guardrails: [{ command: 'false' }] }, calls: [IDLE] })
    expect(await stage.ralph('run', '-p', 'Work.', '--until-green', '-m', '2')).toMatchObject(
      ending(1, 'all 2 iterations are used'),
    )
  })

  it.each([
    [[], '--until-green needs a check; add one with --check "npm test", or with: ralph init'],
    [
      ['--check', 'true', '-c', 'DONE'],
      '--until-green is a condition of its own; leave out -c and --done-pattern',
    ],
  ])('is refused with %j', async (words, why) => {
    const ran = await setStage().ralph('run', '-p', 'Work.', '--until-green', ...words)
    expect([ran.code, ran.stderr]).toEqual([2, `ralph: error: ${why}\n`])
  })
})
