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
import { journalPath, readJournal } from '../../src/store/journal.ts'
import type { Act } from '../support/agent-script.ts'
import { hostRalph } from '../support/hosted.ts'
import { soon } from '../support/killing.ts'
import { runRalph } from '../support/ralph.ts'
import { setRepository } from './repository.ts'
import { setStage } from './scene.ts'

const MORE: Act[] = [
  ['file', 'made', 'by the run\n'],
  ['claude', 'more'],
]
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
  return {
    place,
    ralph: (...args: string[]) => hostRalph(args, { cwd: place, env: stage.env }),
    from: (cwd: string, ...args: string[]) => hostRalph(args, { cwd, env: stage.env }),
  }
}

describe.each(Object.entries(WAYS))('a project that was %s', (_, way) => {
  /** A run of one iteration, in a repository with a change of the user's. */
  async function setRun(calls: Act[][] = [MORE, DONE], args: string[] = ['-p', 'x']) {
    const stage = setRepository({ calls })
    stage.write('README', 'mine\n')
    expect((await stage.ralph('run', ...args, '-m', '1')).code).toBe(1)
    return stage
  }

  it('is resumed where it is now: by its folder, by the id of the run, and with -C', async () => {
    const stage = await setRun([MORE, MORE, MORE, DONE])
    const { place, ralph, from } = moveProject(stage, way)
    const id = idOf(stage)
    expect((await ralph('resume', '-m', '2')).code).toBe(1)
    expect((await ralph('resume', id, '-m', '3')).code).toBe(1)
    const last = await from(stage.root, 'resume', '-C', 'elsewhere', '-m', '5')
    expect([last.code, last.stderr]).toEqual([0, expect.not.stringContaining('hooks were changed')])
    expect(existsSync(stage.project)).toBe(false)
    expect(readJournal(stage.runs()[0]!).findLast(e => e.type === 'resumed')).toMatchObject({
      project: place,
    })
    expect(readFileSync(join(place, '.ralph', 'sessions', id, 'session.json'), 'utf8')).toContain(place)
  })

  it('is shown, told, diffed and undone, and all agree where it is', async () => {
    const stage = await setRun()
    const { place, ralph, from } = moveProject(stage, way)
    const id = idOf(stage)
    const at = ['-C', 'elsewhere']
    for (const words of [[id, ...at], at])
      expect(JSON.parse((await from(stage.root, 'status', '--json', ...words)).stdout)).toMatchObject({
        id,
        project: place,
        standing: 'finished',
      })
    expect(JSON.parse((await ralph('report', '--json')).stdout)).toMatchObject({ id, project: place })
    expect((await ralph('tell', id, 'Mind the gap.')).code).toBe(0)
    expect((await ralph('doctor')).stdout).toContain(`${id} is unfinished`)
    expect(await runRalph(['diff', '--name-only'], { cwd: place, env: stage.env })).toMatchObject({
      code: 0,
      stdout: 'made\n',
    })
    const undone = await ralph('undo', '--yes')
    expect([undone.code, undone.stderr]).toEqual([0, ''])
    expect(existsSync(join(place, 'made'))).toBe(false)
    expect(readFileSync(join(place, 'README'), 'utf8')).toBe('mine\n')
    expect((await ralph('gc', '--keep', '0')).stdout).toContain('deleting 1 run')
  })

  it('and whose prompt is a file in it goes on with that file', async () => {
    const stage = setRepository({ calls: [MORE, DONE] })
    stage.write('PROMPT.md', 'As it was')
    expect((await stage.ralph('run', '-f', 'PROMPT.md', '-m', '1')).code).toBe(1)
    const { place, ralph } = moveProject(stage, way)
    writeFileSync(join(place, 'PROMPT.md'), 'As it is')
    expect((await ralph('resume', '-m', '2')).code).toBe(0)
    const prompt = join(place, '.ralph', 'sessions', idOf(stage), 'iter-002', 'prompt.txt')
    expect(readFileSync(prompt, 'utf8')).toContain('As it is')
  })

  it('after a crash has its protected files put back where it is now', async () => {
    const stage = setRepository({
      settings: { baseline: false, killGrace: 0.2 },
      calls: [
        [['file', '.ralph/settings.json', '{"maximumIterations": 99}'], ['file', 'up', ''], ['hang']],
        DONE,
      ],
    })
    const before = stage.read('.ralph/settings.json')
    const ralph = stage.start('run', '-p', 'x')
    expect(await soon(() => existsSync(join(stage.project, 'up')))).toBe(true)
    ralph.kill('SIGKILL')
    await ralph.ended
    const moved = moveProject(stage, way)
    expect((await moved.ralph('resume')).code).toBe(0)
    expect(readFileSync(join(moved.place, '.ralph', 'settings.json'), 'utf8')).toBe(before)
    expect(existsSync(stage.project)).toBe(false)
  })
})

describe('a project that is no longer the one of the run', () => {
  it.each<[string, (stage: ReturnType<typeof setRepository>) => void, RegExp]>([
    [
      'because it is gone',
      stage => rmSync(stage.project, { recursive: true }),
      /the project of run \S+ is gone: \S+project; if it was moved, name it with -C\n$/,
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
      /\S+project is not the folder that run \S+ was in, but another at the same path; if that was moved, name it with -C\n$/,
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
    const stage = setRepository({ calls: [MORE, DONE] })
    expect((await stage.ralph('run', '-p', 'x', '-m', '1')).code).toBe(1)
    const count = () => readFileSync(join(stage.root, 'count'), 'utf8')
    change(stage)
    const ran = await hostRalph(['resume', idOf(stage), '-m', '5'], { cwd: stage.root, env: stage.env })
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringMatching(words)])
    expect(ran.stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(count()).toBe('.')
  })

  it('is not taken for it without its id either, and the runs of the old one are not listed', async () => {
    const stage = setStage({ calls: [MORE, DONE] })
    expect((await stage.ralph('run', '-p', 'x', '-m', '1')).code).toBe(1)
    renameSync(stage.project, `${stage.project}-old`)
    mkdirSync(stage.project)
    const at = { cwd: stage.project, env: stage.env }
    const outcome = async (verb: string) => {
      const { code, stderr } = await hostRalph([verb], at)
      return [verb, code, stderr.includes('no run in') || stderr.includes('no unfinished run in')]
    }
    for (const verb of ['resume', 'status', 'report', 'diff', 'undo', 'cancel'])
      expect(await outcome(verb)).toEqual([verb, 2, true])
    const old = { cwd: `${stage.project}-old`, env: stage.env }
    expect((await hostRalph(['status'], old)).stdout).toContain(idOf(stage))
  })

  it('is not one without a repository in which nothing was made yet', async () => {
    const stage = setStage({ git: false, calls: [[['claude', 'more']], DONE] })
    expect((await stage.ralph('run', '-p', 'x', '-m', '1')).code).toBe(1)
    expect(readdirSync(stage.project)).toEqual(['.ralph'])
    const resumed = await stage.ralph('resume', '-m', '2')
    expect(resumed).toMatchObject({ code: 0, stdout: expect.stringContaining('done as claimed') })
  })

  it('is not a copy of it while the project itself is still there', async () => {
    const stage = setStage({ calls: [MORE, DONE] })
    expect((await stage.ralph('run', '-p', 'x', '-m', '1')).code).toBe(1)
    const copy = `${stage.project}-copy`
    cpSync(stage.project, copy, { recursive: true })
    const inCopy = await hostRalph(['resume', '-m', '5'], { cwd: copy, env: stage.env })
    expect([inCopy.code, inCopy.stderr]).toEqual([2, expect.stringContaining('no unfinished run in')])
    expect((await hostRalph(['resume', idOf(stage), '-m', '5'], { cwd: copy, env: stage.env })).code).toBe(0)
    expect(existsSync(journalPath(stage.runs()[0]!))).toBe(true)
    expect(readFileSync(journalPath(stage.runs()[0]!), 'utf8')).not.toContain('project-copy')
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
