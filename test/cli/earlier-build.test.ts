import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { setStage } from './scene.ts'

const ID = '20260301-221530-k3f'

/** A project whose only run was written before names on disk changed, as a run of a terminal or of a worker. */
function setEarlier(worker?: string) {
  const stage = setStage()
  const dir = join(stage.ralphHome, 'runs', ID)
  mkdirSync(dir, { recursive: true })
  const events = [
    {
      ...{ type: 'began', at: Date.now(), v: 1, id: ID, project: stage.project, workflow: 'prompt' },
      ...{ limits: {}, tasks: [{ id: 'prompt', title: 'the prompt', blockedBy: [] }], pins: {} },
    },
    { type: 'started', at: Date.now(), id: 1, task: 'prompt', stage: 'work', agent: 'claude', n: 1 },
    { type: 'told', at: Date.now(), text: 'Use the new API' },
  ]
  const journal = join(dir, 'journal.ndjson')
  writeFileSync(journal, events.map(event => `${JSON.stringify(event)}\n`).join(''))
  if (worker !== undefined) {
    const folder = join(stage.ralphHome, 'workers', worker)
    mkdirSync(folder, { recursive: true })
    const record = {
      ...{
        v: 1,
        name: worker,
        run: ID,
        project: stage.project,
        command: 'run',
        window: null,
        watched: 'stream',
      },
      ...{ supervisor: null, starter: { pid: 1, startTime: '1', host: 'gone' }, deadline: 0, spawned: 1 },
    }
    writeFileSync(join(folder, 'worker.json'), JSON.stringify(record))
  }
  const line = `ralph: error: run ${ID} was written by an earlier build of ralph and cannot be resumed; its files are in ${dir}\n`
  return { ...stage, dir, line, text: readFileSync(journal, 'utf8'), journal }
}

describe('a run of an earlier build', () => {
  it.each([
    [['resume', ID]],
    [['resume', 'k3f']],
    [['status', ID]],
    [['status']],
    [['report', ID, '--json']],
    [['report']],
    [['diff', ID]],
    [['diff']],
    [['undo', ID, '--yes']],
    [['undo', '--yes']],
    [['watch', ID]],
    [['pause', ID]],
    [['cancel', ID]],
    [['tell', ID, 'Stop']],
    [['todo', ID]],
    [['set', ID, 'max-iterations=5']],
    [['approve', ID, 'A']],
    [['reject', ID, 'A', 'No']],
    [['resume', ID, '-m', '9']],
  ])('is refused by ralph %j in one line, and left as it is', async args => {
    const stage = setEarlier()
    const { code, stdout, stderr } = await stage.ralph(...args)
    expect([code, stdout, stderr]).toEqual([2, '', stage.line])
    expect(readFileSync(stage.journal, 'utf8')).toBe(stage.text)
  })

  it('is no build to go on with', async () => {
    const stage = setEarlier()
    const { code, stderr } = await stage.ralph('build', '--resume', ID)
    expect([code, stderr]).toEqual([2, `${stage.line.trimEnd()}; no build here can go on\n`])
  })

  it.each([[['resume', 'night']], [['pause', 'night']], [['kill', 'night']]])(
    'of a worker is refused by ralph %j',
    async args => {
      const stage = setEarlier('night')
      const { code, stdout, stderr } = await stage.ralph(...args)
      expect([code, stdout, stderr]).toEqual([2, '', stage.line])
    },
  )

  it('is listed by ralph ls --all as what it is, and is not among what runs', async () => {
    const stage = setEarlier('night')
    expect(await stage.ralph('ls')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('nothing is running'),
    })
    const { code, stdout } = await stage.ralph('ls', '--all')
    expect([code, stdout]).toEqual([0, expect.stringContaining(`${ID}  of an earlier build`)])
    const listed = JSON.parse((await stage.ralph('ls', '--all', '--format', 'json')).stdout)
    expect(listed).toMatchObject([{ run: ID, status: 'ended', result: 'of an earlier build' }])
  })

  it('is no unfinished run: resuming without a name, and a new run, leave it out', async () => {
    const stage = setEarlier()
    expect(await stage.ralph('resume')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no unfinished run in'),
    })
    expect(
      (await stage.ralph('run', '-p', 'x', '-m', '1', '--', 'echo', '<response>DONE</response>')).code,
    ).toBe(0)
    expect((await stage.ralph('status')).code).toBe(0)
  })

  it('is named by ralph morning as one that cannot be read, and kept by ralph gc', async () => {
    const stage = setEarlier()
    const { skipped } = JSON.parse((await stage.ralph('morning', '--json')).stdout)
    expect(skipped).toMatchObject([{ run: ID, why: expect.stringContaining('an earlier build of ralph') }])
    expect((await stage.ralph('gc', '--keep', '0', '--yes')).code).toBe(0)
    expect(existsSync(stage.journal)).toBe(true)
  })

  it('has left a receipt that is not read', async () => {
    const stage = setEarlier()
    const receipts = join(stage.ralphHome, 'receipts')
    mkdirSync(receipts)
    const receipt = { id: '1-gone', project: stage.project, workflow: 'prompt', times: { sittings: 1 } }
    writeFileSync(join(receipts, '1-gone.json'), JSON.stringify(receipt))
    expect(await stage.ralph('report', '1-gone')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no run "1-gone"'),
    })
  })
})
