import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { RunEvent } from '../../../core/events.ts'
import { initial } from '../../../core/table.ts'
import type { Task } from '../../../core/task.ts'
import { UsageError } from '../../../core/usage-error.ts'
import { gitProgram } from '../../../git/program.ts'
import { agentByName, agentOf } from '../../../host/agents/agents.ts'
import { allowHost } from '../../../runs/allow-host.ts'
import { diffRun, type GitCall } from '../../../runs/diff.ts'
import { findRun, ralphHome } from '../../../runs/find.ts'
import type { Io } from '../../../runs/io.ts'
import { isLive } from '../../../runs/live.ts'
import { readMorning } from '../../../runs/night.ts'
import { tellRun, wakeRun } from '../../../runs/steer.ts'
import { undoRun } from '../../../runs/undo.ts'
import { refuseFromWithin } from '../../../runs/within.ts'
import { allWorkers } from '../../../runs/worker-record.ts'
import { LIMITS } from '../../../store/files/read.ts'
import { sessionDir } from '../../../store/session.ts'
import type { UiPorts } from '../../../ui/ports.ts'
import { lastNight } from '../../../view/morning/period.ts'
import { plainLine } from '../../../view/text/plain.ts'
import { hasWorker, killWorker, resumeWorker } from '../../../workers/steer.ts'
import { buildWorkflow } from '../../../workflows/build/workflow.ts'
import { isOf, traitsOf, workflows } from '../../../workflows/index.ts'
import { readBase } from '../../../workflows/spec.ts'
import { cancelRun, pauseRun } from '../../steering.ts'
import { decideStory } from '../decide/decide-story.ts'
import { todoRun } from '../todo/todo-run.ts'

type Began = Extract<RunEvent, { type: 'began' }>

/** What the screens need of the rest of ralph. Steering is what the commands do. */
export function uiPorts(env: NodeJS.ProcessEnv): UiPorts {
  const home = ralphHome(env)
  /** Does what a command does, and gives what it printed. */
  const said = async (command: (io: Io) => unknown): Promise<string> => {
    let text = ''
    const writer = {
      write: (more: string) => {
        text += more
      },
    }
    await command({ stdout: writer, stderr: writer, env })
    return plainLine(text, 500)
  }
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
      const said = { write: () => {} }
      await diffRun(run, {}, { stdout: said, stderr: said, env }, runGit)
      return text
    },
    steer: {
      undo: name => said(io => undoRun(workflows, name, { yes: true }, io, async () => true)),
      pause: name => said(io => pauseRun(name, {}, io)),
      resume: name => said(io => goOn(name, home, io)),
      cancel: name => said(io => cancelRun(name, {}, io)),
      kill: name => said(io => killWorker(name, {}, io)),
      tell: (name, text, task) =>
        said(io => tellRun(task === undefined ? [name, text] : [name, task, text], {}, io)),
      // A build's list forgets a task; of other workflows it is given up.
      skip: (name, task) =>
        said(io =>
          isOf(buildWorkflow, findRun(home, name))
            ? todoRun([name, 'skip', task], {}, io)
            : cancelRun(`${name}/${task}`, {}, io),
        ),
      decide: (name, story, isApproved, why) =>
        said(io =>
          decideStory(
            name,
            { action: isApproved ? 'approve' : 'reject', story, ...(why !== '' && { why }) },
            io,
          ),
        ),
      allow: (name, host) => said(io => allowHost([name, host], {}, io)),
    },
  }
}

/** A run that no process hosts needs a terminal of its own, which this one is not. */
async function goOn(name: string, home: string, io: Io): Promise<number> {
  if (hasWorker(name, io.env)) return resumeWorker(name, {}, io)
  const run = findRun(home, name)
  refuseFromWithin(run, io.env)
  if (isLive(run)) return wakeRun(run, io.stdout, io.env)
  throw new UsageError(`no process hosts it; in a terminal: ralph resume ${run.id} --tui`)
}

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
