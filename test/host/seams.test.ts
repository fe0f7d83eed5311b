import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../src/core/events.ts'
import type { Check, CheckWork } from '../../src/core/ports.ts'
import type { StageTable } from '../../src/core/table.ts'
import type { Criterion } from '../../src/core/verification/method.ts'
import type { RunnerRegistry } from '../../src/runners/index.ts'
import { processRunner } from '../../src/runners/process/process.ts'
import { resolveSettings } from '../../src/settings/schema.ts'
import { readJournal } from '../../src/store/journal.ts'
import { type RunSpec, readBase } from '../../src/workflows/spec.ts'
import type { Active, Workflow } from '../../src/workflows/workflow.ts'
import { scratch } from '../support/scratch.ts'
import { hostHere, newRunId } from './host-here.ts'

const ID = newRunId()

const tableOf = (width: number): StageTable => ({
  name: 'field',
  first: 'work',
  width,
  rounds: 0,
  bugs: 0,
  stages: {
    work: {
      role: 'coder',
      ends: 'checks',
      tries: 2,
      on: { pass: 'merge', fail: 'work', more: 'work', spent: 'blocked' },
    },
    merge: {
      by: 'ralph',
      ends: 'checks',
      tries: 2,
      on: { pass: 'done', fail: 'work', more: 'merge', spent: 'blocked' },
    },
  },
})

/** Two tasks, each in a worktree of its own, side by side; then ralph merges each. */
const fieldWorkflow = (width: number, more: Partial<Active>): Workflow => ({
  name: 'field',
  command: 'field',
  listed: false,
  readSpec: readBase,
  pins: spec => spec,
  table: () => tableOf(width),
  describe: () => ({
    subject: ['field', 'two tasks'],
    doneWhen: 'both are merged',
    condition: 'both',
    estimate: null,
  }),
  preview: () => '',
  about: () => ({}),
  protectedAreas: () => [],
  open: () => ({
    initialTasks: () => ({ tasks: ['cat', 'dog'].map(id => ({ id, title: id, blockedBy: [] })), edits: [] }),
    adoptEdits: async () => {},
    buildPrompt: ({ task }) => task.id,
    checks: ({ workspace }) => workspace.checks(),
    claims: async () => ({}),
    apply() {},
    ...more,
  }),
})

function setField(script: string, settings: object = {}) {
  const root = scratch('ralph-field-')
  const project = join(root, 'project')
  mkdirSync(project)
  const git = (...args: string[]) => execFileSync('git', args, { cwd: project, stdio: 'pipe' })
  git('init', '-q')
  git('config', 'user.email', 'a@b')
  git('config', 'user.name', 'a')
  writeFileSync(join(project, 'locked.txt'), 'locked\n')
  git('add', '.')
  git('commit', '-qm', 'begin')
  for (const name of ['cat', 'dog']) git('worktree', 'add', '-q', '-b', name, join(root, name))
  const env = { PATH: process.env.PATH!, HOME: root, RALPH_HOME: join(root, 'home') }
  mkdirSync(env.RALPH_HOME)
  const spec: RunSpec = {
    workflow: 'field',
    project,
    settings: resolveSettings({ protect: ['locked.txt'], sandbox: { mode: 'none' }, ...settings }),
    agent: { argv: ['sh', '-c', script], explicit: true, model: null },
    once: false,
    start: null,
  }
  const host = (workflow: Workflow, runners?: RunnerRegistry, moreEnv: object = {}) =>
    hostHere({ id: ID, workflow, spec, env: { ...env, ...moreEnv }, ...(runners && { runners }) })
  const read = (name: string) =>
    existsSync(join(root, name)) ? readFileSync(join(root, name), 'utf8') : null
  const journal = () => readJournal(join(env.RALPH_HOME, 'runs', ID))
  return { root, env, host, read, journal }
}

/** Waits in the shell until a file is there, some seconds at most. */
const until = (path: string) =>
  `i=0; while [ ! -e ${path} ] && [ $i -lt 200 ]; do sleep 0.05; i=$((i+1)); done`

describe('two steps in flight', () => {
  it('have a workspace each: cleaning up, restoring and checking one leaves the other alone', async () => {
    const script = `
      read task || true
      echo "$task" > who.txt; echo stolen > locked.txt
      if [ "$(cat who.txt)" = dog ]; then
        touch ../dog-works; ${until('../cat-settled')}
        cat locked.txt > ../dog-saw; echo alive > ../dog-lived; sleep 0.1
      else ${until('../dog-works')}; fi
      echo done`
    const guardrails = [{ command: 'pwd >> ../checked; test "$(cat locked.txt)" = locked' }]
    const field = setField(script, { guardrails, baseline: false })
    const settled: Active['apply'] = ({ task, stage }) => {
      if (task === 'cat' && stage === 'work') writeFileSync(join(field.root, 'cat-settled'), '')
    }
    const chooseWorkspace: Active['chooseWorkspace'] = task => `../${task.id}`
    const code = await field.host(fieldWorkflow(2, { chooseWorkspace, apply: settled }))
    // The agents changed a protected file, which is a finding; it is the checks that must not meet each other.
    const events = field.journal()
    const started = events.filter(e => e.type === 'started')
    expect(started.slice(0, 2)).toMatchObject([
      { task: 'cat', workspace: '../cat' },
      { task: 'dog', workspace: '../dog' },
    ])
    const order = events.flatMap(e =>
      e.type === 'ended' || e.type === 'settled' ? [`${e.type} ${e.id}`] : [],
    )
    expect(order.indexOf('settled 1')).toBeLessThan(order.indexOf('ended 2'))
    // While cat was cleaned up, restored and checked, dog's agent lived, and its change was still there.
    expect(field.read('dog-saw')).toBe('stolen\n')
    expect(field.read('dog-lived')).toBe('alive\n')
    for (const name of ['cat', 'dog']) {
      expect(field.read(`${name}/locked.txt`)).toBe('locked\n')
      expect(field.read(`${name}/who.txt`)).toBe(`${name}\n`)
      const [first] = events.filter(e => e.type === 'settled' && e.task === name)
      expect(first).toMatchObject({
        workspace: `../${name}`,
        findings: [{ check: 'protect', verdict: 'fail' }, { verdict: 'pass' }],
      })
    }
    const checked = new Set(field.read('checked')!.trim().split('\n'))
    expect(checked).toEqual(new Set([join(field.root, 'cat'), join(field.root, 'dog')]))
    expect(field.read('project/who.txt')).toBeNull()
    expect(code).toBe(1)
  })

  it('share git’s folder: what one agent changed never comes back with the end of another', async () => {
    const hooks = '$(git rev-parse --git-common-dir)/hooks'
    const script = `
      read task || true
      if [ "$task" = cat ]; then
        echo evil > ${hooks}/post-checkout; git config alias.x '!evil'; touch ../cat-planted
        ${until('../dog-began')}
      else
        touch ../dog-began; ${until('../cat-settled')}
        ls ${hooks} > ../dog-saw; git config user.name dog; echo 1 > fine.txt
      fi
      echo done`
    const field = setField(script, { protect: [], baseline: false })
    const settled: Active['apply'] = ({ task, stage }) => {
      if (task === 'cat' && stage === 'work') writeFileSync(join(field.root, 'cat-settled'), '')
    }
    // dog's step begins once cat's agent has changed things: it must not take that for how they should be.
    const buildPrompt: Active['buildPrompt'] = async ({ task }) => {
      while (task.id === 'dog' && !existsSync(join(field.root, 'cat-planted'))) await delay(20)
      return task.id
    }
    const chooseWorkspace: Active['chooseWorkspace'] = task => `../${task.id}`
    await field.host(fieldWorkflow(2, { chooseWorkspace, apply: settled, buildPrompt }))
    expect(field.read('dog-saw')).not.toContain('post-checkout')
    expect(field.read('project/.git/hooks/post-checkout')).toBeNull()
    expect(field.read('project/.git/config')).not.toContain('alias')
    expect(field.read('project/.git/config')).toContain('name = dog')
    // Nobody can tell which of the two it was.
    const events = field.journal()
    for (const name of ['cat', 'dog']) {
      const [first] = events.filter(e => e.type === 'settled' && e.task === name)
      expect(first).toMatchObject({
        findings: [{ check: 'protect', verdict: 'fail', note: expect.stringContaining('post-checkout') }],
      })
    }
    // A later step is not blamed for it.
    const later = events.filter(e => e.type === 'settled' && e.stage === 'work').slice(2)
    expect(later.flatMap(e => (e.type === 'settled' ? e.findings : []))).not.toContainEqual(
      expect.objectContaining({ check: 'protect', note: expect.stringContaining('user.name') }),
    )
  })
})

describe('a check', () => {
  it('reads the task, the final text and the workspace', async () => {
    const field = setField('read task || true; echo "I did $task."', { protect: [] })
    const seen: unknown[] = []
    const judge: Check = {
      name: 'judge',
      async run(work: CheckWork | null) {
        seen.push(work && [work.task.title, work.text.trim(), work.step.workspace])
        return { finding: { check: 'judge', verdict: 'pass', note: '' }, exit: null }
      },
    }
    const more: Partial<Active> = {
      chooseWorkspace: task => `../${task.id}`,
      checks: ({ workspace }) => [...workspace.checks(), judge],
    }
    expect(await field.host(fieldWorkflow(1, more))).toBe(0)
    expect(seen).toEqual([
      null,
      ['cat', 'I did cat.', '../cat'],
      ['cat', '', '../cat'],
      ['dog', 'I did dog.', '../dog'],
      ['dog', '', '../dog'],
    ])
  })
})

const runs = (command: string): Criterion => ({
  name: command,
  verification: {
    method: 'external',
    config: { command, success_exit_code: 0, timeout: 60, working_dir: '.' },
  },
})

describe('a workflow', () => {
  it('verifies criteria of its own in the workspace of the step', async () => {
    const field = setField('echo done', { protect: [], baseline: false })
    const workflow = fieldWorkflow(1, { chooseWorkspace: task => `../${task.id}` })
    const code = await field.host({
      ...workflow,
      open: context => ({
        ...workflow.open(context),
        checks: ({ stage, task, workspace }) => [
          ...workspace.checks(),
          ...workspace.verify(stage === 'work' ? [runs(`pwd > ../${task.id}-where`), runs('true')] : []),
        ],
      }),
    })
    expect(code).toBe(0)
    for (const name of ['cat', 'dog']) expect(field.read(`${name}-where`)).toBe(`${join(field.root, name)}\n`)
    const [first] = field.journal().filter(e => e.type === 'settled')
    expect(first).toMatchObject({
      findings: [
        { check: 'pwd > ../cat-where', log: expect.stringContaining('iter-001/criterion_001_') },
        { check: 'true', verdict: 'pass' },
      ],
    })
  })
})

describe('a stage that ralph itself does', () => {
  it('acts, and its findings decide where the task goes', async () => {
    const field = setField('echo >> ../calls; echo done', { protect: [] })
    const acts: string[] = []
    const act: Active['act'] = async ({ task, step }) => {
      acts.push(`${step.stage} ${task.id}`)
      const conflict = acts.length === 1
      return [{ check: 'merge', verdict: conflict ? 'fail' : 'pass', note: conflict ? 'a conflict' : '' }]
    }
    const chooseWorkspace: Active['chooseWorkspace'] = task => `../${task.id}`
    expect(await field.host(fieldWorkflow(1, { act, chooseWorkspace }))).toBe(0)
    expect(acts).toEqual(['merge cat', 'merge cat', 'merge dog'])
    // The conflict sent cat back to its agent once; ralph's own stages cost no iteration.
    expect(field.read('calls')).toBe('\n\n\n')
    const settled = field
      .journal()
      .filter((e): e is Extract<RunEvent, { type: 'settled' }> => e.type === 'settled')
    expect(settled.map(e => `${e.task} ${e.stage} ${e.move}`).slice(0, 4)).toEqual([
      'cat work pass',
      'cat merge fail',
      'cat work pass',
      'cat merge pass',
    ])
  })
})

describe('a runner', () => {
  it('is chosen by sandbox.mode, from the runners that hosting is given', async () => {
    const field = setField('echo done', { protect: [], sandbox: { mode: 'srt' } })
    const started: string[] = []
    const runners: RunnerRegistry = new Map([
      [
        'srt',
        ({ run, graceMs }) => {
          const inner = processRunner({ run, graceMs })
          const start: typeof inner.start = (command, id, sink) => {
            started.push(command.argv[0]!)
            return inner.start({ ...command, argv: ['env', 'IN_SANDBOX=1', ...command.argv] }, id, sink)
          }
          return { ...inner, start }
        },
      ],
    ])
    expect(await field.host(fieldWorkflow(1, {}), runners)).toBe(0)
    expect(started).toEqual(['sh', 'sh'])
    const other = setField('echo done', { sandbox: { mode: 'docker' } })
    await expect(other.host(fieldWorkflow(1, {}), runners)).rejects.toThrow(
      'ralph has no runner for "docker"',
    )
    expect(other.read('home/runs')).toBeNull()
  })
})
