import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../src/core/events.ts'
import { recordStart } from '../../src/git/start.ts'
import { resumeByName } from '../../src/host/resume.ts'
import { resolveSettings } from '../../src/settings/schema.ts'
import { readJournal } from '../../src/store/journal.ts'
import type { Registry } from '../../src/workflows/index.ts'
import type { PipelineSpec } from '../../src/workflows/pipeline/spec.ts'
import type { PipelineTask } from '../../src/workflows/pipeline/tasks/task.ts'
import { pipelineWorkflow } from '../../src/workflows/pipeline/workflow.ts'
import { limitsOf } from '../../src/workflows/spec.ts'
import type { Workflow } from '../../src/workflows/workflow.ts'
import { callWith } from '../support/io.ts'
import { BEGIN, makeRepository } from '../support/repository.ts'
import { scratch } from '../support/scratch.ts'
import { hostHere, newRunId } from './host-here.ts'
import { noFrontend } from './no-frontend.ts'

const ID = newRunId()

class PowerCut extends Error {}

/** The pipeline, which goes dark right after the nth of these events was recorded. */
const cutAfter = (type: RunEvent['type'], nth: number): Workflow<PipelineSpec> => ({
  ...pipelineWorkflow,
  open(context) {
    const active = pipelineWorkflow.open(context)
    let seen = 0
    return {
      ...active,
      onEvent(event) {
        active.onEvent?.(event)
        if (event.type === type && ++seen === nth) throw new PowerCut(type)
      },
    }
  },
})

const registry: Registry = new Map([[pipelineWorkflow.name, pipelineWorkflow as Workflow]])

const taskOf = (id: string): PipelineTask => ({
  id,
  spec_id: 's',
  title: `Make ${id}`,
  description: '',
  status: 'pending',
  priority: 1,
  dependencies: [],
  assignee: 'coder',
  created_at: '2026-03-01T00:00:00.000Z',
  updated_at: '2026-03-01T00:00:00.000Z',
  metadata: {},
  iteration: 0,
  completion_spec: null,
})

/** Every agent that gives an answer is a line of `calls`: one that is paid twice shows. */
const AGENT = `
  id=$(sed -n 's/^# Your task: .*(\\(.*\\))$/\\1/p')
  echo "$id" > "$id.txt"; echo "$id" >> "$CALLS"
  echo "<promise>IMPLEMENTATION_COMPLETE</promise>"`

/** Both change the same line, each after the other has begun; whoever is second has to resolve that. */
const CONFLICTING = `
  prompt=$(cat)
  case "$prompt" in 'You bring finished work'*) echo resolve >> "$CALLS"; echo both > shared.txt; echo Done.; exit;; esac
  id=$(echo "$prompt" | sed -n 's/^# Your task: .*(\\(.*\\))$/\\1/p')
  touch "$CALLS-$id"; i=0
  until [ -e "$CALLS-T1" ] && [ -e "$CALLS-T2" ] || [ $i -gt 600 ]; do sleep 0.05; i=$((i+1)); done
  echo "$id" > "$id.txt"; echo "$id" > shared.txt; echo "$id" >> "$CALLS"
  echo "<promise>IMPLEMENTATION_COMPLETE</promise>"`

const REPOSITORY = {
  files: { '.gitignore': '.ralph/\n' },
  script: `${BEGIN}; git add .; git commit -qm begin`,
}

async function setPipeline(agent = AGENT) {
  const root = scratch('ralph-cut-')
  const project = join(root, 'project')
  makeRepository(project, REPOSITORY)
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: project, encoding: 'utf8', stdio: 'pipe' }).trimEnd()
  const env = {
    PATH: process.env.PATH!,
    HOME: root,
    RALPH_HOME: join(root, 'home'),
    CALLS: join(root, 'calls'),
  }
  mkdirSync(env.RALPH_HOME)
  const settings = resolveSettings({
    parallel: 2,
    guardrails: [{ command: 'true' }],
    baseline: false,
    killGrace: 0.2,
    sandbox: { mode: 'none' },
  })
  const spec: PipelineSpec = {
    workflow: pipelineWorkflow.name,
    project,
    settings,
    agent: { argv: ['sh', '-c', agent], explicit: true, model: null },
    once: false,
    worktrees: true,
    tasks: [taskOf('T1'), taskOf('T2')],
    roles: [{ name: 'coder', tries: 15, check: null, prompt: null }],
    start: await recordStart(project, env),
  }
  const host = (workflow: Workflow<PipelineSpec>) =>
    hostHere({ id: ID, workflow, spec, env, limits: { ...limitsOf(settings), iterations: null } })
  const resume = () =>
    callWith(env, io => resumeByName(ID, { projectDir: project }, { registry, io, frontend: noFrontend() }))
  const journal = () => readJournal(join(env.RALPH_HOME, 'runs', ID))
  const calls = () => (existsSync(env.CALLS) ? readFileSync(env.CALLS, 'utf8').trim().split('\n') : [])
  return { project, git, host, resume, journal, calls }
}

/** Everything that is journaled of a folder and its merge, for the first task or the second. */
const CUTS: [RunEvent['type'], number][] = [
  ['opening', 1],
  ['opened', 1],
  ['opening', 2],
  ['started', 2],
  ['ended', 1],
  ['settled', 2],
  ['committing', 1],
  ['committed', 1],
  ['merging', 1],
  ['rebased', 2],
  ['landing', 1],
  ['landing', 2],
  ['merged', 1],
  ['merged', 2],
  ['closed', 1],
  ['applied', 3],
]

describe('a pipeline whose tasks have folders of their own', { timeout: 60_000 }, () => {
  it.each(CUTS)(
    'goes on after a power cut after %s (%i): all is merged once, nothing is left',
    async (type, nth) => {
      const stage = await setPipeline()
      await expect(stage.host(cutAfter(type, nth))).rejects.toThrow(PowerCut)
      const before = stage.journal()
      expect((await stage.resume()).code).toBe(0)
      expect(stage.journal().at(-1)).toMatchObject({ type: 'finished', result: 'complete' })
      expect(stage.git('log', '--format=%s').split('\n').sort()).toEqual(['Make T1', 'Make T2', 'begin'])
      expect(stage.git('ls-files')).toBe('.gitignore\nT1.txt\nT2.txt')
      expect(stage.git('status', '--porcelain')).toBe('')
      expect(stage.git('branch', '--format=%(refname:short)')).toBe('main')
      expect(stage.git('worktree', 'list').split('\n')).toHaveLength(1)
      expect(existsSync(`${stage.project}-worktrees`)).toBe(false)
      const settledAt = before.filter(e => e.type === 'ended').length
      const again = before.filter(e => e.type === 'started' && e.agent !== null).length - settledAt
      expect(stage.calls().length).toBeLessThanOrEqual(2 + again)
    },
  )
})

/** The second merge conflicts, the third is that of the resolved work. */
const CONFLICT_CUTS: [RunEvent['type'], number][] = [
  ['merging', 2],
  ['rebased', 2],
  ['merging', 3],
  ['rebased', 3],
  ['landing', 2],
]

describe('tasks that conflict', { timeout: 60_000 }, () => {
  it.each(CONFLICT_CUTS)(
    'go on after a power cut after %s (%i): the conflict is resolved once, and no mark of it is left',
    async (type, nth) => {
      const stage = await setPipeline(CONFLICTING)
      await expect(stage.host(cutAfter(type, nth))).rejects.toThrow(PowerCut)
      expect((await stage.resume()).code).toBe(0)
      expect(stage.calls().sort()).toEqual(['T1', 'T2', 'resolve'])
      expect(stage.git('ls-files')).toBe('.gitignore\nT1.txt\nT2.txt\nshared.txt')
      expect(stage.git('show', 'HEAD:shared.txt')).toBe('both')
      expect(stage.git('log', '--merges', '--format=%s')).toMatch(
        /^Merge the latest changes into: Make T[12]$/,
      )
      expect(stage.git('log', '--all', '-m', '-p', '--format=')).not.toMatch(/^.[<>]{7}/m)
      expect(stage.git('status', '--porcelain')).toBe('')
      expect(stage.git('worktree', 'list').split('\n')).toHaveLength(1)
    },
  )
})
