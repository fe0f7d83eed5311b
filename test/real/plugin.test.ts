import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Request, startMockModel, type Turn } from '../support/loopback-model.mjs'
import { runRalph } from '../support/ralph.ts'
import { scratch } from '../support/scratch.ts'
import { BIN, CLIS, eventsIn } from './clis.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const PLUGIN = join(ROOT, 'plugin')
const { model, env: pointAt, shell } = CLIS.claude!
const hasClaude = existsSync(join(BIN, 'claude'))

function makeProject() {
  const root = scratch('ralph-real-')
  const [project, home] = [join(root, 'project'), join(root, 'home')]
  for (const dir of [project, home]) mkdirSync(dir)
  execFileSync('git', ['init', '-q'], { cwd: project })
  const write = (name: string, text: string) => {
    mkdirSync(join(project, name, '..'), { recursive: true })
    writeFileSync(join(project, name), text)
  }
  return { root, project, home, write }
}

type Place = { project: string; home: string }

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd })

/** Claude itself, with nothing but this environment. Its hooks get their memory in its home. */
const claude = ({ project, home }: Place, args: string[], input = '', env: Record<string, string> = {}) =>
  new Promise<{ code: number; stdout: string; stderr: string }>(resolve => {
    const own = {
      HOME: home,
      TMPDIR: home,
      PATH: process.env.PATH,
      IS_SANDBOX: '1',
      ...pointAt('http://127.0.0.1:9'),
    }
    const child = execFile(
      join(BIN, 'claude'),
      args,
      { cwd: project, env: { ...own, ...env }, maxBuffer: 64e6 },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    )
    child.stdin?.end(input)
  })

type Asking = { prompt?: string; turns: Turn[]; env?: Record<string, string>; flags?: string[] }

/** One session of claude on the model. */
async function ask(
  place: Place,
  { prompt = 'Work.', turns, env = {}, flags = ['--plugin-dir', PLUGIN] }: Asking,
) {
  const mock = await startMockModel({ turns })
  onTestFinished(() => mock.close())
  const words = ['-p', '--output-format', 'stream-json', '--verbose', '--dangerously-skip-permissions']
  const ran = await claude(place, [...words, '--model', model, ...flags], prompt, {
    ...pointAt(mock.url),
    ...env,
  })
  const lines = ran.stdout.split('\n').filter(Boolean)
  const told = lines.map(line => JSON.parse(line) as Record<string, unknown>)
  return {
    code: ran.code,
    asked: messagesOf(mock.requests),
    hooks: told.filter(line => line.subtype === 'hook_started').map(line => line.hook_name),
    session: String(told.find(line => line.subtype === 'init')?.session_id),
    result: told.find(line => line.type === 'result')?.result,
  }
}

/** What the model was sent, request by request. */
const messagesOf = (requests: Request[]): string[] =>
  requests.filter(r => r.kind === 'main').map(r => JSON.stringify((r.body as { messages: unknown }).messages))

const alertsIn = (asked: string[]): string[] =>
  [...(asked.at(-1) ?? '').matchAll(/(?:NOTICE|WARNING|CRITICAL): \d+%/g)].map(([alert]) => alert)

const working = (input: number): Turn => ({ text: 'On it.', tools: [shell('true')], usage: { input } })
/** Claude may write its transcript a moment after the hook has read it: then the next call tells, of a little more. */
const twice = (input: number): Turn[] => [working(input), working(input + 10_000)]
const told = (level: string, percent: number) =>
  expect.stringMatching(new RegExp(`^${level}: (?:${percent}|${percent + 1})%$`))
const DONE: Turn = { text: 'Done. <response>DONE</response>' }

describe.skipIf(!hasClaude)('the real claude finds valid', () => {
  it.each([
    ['the plugin', PLUGIN],
    ['the repository as its marketplace', ROOT],
  ])('%s', async (_, folder) => {
    const { code, stdout } = await claude(makeProject(), ['plugin', 'validate', folder])
    expect(stdout).toContain('Validation passed')
    expect(code).toBe(0)
  })
})

describe.skipIf(!hasClaude)('with the plugin, the real claude', () => {
  it('tells the model how full its context is, in a run of ralph without further ado', async () => {
    const { project, home } = makeProject()
    const turns = [...twice(510_000), ...twice(750_000), DONE]
    const mock = await startMockModel({ turns })
    onTestFinished(() => mock.close())
    const ran = await runRalph(['run', '-p', 'Work.', '-a', 'claude', '--model', model, '--json'], {
      cwd: project,
      env: { HOME: home, TMPDIR: home, PATH: `${BIN}:${process.env.PATH}`, ...pointAt(mock.url) },
    })
    const events = eventsIn(ran.stdout)
    expect(events.at(-1)).toMatchObject({ type: 'finished', result: 'complete' })
    const asked = messagesOf(mock.requests)
    expect(alertsIn(asked)).toEqual([told('NOTICE', 51), told('WARNING', 75)])
    expect(asked.at(-1)).not.toContain('stories in tasks.json')
  })

  it('tells it anew after a compaction', async () => {
    const place = makeProject()
    const first = await ask(place, { turns: [...twice(510_000), DONE] })
    expect(alertsIn(first.asked)).toEqual([told('NOTICE', 51)])
    const flags = ['--plugin-dir', PLUGIN, '--resume', first.session]
    const compacted = await ask(place, {
      prompt: '/compact',
      flags,
      turns: [{ text: '<summary>Short.</summary>' }],
    })
    expect(compacted.hooks).toContain('SessionStart:compact')
    const second = await ask(place, { flags, turns: [...twice(530_000), DONE] })
    expect(alertsIn(second.asked)).toEqual([told('NOTICE', 53)])
  })

  it('loads it once where it is installed, too', async () => {
    const place = makeProject()
    const env = {
      HOME: place.home,
      PATH: `${BIN}:${process.env.PATH}`,
      IS_SANDBOX: '1',
      ...pointAt('http://127.0.0.1:9'),
    }
    const ralph = (...words: string[]) => runRalph(words, { cwd: place.project, env })
    for (let time = 0; time < 2; time++)
      expect(await ralph('plugin', 'install')).toMatchObject({ code: 0, stderr: '' })
    const turns = [...twice(510_000), DONE]
    const both = await ask(place, { turns })
    expect(both.hooks).toEqual(['SessionStart:startup'])
    expect(alertsIn(both.asked)).toEqual([told('NOTICE', 51)])
    expect(alertsIn((await ask(place, { turns, flags: [] })).asked)).toEqual([told('NOTICE', 51)])
    for (let time = 0; time < 2; time++)
      expect(await ralph('plugin', 'uninstall')).toMatchObject({ code: 0, stderr: '' })
    expect((await ask(place, { turns, flags: [] })).hooks).toEqual([])
  })
})

const fresh = { passes: false, reviewStatus: null, reviewCount: 0 }
const listOf = (fields: object) =>
  JSON.stringify({
    project: 'p',
    branchName: 'b',
    description: 'd',
    userStories: [
      {
        id: 'US-001',
        title: 't',
        acceptanceCriteria: ['c'],
        priority: 1,
        reviewFeedback: '',
        notes: 'n',
        ...fields,
      },
    ],
  })

/** A project in the middle of an iteration that implements its one story. */
function makeIteration() {
  const place = makeProject()
  place.write('ralph/tasks.json', listOf(fresh))
  git(place.project, 'add', '-A')
  git(place.project, 'commit', '-qm', 'start')
  const snapshot = join(place.root, 'snapshot.json')
  writeFileSync(snapshot, JSON.stringify({ preIterationSnapshot: { 'US-001': fresh }, reviewCap: 5 }))
  const marks = {
    RALPH_RUN: 'r',
    RALPH_WORKFLOW: 'stories',
    RALPH_STAGE: 'implement',
    RALPH_DIR: join(place.project, 'ralph'),
    RALPH_SNAPSHOT: snapshot,
  }
  return { ...place, marks }
}

const commit = 'git add -A && git -c user.name=t -c user.email=t@t commit -qm work'
const writes = (fields: object) => shell(`echo '${listOf(fields)}' > ralph/tasks.json && ${commit}`)

describe.skipIf(!hasClaude)('the Stop gate of the real claude', () => {
  it('holds an implement iteration that approved its own story, until that is taken back', async () => {
    const place = makeIteration()
    const { asked, code, result } = await ask(place, {
      env: place.marks,
      turns: [
        { text: 'Approving.', tools: [writes({ ...fresh, passes: true, reviewStatus: 'approved' })] },
        { text: 'All done.' },
        { text: 'Sorry.', tools: [writes({ ...fresh, reviewStatus: 'needs_review' })] },
        { text: 'Submitted.' },
        { text: 'This is not asked for.' },
      ],
    })
    expect([code, result, asked.length]).toEqual([0, 'Submitted.', 4])
    expect(asked[2]).toContain(
      'Implement iterations cannot set passes=true or approve stories. Only review iterations may approve. Story US-001 had illegal transition: passes false → true.',
    )
    expect(asked[1]).not.toContain('illegal transition')
  })

  it('holds one that left its work uncommitted', async () => {
    const place = makeIteration()
    const { asked, result } = await ask(place, {
      env: place.marks,
      turns: [
        { text: 'Writing.', tools: [shell('echo 1 > work.ts')] },
        { text: 'All done.' },
        { text: 'Committing.', tools: [shell(commit)] },
        { text: 'Committed.' },
      ],
    })
    expect(result).toBe('Committed.')
    expect(asked[2]).toContain('There are uncommitted changes: work.ts.')
  })

  it('gives way in time, so that a stubborn iteration still ends with an answer', async () => {
    const place = makeIteration()
    place.write('ralph/tasks.json', listOf({ ...fresh, passes: true }))
    const { asked, code, result } = await ask(place, {
      env: place.marks,
      turns: [{ text: 'I am done.', times: 20 }],
    })
    expect([code, result, asked.length]).toEqual([0, 'I am done.', 8])
  })

  it('keeps out of everything else', async () => {
    const place = makeIteration()
    place.write('ralph/tasks.json', '{')
    const { asked } = await ask(place, {
      env: { ...place.marks, RALPH_WORKFLOW: 'run' },
      turns: [DONE, DONE],
    })
    expect(asked).toHaveLength(1)
  })
})

describe.skipIf(!hasClaude)('the skill ralph-plan of the real claude', () => {
  it.each(['/ralph-plan an order filter', '/ralph:ralph-plan an order filter'])(
    'is what %j brings',
    async prompt => {
      const { asked } = await ask(makeProject(), { prompt, turns: [DONE] })
      expect(asked[0]).toContain('# Plan a feature for ralph')
      expect(asked[0]).toContain('an order filter')
    },
  )

  it('is what /ralph:plan asks for', async () => {
    const { asked } = await ask(makeProject(), { prompt: '/ralph:plan an order filter', turns: [DONE] })
    expect(asked[0]).toContain('Use the skill `ralph:ralph-plan` now and follow it.')
    expect(asked[0]).toContain('an order filter')
  })

  it.each([
    ['full planning', '<!-- what is built, and for whom -->', 'mode 1, full planning'],
    ['task derivation', 'Orders can be filtered by status.', 'mode 2, task derivation'],
  ])('is offered by its trigger phrases, and brings what %s needs', async (_, prd, mode) => {
    const place = makeProject()
    place.write('ralph/prd.md', `# Summary\n\n${prd}\n`)
    const { asked } = await ask(place, {
      prompt: 'plan this feature for ralph',
      turns: [
        { text: 'Planning.', tools: [{ name: 'Skill', input: { skill: 'ralph:ralph-plan' } }] },
        { text: 'Reading.', tools: [shell('cat ralph/prd.md')] },
        DONE,
      ],
    })
    expect(asked[0]).toContain('generate tasks for ralph')
    expect(asked[0]).not.toContain(mode)
    expect(asked[1]).toContain(mode)
    expect(asked[1]).toContain('two or three sentences, it is too big: split it.')
    expect(asked[2]).toContain(prd)
  })
})
