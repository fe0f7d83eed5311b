import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { soon } from '../support/killing.ts'
import { item, plans, says, setBuild } from './build-scene.ts'
import { refusal } from './scene.ts'

const three = [plans(item(1), item(2), item(3))]

async function leftAfterOne() {
  const stage = setBuild({ plan: three })
  await stage.ralph('build', 'x', '-m', '2')
  return stage
}

describe('a build that is resumed', () => {
  it('goes on from its list', async () => {
    const stage = await leftAfterOne()
    const ran = await stage.ralph('build', '--resume', stage.id(), '-m', '9')
    expect([ran.code, stage.names()]).toEqual([0, ['plan', '#1', '#2', '#3']])
  })

  it('with an instruction has it in all later prompts and in progress.txt, and plans nothing anew', async () => {
    const stage = await leftAfterOne()
    const ran = await stage.ralph('build', '--resume', stage.id().slice(-3), 'Use the new API', '-m', '9')
    expect([ran.code, stage.names()]).toEqual([0, ['plan', '#1', '#2', '#3']])
    for (const name of ['#2', '#3'])
      expect(stage.promptOf(name)).toContain('Instruction from the user: Use the new API')
    expect(stage.session('progress.txt')).toMatch(/\n## User instruction \(\S+Z\)\nUse the new API\n/)
  })

  it('while it is at work hears the instruction', async () => {
    const stage = setBuild({
      work: { '#1': [[['file', 'begun', ''], ['await', '../go'], ...says('Made it.')]] },
    })
    const run = stage.start('build', 'x')
    await soon(() => existsSync(join(stage.project, 'begun')))
    expect((await stage.ralph('build', '--resume', stage.id(), 'Be quick')).stdout).toMatch(/^told run/)
    stage.write('../go', '')
    expect((await run.ended).code).toBe(0)
    expect(stage.promptOf('#2')).toContain('Instruction from the user: Be quick')
  })

  it('has every entry of progress.txt once, also the one that a crash cut off', async () => {
    const stage = await leftAfterOne()
    const path = stage.at('progress.txt')
    const whole = readFileSync(path, 'utf8')
    const end = whole.lastIndexOf('\n## End')
    for (const [attempt, cut] of [whole.length, end, end + 9, whole.length - 1].entries()) {
      writeFileSync(path, whole.slice(0, cut))
      expect((await stage.ralph('todo', stage.id(), 'edit', '#3', `Make it ${attempt}`)).code).toBe(0)
      expect((await stage.ralph('tell', stage.id(), `Attempt ${attempt}`)).code).toBe(0)
      // The limit is in the way once more: nothing is worked on, and the log is made whole all the same.
      expect(
        (await stage.ralph('build', '--resume', stage.id(), '--max-time', '0.001s', '-m', '9')).code,
      ).toBe(1)
      const log = readFileSync(path, 'utf8')
      expect(log.startsWith(whole)).toBe(true)
      for (const words of [`Attempt ${attempt}\n`, '## End: exhausted'])
        expect(log.split(words)).toHaveLength(2)
    }
  })

  it.each<[string, (id: string) => string[], RegExp]>([
    ['an unknown run', () => ['zzzz'], /no run "zzzz".*; builds here that can go on: \S+/],
    ['an instruction that is empty', id => [id, ' '], /the instruction is empty/],
    [
      'other rules',
      id => [id, '--refine', 'off'],
      /--refine cannot be used with --resume: a run keeps the rules/,
    ],
    [
      'another agent',
      id => [id, '--', 'true'],
      /-- COMMAND cannot be used with --resume; name another agent with -a/,
    ],
    ['another plan', id => [id, '--plan-only'], /--plan-only cannot be used with --resume/],
    ['a limit that is reached', id => [id], /has used all 2 of its iterations; raise the limit with -m 12/],
  ])('with %s is refused', async (_, args, why) => {
    const stage = await leftAfterOne()
    expect(await stage.ralph('build', '--resume', ...args(stage.id()))).toMatchObject(refusal(why))
    expect(stage.names()).toEqual(['plan', '#1'])
  })

  it('is refused where it is no build, is finished, or belongs to another folder or a newer ralph', async () => {
    const stage = setBuild({ plan: [plans(item(1))] })
    await stage.ralph('run', '-p', 'x', '-m', '1')
    const runId = stage.runs()[0]!.split('/').at(-1)!
    const resumed = async (id: string) => {
      const { code, stderr } = await stage.ralph('build', '--resume', id)
      return [code, stderr]
    }
    expect(await resumed(runId)).toEqual([
      2,
      expect.stringMatching(/run \S+ is not a build; no build here can go on/),
    ])
    await stage.ralph('build', 'x')
    const id = stage
      .runs()
      .find(dir => !dir.endsWith(runId))!
      .split('/')
      .at(-1)!
    expect(await resumed(id)).toEqual([2, expect.stringContaining('is finished; there is nothing to resume')])

    expect(await stage.ralph('build', '--resume', id, '-C', '..')).toMatchObject(
      refusal(/belongs to another folder, \S+project/),
    )

    const journal = join(stage.runs().find(dir => dir.endsWith(id))!, 'journal.ndjson')
    writeFileSync(journal, readFileSync(journal, 'utf8').replace('"v":2', '"v":3'))
    expect(await resumed(id)).toEqual([2, expect.stringMatching(/was made by a newer ralph/)])
  })
})
