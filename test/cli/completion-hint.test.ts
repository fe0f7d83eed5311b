import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Answer, MORE } from '../support/agent-script.ts'
import { ending, hinted, setStage } from './scene.ts'

const TAG = '<response>DONE</response>'
const SENTENCE = /When everything asked for is done/
const GREEN = { guardrails: [{ command: 'true' }] }

/** It says that it is done, but only in words that it was told. */
const OBEDIENT: Answer[] = [
  ['told', TAG, [['claude', `All tests pass. ${TAG}`]]],
  ['untold', '', [['claude', 'All tests pass.']]],
]

describe('the command of the README', () => {
  const run = (settings: object, ...words: string[]) =>
    setStage({ settings, answers: OBEDIENT }).ralph('run', '-p', 'Make the tests pass', ...words)

  it('is done, verified, with an agent that says so in no words but those it was told', async () => {
    const readme = readFileSync(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8')
    expect(readme).toContain('\nralph run -p "Make the tests pass" ')
    expect(await run(GREEN)).toMatchObject(ending(0, 'done, verified  1 iteration '))
  })

  it('uses up its iterations where the agent is told nothing', async () => {
    expect(await run({ ...GREEN, completionHint: false, maximumIterations: 2 }, '-c', 'DONE')).toMatchObject(
      ending(1, 'all 2 iterations are used'),
    )
  })
})

describe('on a dry run, the sentence', () => {
  const shown = async (settings: object, ...words: string[]) => {
    const stage = setStage({ settings })
    const text = await stage.ralph('run', '--dry-run', ...words)
    const json = await stage.ralph('run', '--dry-run', '--json', ...words)
    expect([text.code, text.stderr, json.code]).toEqual([0, '', 0])
    const { prompt } = JSON.parse(json.stdout) as { prompt: string }
    expect(text.stdout).toMatch(/\nprompt\n/)
    expect(text.stdout.split('\nprompt\n')[1]).toBe(`${prompt}\n`)
    return prompt
  }

  it('is shown as the agent will get it', async () => {
    expect(await shown(GREEN, '-p', 'Work.')).toBe(hinted('Work.', { checks: true }))
  })

  it('stands at the end of a prompt that begins with its count', async () => {
    expect(await shown({ includeIterationCountInPrompt: true }, '-p', 'Work.', '-m', '3')).toBe(
      hinted('Iteration 1 of 3, 2 remaining.\n\nWork.'),
    )
  })

  it('names the completion response that was asked for', async () => {
    expect(await shown({}, '-p', 'Work.', '-c', 'SHIPPED')).toMatch(/<response>SHIPPED<\/response>\.$/)
  })

  it.each<[string, object, string[]]>([
    ['no condition', {}, ['-c', '']],
    ['a done pattern', {}, ['--done-pattern', 'all done']],
    ['a done pattern and no response', {}, ['-c', '', '--done-pattern', 'all done']],
    ['a done pattern and a response', {}, ['-c', 'SHIPPED', '--done-pattern', 'all done']],
    ['completionHint false', { completionHint: false }, []],
  ])('is not there with %s', async (_, settings, words) => {
    expect(await shown({ ...GREEN, ...settings }, '-p', 'Work.', ...words)).toBe('Work.')
  })

  it('is not there where the prompt speaks of the tag', async () => {
    const prompt = `Work. Say <RESPONSE>done</RESPONSE>.`
    expect(await shown(GREEN, '-p', prompt)).toBe(prompt)
  })
})

describe('in a run, the sentence', () => {
  it('comes and goes with what the prompt file says', async () => {
    const own = `Work, then say ${TAG}.`
    const stage = setStage({
      calls: [
        [['stdin', '../got.1'], ['file', 'PROMPT.md', own], MORE],
        [['stdin', '../got.2'], ['file', 'PROMPT.md', 'Work.'], MORE],
        [['stdin', '../got.3'], MORE],
      ],
    })
    stage.write('PROMPT.md', 'Work.')
    await stage.ralph('run', '-f', 'PROMPT.md', '-m', '3')
    expect([1, 2, 3].map(n => stage.read(`../got.${n}`))).toEqual([hinted('Work.'), own, hinted('Work.')])
  })

  it('is not there while a red guardrail replaces the prompt', async () => {
    const command = `echo '${TAG}'; exit 3`
    const stage = setStage({
      settings: { baseline: false, guardrails: [{ command, failAction: 'REPLACE' }] },
      calls: [
        [['stdin', '../got.1'], MORE],
        [['stdin', '../got.2'], MORE],
      ],
    })
    await stage.ralph('run', '-p', 'Work.', '-m', '2')
    expect(stage.read('../got.1').split('\n\n').at(-1)).toMatch(SENTENCE)
    expect(stage.read('../got.2')).toMatch(/^Guardrail "echo/)
    expect(stage.read('../got.2')).not.toMatch(SENTENCE)
  })

  it.each([
    ['is no claim of a command that prints its prompt', 'cat', 1],
    ['does not hide the claim that follows it', `cat; echo '${TAG}'`, 0],
  ])('%s', async (_, command, code) => {
    const stage = setStage({ settings: GREEN })
    const ran = await stage.ralph('run', '-p', 'Work.', '-m', '1', '--', 'sh', '-c', command)
    expect([ran.code, stage.session('iter-001/stream.ndjson')]).toEqual([
      code,
      expect.stringMatching(SENTENCE),
    ])
  })

  it('keeps to the setting that the run began with', async () => {
    const stage = setStage({
      settings: { completionHint: false },
      calls: [[MORE], [['stdin', '../got'], MORE]],
    })
    await stage.ralph('run', '-p', 'Work.', '-m', '1')
    stage.write('.ralph/settings.json', '{ "completionHint": true }')
    expect((await stage.ralph('resume', '-m', '2')).code).toBe(1)
    expect(stage.read('../got')).toBe('Work.')
  })

  it('is there in a run that began when there was no such setting', async () => {
    const stage = setStage({
      calls: [
        [MORE],
        [
          ['stdin', '../got'],
          ['claude', TAG],
        ],
      ],
    })
    await stage.ralph('run', '-p', 'Work.', '-m', '1')
    const journal = join(stage.runs()[0]!, 'journal.ndjson')
    const text = readFileSync(journal, 'utf8')
    expect(text).toContain('"completionHint":true,')
    writeFileSync(journal, text.replace('"completionHint":true,', ''))
    expect((await stage.ralph('resume', '-m', '2')).code).toBe(0)
    expect(stage.read('../got').split('\n\n').at(-1)).toMatch(SENTENCE)
  })
})
