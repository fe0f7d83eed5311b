import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../src/core/events.ts'
import { dryRun, factRows } from '../../src/host/facts.ts'
import type { Frontend, Listener } from '../../src/host/frontend.ts'
import { resumeByName } from '../../src/host/resume.ts'
import { receiptFor, reportLines } from '../../src/runs/report.ts'
import { showStatus } from '../../src/runs/status.ts'
import { loadSettings } from '../../src/settings/load.ts'
import { readJournal } from '../../src/store/journal.ts'
import { terminalFrontend } from '../../src/terminal/frontend.ts'
import { styleOf } from '../../src/view/style.ts'
import type { Registry } from '../../src/workflows/index.ts'
import { limitsOf } from '../../src/workflows/spec.ts'
import type { Workflow } from '../../src/workflows/workflow.ts'
import { callWith } from '../support/io.ts'
import { scratch } from '../support/scratch.ts'
import { hostHere, newRunId } from './host-here.ts'
import { noFrontend } from './no-frontend.ts'
import { type ToySpec, toyWorkflow } from './toy-workflow.ts'

const ID = newRunId()

const registry: Registry = new Map([[toyWorkflow.name, toyWorkflow as Workflow]])

/** The terminal frontend, on streams of the test's own. */
function onPaper(options: { json?: boolean }) {
  let text = ''
  const write = (data: string | Uint8Array) => {
    text += Buffer.from(data).toString()
    return true
  }
  const out = { write, on() {} }
  const streams = () => ({ stdin: process.stdin, stdout: out, stderr: out })
  const frontend: Frontend = { ...noFrontend(), ...terminalFrontend(streams, {}, options) }
  return { frontend, text: () => text }
}

/** Agents count how often they were called, so that a call paid twice shows. */
function setToy() {
  const root = scratch('ralph-toy-')
  const project = join(root, 'project')
  mkdirSync(project)
  const env = { PATH: process.env.PATH!, HOME: root, RALPH_HOME: join(root, 'home') }
  const guardrails = [{ command: 'true', failAction: 'APPEND' as const, timeout: 900 }]
  const { settings } = loadSettings(project, { guardrails, sandbox: { mode: 'none' } })
  const agent = { argv: ['sh', '-c', 'cat >> ../prompts; echo >> ../prompts; echo OK'], explicit: true }
  const spec: ToySpec = {
    workflow: toyWorkflow.name,
    words: ['cat', 'dog'],
    project,
    settings,
    agent: { ...agent, model: null },
    once: false,
    start: null,
  }
  const limits = limitsOf(settings)
  mkdirSync(env.RALPH_HOME)
  const host = (frontend: Frontend, listeners: Listener[] = []) =>
    hostHere({
      id: ID,
      workflow: toyWorkflow,
      spec,
      env,
      frontend,
      rows: factRows(toyWorkflow, spec, limits),
      listeners,
    })
  return { root, project, env, spec, limits, host, runDir: join(env.RALPH_HOME, 'runs', ID) }
}

const LOG = '1 draft cat pass\n2 polish cat pass\n3 draft dog pass\n4 polish dog pass\n'

describe('a workflow that is not one of ralph’s', () => {
  it('runs to its end, hosted with no terminal and three listeners', async () => {
    const toy = setToy()
    const heard: RunEvent['type'][][] = [[], [], []]
    const listeners = heard.map(types => ({ onEvent: (event: RunEvent) => types.push(event.type) }))
    expect(await toy.host(noFrontend(listeners))).toBe(0)
    expect(readFileSync(join(toy.project, 'toy.log'), 'utf8')).toBe(LOG)
    const prompts = readFileSync(join(toy.root, 'prompts'), 'utf8').trim().split('\n')
    expect(prompts).toEqual(['draft cat', 'polish cat', 'draft dog', 'polish dog'])
    expect(heard[0]).toContain('prompted')
    expect(heard[1]).toEqual(heard[0])
    expect(heard[2]).toEqual(heard[0])
    const journal = readJournal(toy.runDir)
    expect(journal[0]).toMatchObject({ type: 'began', workflow: 'toy', pins: { words: ['cat', 'dog'] } })
    expect(journal.filter(e => e.type === 'finished')).toMatchObject([
      { result: 'complete', proof: 'verified' },
    ])
    expect(journal.at(-1)).toMatchObject({ type: 'warned', note: 'the toy is done' })
    const session = join(toy.project, '.ralph', 'sessions', ID)
    expect(JSON.parse(readFileSync(join(session, 'session.json'), 'utf8'))).toMatchObject({
      workflow: 'toy',
      words: ['cat', 'dog'],
    })
  })

  it('goes on without a listener that fails, and says so', async () => {
    const toy = setToy()
    const heard: string[] = []
    const failing = {
      onEvent(event: RunEvent) {
        if (event.type === 'settled') throw new Error('the window is gone')
        heard.push(event.type)
      },
    }
    const other: RunEvent[] = []
    expect(await toy.host(noFrontend([failing, { onEvent: event => other.push(event) }]))).toBe(0)
    expect(heard.at(-1)).toBe('checked')
    expect(other.filter(e => e.type === 'warned').map(e => e.note)).toContain(
      'a display of this run failed and was turned off: the window is gone',
    )
    expect(other.filter(e => e.type === 'settled')).toHaveLength(4)
  })

  it('is shown on the console with its own words, list and summary', async () => {
    const toy = setToy()
    const { frontend, text } = onPaper({})
    await toy.host(frontend)
    expect(text()).toMatch(
      new RegExp(`^ralph toy ${ID}\\n(?: {2}project .*\\n)? {2}agent .*\\n {2}words {5}cat, dog\\n`),
    )
    for (const words of [
      'estimate  4 iterations',
      'until     every word is polished',
      'iteration 1 of 10 · drafting',
      'iteration 4 of 10 · polishing',
      '2 words in all',
      'done, verified',
    ])
      expect(text()).toContain(words)
  })

  it('is told as NDJSON', async () => {
    const toy = setToy()
    const { frontend, text } = onPaper({ json: true })
    await toy.host(frontend)
    const events = text()
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as RunEvent)
    expect(events[0]).toMatchObject({ type: 'began', workflow: 'toy' })
    expect(events.filter(e => e.type === 'settled').map(e => e.move)).toEqual(Array(4).fill('pass'))
  })

  it('is shown by a dry run, which runs nothing', async () => {
    const toy = setToy()
    const dry = { ...dryRun(toyWorkflow, toy.spec, toy.limits, toy.env), warnings: [] }
    const plain = onPaper({})
    plain.frontend.preview(dry, toy.spec.settings.output)
    expect(plain.text()).toMatch(/words {5}cat, dog\n[\s\S]*prompt\nDraft cat\.\n$/)
    const json = onPaper({ json: true })
    json.frontend.preview(dry, toy.spec.settings.output)
    expect(JSON.parse(json.text())).toMatchObject({
      workflow: 'toy',
      subject: { type: 'words', name: 'cat, dog' },
      prompt: 'Draft cat.',
    })
    expect(readdirSync(toy.project)).toEqual([])
  })

  it('has a status and a report', async () => {
    const toy = setToy()
    await toy.host(noFrontend())
    const status = await callWith(toy.env, io => showStatus(registry, ID, { projectDir: '.' }, io))
    expect(status.stdout).toMatch(/status\s+finished\n[\s\S]*tasks\s+2 of 2 completed\n/)
    const receipt = receiptFor(registry, ID, '.', toy.env)
    expect(receipt).toMatchObject({ workflow: 'toy', command: 'toy', totals: { counted: 4 } })
    expect(reportLines(receipt, {}, styleOf({ color: false, emoji: false }), 80)[0]).toContain(
      `ralph toy ${ID}`,
    )
  })

  it('that nobody knows is shown without a list, and cannot be resumed', async () => {
    const toy = setToy()
    await toy.host(noFrontend())
    const none: Registry = new Map()
    const status = await callWith(toy.env, io => showStatus(none, ID, { projectDir: '.', json: true }, io))
    expect(JSON.parse(status.stdout)).toMatchObject({ phase: 'finished', tasks: null })
    const [began] = readJournal(toy.runDir)
    writeFileSync(join(toy.runDir, 'journal.ndjson'), `${JSON.stringify({ ...began, by: undefined })}\n`)
    const resume = callWith(toy.env, io =>
      resumeByName(ID, {}, { registry: none, io, frontend: noFrontend() }),
    )
    await expect(resume).rejects.toThrow('has the workflow "toy", which this ralph does not know')
  })

  it('goes on after a power cut at any boundary, and pays for no iteration twice', async () => {
    const whole = setToy()
    await whole.host(noFrontend())
    const lines = readFileSync(join(whole.runDir, 'journal.ndjson'), 'utf8').trim().split('\n')
    const events = lines.map(line => JSON.parse(line) as RunEvent)
    const end = events.findIndex(e => e.type === 'finished')
    for (let n = 1; n <= end; n++) {
      const toy = setToy()
      // What was on disk when the power went: the journal so far, and what was applied by then.
      cpSync(whole.runDir, toy.runDir, { recursive: true })
      const here = { project: toy.project, folder: undefined, born: undefined }
      const began = { ...events[0], ...here, pins: toy.spec, by: undefined }
      const past = [JSON.stringify(began), ...lines.slice(1, n)]
      writeFileSync(join(toy.runDir, 'journal.ndjson'), `${past.join('\n')}\n`)
      const applied = events.slice(0, n).filter(e => e.type === 'applied').length
      writeFileSync(
        join(toy.project, 'toy.log'),
        LOG.split('\n')
          .slice(0, applied)
          .map(l => `${l}\n`)
          .join(''),
      )
      const paid = events.slice(0, n).filter(e => e.type === 'ended').length
      const resumed = await callWith(toy.env, io =>
        resumeByName(ID, {}, { registry, io, frontend: noFrontend() }),
      )
      expect([n, resumed.code]).toEqual([n, 0])
      const calls = join(toy.root, 'prompts')
      const called = existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : []
      expect([n, called.length]).toEqual([n, 4 - paid])
      const log = readFileSync(join(toy.project, 'toy.log'), 'utf8').replace(/^\d+ /gm, '')
      const passed = log.split('\n').filter(line => line.endsWith('pass'))
      expect([n, passed]).toEqual([
        n,
        ['draft cat pass', 'polish cat pass', 'draft dog pass', 'polish dog pass'],
      ])
    }
  })
})
