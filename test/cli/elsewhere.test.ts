import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readJournal } from '../../src/store/journal.ts'
import type { Act } from '../support/agent-script.ts'
import { hostRalph } from '../support/hosted.ts'
import { soon } from '../support/killing.ts'
import { RALPH } from '../support/ralph.ts'
import { hasTmux, openTerminal } from '../support/terminal.ts'
import { setRepository } from './repository.ts'
import { ending, refusal, setStage } from './scene.ts'

const makes = (file: string): Act[] => [
  ['file', file, 'by the run\n'],
  ['claude', 'more'],
]
const MORE = makes('made')
const DONE: Act[] = [['claude', 'Done. <response>DONE</response>']]

type Stage = { root: string; project: string; env: Record<string, string>; runs(): string[] }

const idOf = (stage: Stage) => stage.runs()[0]!.split('/').at(-1)!

/** Puts the project elsewhere, and gives ralph there. */
const WAYS = {
  'moved on the same disk': renameSync,
  // On another disk every folder is a new one, as in a copy.
  'moved to another disk': (from: string, to: string) => {
    cpSync(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
    rmSync(from, { recursive: true })
  },
}

function moveProject(stage: Stage, way: (from: string, to: string) => void) {
  const place = join(stage.root, 'elsewhere')
  way(stage.project, place)
  return { place, ralph: (...args: string[]) => hostRalph(args, { cwd: place, env: stage.env }) }
}

/** A run of one iteration, in a repository with a change of the user's. */
async function setRun(calls: Act[][] = [MORE, DONE], args: string[] = ['-p', 'x', '--check', 'true']) {
  const stage = setRepository({ calls })
  stage.write('README', 'mine\n')
  expect((await stage.ralph('run', ...args, '-m', '1')).code).toBe(1)
  return stage
}

describe.each(Object.entries(WAYS))('a project that was %s', (_, way) => {
  it('is not looked for: resume says which run it has, and how to continue it', async () => {
    const stage = await setRun()
    const { place, ralph } = moveProject(stage, way)
    const id = idOf(stage)
    const wayOut = `to continue it here: ralph resume ${id} -C .\n`
    const found = await ralph('resume')
    expect([found.code, found.stderr]).toEqual([
      2,
      `ralph: error: no unfinished run in ${place}; run ${id} was in ${stage.project}; ${wayOut}`,
    ])
    expect(await ralph('resume', id)).toMatchObject(
      refusal(/is gone: \S+project; .*: ralph resume \S+ -C DIR\n$/),
    )
    const asked = await ralph('resume', id, '-C', '.')
    expect([asked.code, asked.stderr]).toEqual([
      2,
      `ralph: error: run ${id} was in ${stage.project}; to continue it in ${place}, add --yes\n`,
    ])
    expect(readdirSync(stage.root)).not.toContain('project')
  })

  it('is where the run goes on once it is named, ends verified, and is undone', async () => {
    const stage = await setRun([MORE, makes('second'), makes('third'), DONE])
    const { place, ralph } = moveProject(stage, way)
    const id = idOf(stage)
    expect((await ralph('resume', id, '-C', '.', '--yes', '-m', '2')).code).toBe(1)
    // From then on it is the place of the run.
    expect((await ralph('resume', '-m', '3')).code).toBe(1)
    const last = await hostRalph(['resume', id, '-m', '5'], { cwd: stage.root, env: stage.env })
    expect([last.code, last.stdout, last.stderr]).toEqual([
      0,
      expect.stringContaining('verified'),
      expect.not.stringContaining('hooks were changed'),
    ])
    expect(existsSync(stage.project)).toBe(false)
    expect(readJournal(stage.runs()[0]!).findLast(e => e.type === 'resumed')).toMatchObject({
      project: place,
    })
    expect(readFileSync(join(place, '.ralph', 'sessions', id, 'session.json'), 'utf8')).toContain(place)
    expect(JSON.parse((await ralph('status', '--json')).stdout)).toMatchObject({ id, project: place })
    const undone = await ralph('undo', '--yes')
    expect([undone.code, undone.stderr]).toEqual([0, ''])
    expect(existsSync(join(place, 'made'))).toBe(false)
    expect(readFileSync(join(place, 'README'), 'utf8')).toBe('mine\n')
  })

  it('has the file of the prompt', async () => {
    const stage = setRepository({ calls: [MORE, DONE] })
    stage.write('PROMPT.md', 'As it was')
    expect((await stage.ralph('run', '-f', 'PROMPT.md', '-m', '1')).code).toBe(1)
    const { place, ralph } = moveProject(stage, way)
    writeFileSync(join(place, 'PROMPT.md'), 'As it is')
    expect((await ralph('resume', idOf(stage), '-C', '.', '--yes', '-m', '2')).code).toBe(0)
    const prompt = join(place, '.ralph', 'sessions', idOf(stage), 'iter-002', 'prompt.txt')
    expect(readFileSync(prompt, 'utf8')).toContain('As it is')
  })

  it('keeps what an agent wrote into protected files before ralph was killed', async () => {
    const stage = setRepository({
      calls: [
        [['file', '.ralph/settings.json', '{"maximumIterations": 99}'], ['file', 'up', ''], ['hang']],
        DONE,
      ],
    })
    const ralph = stage.start('run', '-p', 'x')
    expect(await soon(() => existsSync(join(stage.project, 'up')))).toBe(true)
    ralph.kill('SIGKILL')
    await ralph.ended
    const moved = moveProject(stage, way)
    expect((await moved.ralph('resume', idOf(stage), '-C', '.', '--yes')).code).toBe(0)
    expect(readFileSync(join(moved.place, '.ralph', 'settings.json'), 'utf8')).toContain('99')
    expect(existsSync(stage.project)).toBe(false)
  })
})

describe.skipIf(!hasTmux)('at a terminal', () => {
  it.each([
    ['n', 2],
    ['y', 0],
  ])('resume asks before it goes on elsewhere, and obeys: %s', async (key, code) => {
    const stage = await setRun()
    const { place } = moveProject(stage, renameSync)
    const args = [process.execPath, RALPH, 'resume', idOf(stage), '-C', place, '-m', '5']
    const terminal = await openTerminal(args, { cwd: stage.root, env: stage.env })
    await terminal.waitFor('Continue it in')
    await terminal.press(key)
    expect((await terminal.ended()).code).toBe(code)
  })
})

describe('a project that is no longer the one of the run', () => {
  it.each<[string, (stage: ReturnType<typeof setRepository>) => void, RegExp]>([
    [
      'because it is gone',
      stage => rmSync(stage.project, { recursive: true }),
      /the project of run \S+ is gone: \S+project; put it back, or continue elsewhere with: ralph resume \S+ -C DIR\n$/,
    ],
    [
      'because it was emptied',
      stage => {
        rmSync(join(stage.project, '.git'), { recursive: true })
        rmSync(join(stage.project, '.ralph'), { recursive: true })
        rmSync(join(stage.project, 'README'))
        rmSync(join(stage.project, 'made'))
      },
      /the project of run \S+ is gone: \S+project is empty\n$/,
    ],
    [
      'because a clone is in its place',
      stage => {
        renameSync(stage.project, `${stage.project}-old`)
        execFileSync('git', ['clone', '-q', `${stage.project}-old`, stage.project])
      },
      /\S+project is not the folder that run \S+ was in, but another at the same path; put it back, or continue elsewhere with: ralph resume \S+ -C DIR\n$/,
    ],
    [
      'because its repository was made anew',
      stage => {
        rmSync(join(stage.project, '.git'), { recursive: true })
        stage.git('init', '-q')
      },
      /\S+project does not have the repository that run \S+ was in; put it back, or start a new run\n$/,
    ],
  ])('%s is not resumed, and nothing is made', async (_, change, words) => {
    const stage = await setRun()
    const count = () => readFileSync(join(stage.root, 'count'), 'utf8')
    change(stage)
    const ran = await hostRalph(['resume', idOf(stage), '-m', '5'], { cwd: stage.root, env: stage.env })
    expect(ran).toMatchObject(refusal(words))
    expect(ran.stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(count()).toBe('.')
  })

  it('is not taken for it without its id either, and its runs are not listed', async () => {
    const stage = setStage({ calls: [MORE, DONE] })
    expect((await stage.ralph('run', '-p', 'x', '-m', '1')).code).toBe(1)
    renameSync(stage.project, `${stage.project}-old`)
    mkdirSync(join(stage.project, '.ralph', 'sessions', idOf(stage)), { recursive: true })
    const at = { cwd: stage.project, env: stage.env }
    const outcome = async (verb: string) => {
      const { code, stderr } = await hostRalph([verb], at)
      return [verb, code, stderr.includes('no run in') || stderr.includes('no unfinished run in')]
    }
    for (const verb of ['resume', 'status', 'report', 'diff', 'undo', 'cancel'])
      expect(await outcome(verb)).toEqual([verb, 2, true])
  })

  it('is not one without a repository in which nothing was made yet', async () => {
    const stage = setStage({ git: false, calls: [[['claude', 'more']], DONE] })
    expect((await stage.ralph('run', '-p', 'x', '-m', '1')).code).toBe(1)
    expect(readdirSync(stage.project)).toEqual(['.ralph'])
    const resumed = await stage.ralph('resume', '-m', '2')
    expect(resumed).toMatchObject({ code: 0, stdout: expect.stringContaining('done as claimed') })
  })
})

describe('a folder that resume names with -C', () => {
  it.each<[string, (stage: Stage, folder: string) => string | void]>([
    ['has another repository', (_, folder) => void execFileSync('git', ['init', '-q', folder])],
    ['has no repository', () => {}],
    [
      'is below the place that the project has in the same repository',
      ({ project }, folder) => {
        rmSync(folder, { recursive: true })
        cpSync(project, folder, { recursive: true })
        mkdirSync(join(folder, 'sub'))
        return join(folder, 'sub')
      },
    ],
  ])('is refused if it %s', async (_, make) => {
    const stage = await setRun()
    const folder = join(stage.root, 'other')
    mkdirSync(folder)
    const place = make(stage, folder) ?? folder
    expect(await stage.ralph('resume', idOf(stage), '-C', place, '--yes')).toMatchObject(
      refusal(/^ralph: error: \S+ does not have the repository that run \S+ was in\n$/),
    )
    expect(readFileSync(join(stage.root, 'count'), 'utf8')).toBe('.')
  })

  it('may be a clone in the place of the project', async () => {
    const stage = await setRun()
    renameSync(stage.project, `${stage.project}-old`)
    execFileSync('git', ['clone', '-q', `${stage.project}-old`, stage.project])
    expect(
      await hostRalph(['resume', idOf(stage), '-C', stage.project, '--yes', '-m', '5'], {
        cwd: stage.root,
        env: stage.env,
      }),
    ).toMatchObject(ending(0, 'verified'))
  })
})

it('a project whose .ralph is a file has no run, whatever runs there are elsewhere', async () => {
  const stage = setStage({ calls: DONE.map(act => [act]) })
  await stage.ralph('run', '-p', 'x')
  const place = join(stage.root, 'elsewhere')
  mkdirSync(place)
  writeFileSync(join(place, '.ralph'), '')
  const ran = await hostRalph(['status'], { cwd: place, env: stage.env })
  expect([ran.code, ran.stderr]).toEqual([2, `ralph: error: no run in ${place}; start one with: ralph run\n`])
})
