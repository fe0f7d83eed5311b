import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { MORE, saying } from '../support/agent-script.ts'
import { hostRalph } from '../support/hosted.ts'
import { ending, setStage } from './scene.ts'

/** A stage, and commands called from a folder below its project. */
function setBelow(options: Parameters<typeof setStage>[0] = {}, folder = 'src/deep') {
  const stage = setStage(options)
  const below = join(stage.project, folder)
  mkdirSync(below, { recursive: true })
  return {
    ...stage,
    below,
    ralphBelow: (...args: string[]) => hostRalph(args, { cwd: below, env: stage.env }),
  }
}

const CHECKED = { guardrails: [{ command: 'test -e README && touch ran' }] }

describe('from a folder of the project', () => {
  it('a run works in the project, with its settings and checks, and its header says where', async () => {
    const stage = setBelow({
      settings: CHECKED,
      calls: [[['file', 'made', ''], saying('<response>DONE</response>')]],
    })
    stage.write('README', '')
    writeFileSync(join(stage.below, 'PROMPT.md'), 'Work.')
    const ran = await stage.ralphBelow('run', '-f', 'PROMPT.md')
    expect(ran).toMatchObject(ending(0, 'done, verified'))
    expect(ran.stdout).toContain(`\n  project  ${stage.project}\n`)
    expect(['made', 'ran', '.ralph/sessions'].map(path => existsSync(join(stage.project, path)))).toEqual([
      true,
      true,
      true,
    ])
    expect(existsSync(join(stage.below, '.ralph'))).toBe(false)
  })

  it.each([
    ['after --', ['--', './agent.sh']],
    ['with --agent', ['-a', './agent.sh']],
  ])('the path of an agent %s is relative to that folder', async (_, words) => {
    const stage = setBelow({})
    const script = '#!/bin/sh\ncat > prompt\necho "<response>DONE</response>"\n'
    writeFileSync(join(stage.below, 'agent.sh'), script, { mode: 0o755 })
    expect((await stage.ralphBelow('run', '-p', 'x', '-m', '1', ...words)).code).toBe(0)
    expect(existsSync(join(stage.project, 'prompt'))).toBe(true)
  })

  it('the path of an agent in the settings is relative to the project', async () => {
    const stage = setBelow({ settings: { agent: { command: './agent.sh' } } })
    const script = '#!/bin/sh\ncat > prompt\necho "<response>DONE</response>"\n'
    writeFileSync(join(stage.project, 'agent.sh'), script, { mode: 0o755 })
    expect((await stage.ralphBelow('run', '-p', 'x', '-m', '1')).code).toBe(0)
  })

  it('so are those of a fallback agent and of the agent of a role', async () => {
    const other = { command: './agent.sh' }
    const stage = setBelow({
      settings: { agent: { command: './broken.sh' }, fallbackAgents: [other], agents: { judge: other } },
    })
    const write = (name: string, script: string) =>
      writeFileSync(join(stage.project, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    write('broken.sh', 'echo "Invalid API key" >&2; exit 1')
    write('agent.sh', 'cat > prompt; echo "<response>DONE</response>"')
    const ran = await stage.ralphBelow('run', '-p', 'x', '-m', '1')
    expect([ran.code, existsSync(join(stage.project, 'prompt'))]).toEqual([0, true])
  })

  it('the path of another agent for a resumed run is relative to that folder', async () => {
    const stage = setBelow({ calls: [[['claude', 'more']]] })
    await stage.ralph('run', '-p', 'x', '-m', '1')
    const script = '#!/bin/sh\ncat > prompt\necho "<response>DONE</response>"\n'
    writeFileSync(join(stage.below, 'agent.sh'), script, { mode: 0o755 })
    expect((await stage.ralphBelow('resume', '-m', '2', '-a', './agent.sh')).code).toBe(0)
    expect(existsSync(join(stage.project, 'prompt'))).toBe(true)
  })

  it('its header does not name the project at its root', async () => {
    const ran = await setStage().ralph('run', '-p', 'x')
    expect([ran.code, ran.stdout]).toEqual([0, expect.not.stringContaining('  project  ')])
  })

  it.each([
    ['status'],
    ['report'],
    ['diff', '--stat'],
    ['resume', '-m', '2'],
    ['tell', 'Hurry.'],
    ['gc', '--keep', '0'],
  ])('%s finds the run that began at its root', async (...words) => {
    const stage = setBelow({
      calls: [[['file', 'made', ''], MORE], [['claude', '<response>DONE</response>']]],
    })
    await stage.ralph('run', '-p', 'x', '-m', '1')
    const ran = await stage.ralphBelow(...words)
    expect([ran.code, ran.stderr]).toEqual([0, ''])
  })

  it('-C . means this folder itself', async () => {
    const stage = setBelow()
    await stage.ralphBelow('run', '-p', 'x', '-C', '.')
    expect(stage.journal()[0]).toMatchObject({ project: stage.below })
  })
})

describe('the project is', () => {
  const projectFrom = async (stage: ReturnType<typeof setBelow>) => {
    const ran = await stage.ralphBelow('run', '-p', 'x', '--dry-run', '--json')
    expect(ran.stderr).toBe('')
    return (JSON.parse(ran.stdout) as { project: string }).project
  }

  it('the nearest folder with a .ralph', async () => {
    const stage = setBelow({ settings: {} })
    mkdirSync(join(stage.project, 'src', '.ralph'))
    expect(await projectFrom(stage)).toBe(join(stage.project, 'src'))
  })

  it('the root of the repository, if there is none', async () => {
    const stage = setBelow()
    expect(await projectFrom(stage)).toBe(stage.project)
  })

  it('not one around the repository', async () => {
    const stage = setBelow({ settings: {} })
    execFileSync('git', ['init', '-q'], { cwd: join(stage.project, 'src') })
    expect(await projectFrom(stage)).toBe(join(stage.project, 'src'))
  })

  it('a folder with a .ralph outside of any repository, too', async () => {
    const stage = setBelow({ settings: {}, git: false })
    expect(await projectFrom(stage)).toBe(stage.project)
  })

  it('not the user’s home, where .ralph is ralph’s own', async () => {
    const stage = setBelow({ git: false })
    const below = join(stage.env.HOME, 'notes')
    mkdirSync(below)
    mkdirSync(stage.ralphHome)
    const ran = await hostRalph(['run', '-p', 'x', '--dry-run', '--json'], { cwd: below, env: stage.env })
    expect(JSON.parse(ran.stdout)).toMatchObject({ project: below })
  })

  it('not beyond a folder that anyone may write to', async () => {
    const stage = setBelow({ settings: {}, git: false })
    chmodSync(join(stage.project, 'src'), 0o1777)
    expect(await projectFrom(stage)).toBe(stage.below)
  })
})
