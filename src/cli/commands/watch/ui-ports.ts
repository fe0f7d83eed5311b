import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { RunEvent } from '../../../core/events.ts'
import { initial } from '../../../core/table.ts'
import type { Task } from '../../../core/task.ts'
import { gitProgram } from '../../../git/git.ts'
import { agentByName, agentOf } from '../../../host/agents/agents.ts'
import { diffRun, type GitCall } from '../../../runs/diff.ts'
import { findRun, ralphHome } from '../../../runs/find.ts'
import type { Answer } from '../../../runs/io.ts'
import { readMorning } from '../../../runs/night.ts'
import { allowHost, dropTask, tellRun } from '../../../runs/steer.ts'
import { undoRun } from '../../../runs/undo.ts'
import { allWorkers } from '../../../runs/worker-record.ts'
import { LIMITS } from '../../../store/files/read.ts'
import { sessionDir } from '../../../store/session.ts'
import type { UiPorts } from '../../../ui/ports.ts'
import { lastNight } from '../../../view/morning/model.ts'
import { plainLine } from '../../../view/text/plain.ts'
import { steer } from '../../../workers/steer.ts'
import { buildWorkflow } from '../../../workflows/build/workflow.ts'
import { workflows } from '../../../workflows/index.ts'
import { readBase } from '../../../workflows/spec.ts'
import { isOf, traitsOf } from '../../../workflows/traits.ts'
import { decide } from '../decide/decide-story.ts'
import { changeTodo } from '../todo/todo-run.ts'

type Began = Extract<RunEvent, { type: 'began' }>

/** What the screens need of the rest of ralph. */
export function uiPorts(env: NodeJS.ProcessEnv): UiPorts {
  const home = ralphHome(env)
  return {
    home,
    env,
    workflowOf,
    workerOf: run => allWorkers(home).find(worker => worker.run === run)?.name ?? null,
    sessionOf(began) {
      const { project, sessions = project } = readBase(began.pins)
      return sessionDir(sessions, began.id)
    },
    listOf: began => {
      const workflow = workflows.get(began.workflow)
      return workflow?.listFile?.(workflow.readSpec(began.pins), began.id) ?? null
    },
    promptOf: began => {
      const workflow = workflows.get(began.workflow)
      return workflow?.loop?.(workflow.readSpec(began.pins)).promptFile ?? null
    },
    parserOf(began, name) {
      const spec = readBase(began.pins)
      const main = agentOf(spec)
      const agent = main.name === name ? main : agentByName(name)
      return agent.parser(spec.settings.streamAgentOutput ? 'stream' : 'text')
    },
    morning: now => readMorning(workflows, home, lastNight(now)),
    diffOf: async run => {
      let text = ''
      const runGit = async ({ args, cwd, env }: GitCall) => {
        const { stdout } = await promisify(execFile)(gitProgram(cwd, env.PATH) ?? 'git', args, {
          cwd,
          env,
          maxBuffer: LIMITS.own,
        })
        text += stdout
        return 0
      }
      const silent = { write: () => {} }
      await diffRun(run, {}, { stdout: silent, stderr: silent, env }, runGit)
      return text
    },
    steer: steering(home, env),
  }
}

function steering(home: string, env: NodeJS.ProcessEnv): UiPorts['steer'] {
  const said = async (answer: Promise<Answer>) => {
    const { warnings = [], text } = await answer
    return plainLine([...warnings, text].join('\n'), MOST_SAID)
  }
  const run = (name: string) => findRun(home, name)
  return {
    steer: (name, verb) => said(steer(name, verb, env)),
    tell: async (name, text, task) => said(tellRun(run(name), text, task ?? null, env)),
    allow: async (name, host) => said(allowHost(run(name), host, env)),
    // A build's list forgets a task; of other workflows it is given up.
    skip: async (name, task) =>
      said(
        isOf(buildWorkflow, run(name))
          ? changeTodo(run(name), { action: 'skip', task }, env)
          : dropTask(run(name), task, env),
      ),
    decide: (name, story, isApproved, why) =>
      said(decide(name, { action: isApproved ? 'approve' : 'reject', story, ...(why && { why }) }, env)),
    undo: async name => {
      const { lines, revert = '' } = await undoRun(workflows, name, { yes: true }, env, async () => true)
      return plainLine([...lines, revert].join('\n'), MOST_SAID)
    },
  }
}

const MOST_SAID = 500

function workflowOf(began: Began): ReturnType<UiPorts['workflowOf']> {
  const workflow = workflows.get(began.workflow)
  if (!workflow) {
    // A newer ralph knows it. It is shown without a list.
    const table = { name: began.workflow, first: '', width: 1, rounds: 0, bugs: 0, stages: {} }
    return { command: began.workflow, listed: false, table, subject: '', criteriaOf: () => [] }
  }
  const spec = workflow.readSpec(began.pins)
  const { subject } = workflow.describe(spec, initial.limits)
  const criteriaOf = (task: Task) => workflow.criteria?.(spec, task) ?? []
  return { ...traitsOf(workflow), table: workflow.table(spec), subject: subject[1], criteriaOf }
}
