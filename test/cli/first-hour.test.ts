import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Act } from '../support/agent-script.ts'
import { RALPH } from '../support/ralph.ts'
import { item, plans, setBuild } from './build-scene.ts'
import { setRepository } from './repository.ts'
import { ending, hinted, refusal, setStage, setUntrusted } from './scene.ts'

const MORE: Act[] = [['claude', 'more']]
const DONE: Act[] = [['claude', 'Done. <response>DONE</response>']]

describe('ralph resume with another agent', () => {
  const CODEX: Act[] = [
    [
      'json',
      { type: 'item.completed', item: { id: '1', type: 'agent_message', text: '<response>DONE</response>' } },
      { type: 'turn.completed', usage: { input_tokens: 7, output_tokens: 2 } },
    ],
  ]
  async function stopped(settings: object = {}) {
    const stage = setStage({ settings, calls: [MORE, MORE, DONE] })
    stage.addAgent('codex', [CODEX])
    await stage.ralph('run', '-p', 'x', '--model', 'opus', '-m', '1')
    return stage
  }
  const callsOf = (stage: Awaited<ReturnType<typeof stopped>>, name: string) =>
    stage
      .read(`../${name}.calls`)
      .trim()
      .split('\n')
      .filter(call => !/^(?:exec )?--(?:version|help)/.test(call))

  it('goes on with it, without the model and the flags of the one before', async () => {
    const stage = await stopped({ agent: { flags: ['--max-turns 3'] } })
    expect(await stage.ralph('resume', '-a', 'codex', '--model', 'gpt-6-sol', '-m', '2')).toMatchObject(
      ending(0, 'agent    codex · gpt-6-sol\n'),
    )
    expect(callsOf(stage, 'codex').at(-1)).toMatch(/-m gpt-6-sol -$/)
    expect(callsOf(stage, 'codex').at(-1)).not.toContain('max-turns')
    expect(stage.journal().flatMap(e => (e.type === 'started' ? e.agent : []))).toEqual(['claude', 'codex'])
  })

  it('gives the same agent another model, which it keeps when it is resumed again', async () => {
    const stage = await stopped({ agent: { flags: ['--max-turns 3'] } })
    await stage.ralph('resume', '--model', 'sonnet', '-m', '2')
    expect(await stage.ralph('resume', '-m', '3')).toMatchObject(ending(0, 'agent    claude · sonnet\n'))
    const models = callsOf(stage, 'claude').map(call => /--model (\w+)/.exec(call)?.[1])
    expect(models.filter(Boolean)).toEqual(['opus', 'sonnet', 'sonnet'])
    expect(callsOf(stage, 'claude').at(-1)).toContain('--max-turns 3')
  })

  it.each([
    [['-a', 'nobody'], 'agent "nobody" is not on PATH'],
    [['-a', 'cat', '--model', 'm'], 'ralph does not know how to tell "cat" a model'],
    [['-a', 'codex', '--max-cost', '5'], '--max-cost (budget.usd) cannot be enforced'],
  ])('is refused with %j', async (words, why) => {
    const stage = await stopped()
    expect(await stage.ralph('resume', '-m', '2', ...words)).toMatchObject(refusal(why))
  })
})

describe('a prompt', () => {
  it('comes from standard input with -f -', () => {
    const stage = setStage({ calls: [[['stdin', '../got'], ...DONE]] })
    const pipe = (input: string) =>
      spawnSync(process.execPath, [RALPH, 'run', '-f', '-'], {
        cwd: stage.project,
        env: stage.env,
        input,
        encoding: 'utf8',
      })
    expect(pipe('Work hard.').status).toBe(0)
    expect(stage.read('../got')).toBe(hinted('Work hard.'))
    const empty = pipe(' \n')
    expect([empty.status, empty.stderr]).toEqual([2, 'ralph: error: the prompt on standard input is empty\n'])
  })
})

describe('ralph init stories --name', () => {
  it('makes the branch that its stories name', async () => {
    const stage = setRepository()
    expect(await stage.ralph('init', 'stories', '--name', 'Cart')).toMatchObject(
      ending(0, ', on the branch ralph/cart\n'),
    )
    expect(stage.git('branch', '--show-current')).toBe('ralph/cart')
    expect(JSON.parse(stage.read('ralph/tasks.json'))).toMatchObject({ branchName: 'ralph/cart' })
    expect((await stage.ralph('init', 'stories', '--name', 'cart', '--force')).code).toBe(0)
  })

  it('writes nothing if another branch has the name', async () => {
    const stage = setRepository()
    stage.git('branch', 'ralph/cart')
    const ran = await stage.ralph('init', 'stories', '--name', 'cart')
    expect([ran.code, ran.stderr]).toEqual([
      2,
      'ralph: error: the branch ralph/cart already exists; go to it with: git switch ralph/cart, or choose another --name\n',
    ])
    expect([existsSync(join(stage.project, 'ralph')), stage.git('branch', '--show-current')]).toEqual([
      false,
      'main',
    ])
  })

  it('needs no repository', async () => {
    const ran = await setStage({ git: false }).ralph('init', 'stories', '--name', 'cart')
    expect([ran.code, ran.stdout]).toEqual([0, expect.not.stringContaining('on the branch')])
  })
})

describe('without a run, the latest is meant by', () => {
  async function builds() {
    const stage = setBuild({
      plan: [plans(item(1), item(2), item(3, ['#2']))],
      settings: { guardrails: [{ command: 'true' }] },
    })
    await stage.ralph('build', 'x', '-m', '2')
    return stage
  }

  it('ralph todo, and its tasks need no #', async () => {
    const stage = await builds()
    expect((await stage.ralph('todo')).stdout).toContain('[ ] #2 Make part 2\n')
    expect((await stage.ralph('todo', 'add', 'Write it', '--after', '3')).stdout).toContain(
      '[ ] #4 Write it › blocked by #3\n',
    )
    expect((await stage.ralph('todo', 'done', '2')).stdout).toContain('[x] #2 Make part 2\n')
    expect((await stage.ralph('todo', stage.id(), 'edit', '3', 'Other')).stdout).toContain('[ ] #3 Other')
  })

  it('ralph tell, and its tasks need no #', async () => {
    const stage = await builds()
    const told = async (...words: string[]) => {
      const ran = await stage.ralph('tell', ...words)
      expect([ran.code, ran.stderr]).toEqual([0, ''])
      const event = stage.journal().at(-1)
      return event?.type === 'instructed' ? [event.task, event.text] : event
    }
    expect(await told('Use the new API')).toEqual([undefined, 'Use the new API'])
    expect(await told('Use', 'the', 'new', 'API')).toEqual([undefined, 'Use the new API'])
    expect(await told('2', 'Postgres')).toEqual(['#2', 'Postgres'])
    expect(await told('#2', 'Postgres')).toEqual(['#2', 'Postgres'])
    expect(await told(stage.id().slice(-3), '2', 'Postgres')).toEqual(['#2', 'Postgres'])
    expect(await stage.ralph('tell', '2026-zz9', 'Postgres')).toMatchObject(refusal('no run "2026-zz9"'))
  })

  it('neither where there is none', async () => {
    expect(await setStage().ralph('todo')).toMatchObject(refusal('start one with: ralph build'))
    expect(await setStage().ralph('tell', 'Hurry.')).toMatchObject(refusal('no unfinished run in'))
  })
})

describe('the settings of the machine', () => {
  const writeHome = (home: string, settings: unknown) => {
    mkdirSync(home, { recursive: true })
    writeFileSync(join(home, 'settings.json'), JSON.stringify(settings))
  }
  const dry = async (stage: { ralph: ReturnType<typeof setStage>['ralph'] }, ...words: string[]) =>
    JSON.parse((await stage.ralph('run', '-p', 'x', '--dry-run', '--json', ...words)).stdout)

  it('hold in every project, below its own and below flags', async () => {
    const stage = setStage({ settings: { maximumIterations: 4 } })
    writeHome(stage.ralphHome, { maximumIterations: 3, agent: { model: 'opus' }, completionResponse: 'OK' })
    expect(await dry(stage, '-c', 'SHIPPED')).toMatchObject({
      iterations: 4,
      model: 'opus',
      until: '<response>SHIPPED</response>',
    })
  })

  it('are the user’s own and need no trust', async () => {
    const stage = setUntrusted(undefined)
    writeHome(stage.ralphHome, { guardrails: [{ command: 'true' }] })
    expect(await stage.ralph('run', '-p', 'x')).toMatchObject(ending(0, 'done, verified'))
  })

  it('are named by their path if something is wrong with them', async () => {
    const stage = setStage()
    writeHome(stage.ralphHome, { maximumIteration: 3 })
    const ran = await stage.ralph('run', '-p', 'x')
    expect([ran.code, ran.stderr]).toEqual([
      2,
      `ralph: error: unknown key "maximumIteration" in ${join(stage.ralphHome, 'settings.json')}; did you mean "maximumIterations"?\n`,
    ])
  })
})

it('git itself finds nothing wrong with the branch of a new story loop', async () => {
  const stage = setRepository()
  await stage.ralph('init', 'stories', '--name', 'Über cart!')
  expect(() =>
    execFileSync('git', ['check-ref-format', '--branch', stage.git('branch', '--show-current')]),
  ).not.toThrow()
})
