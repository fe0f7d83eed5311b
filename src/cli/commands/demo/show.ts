import type { Limits } from '../../../core/table.ts'
import { recordStart } from '../../../git/start.ts'
import { factRows } from '../../../host/facts.ts'
import { hostRun } from '../../../host/host.ts'
import { processFrontend } from '../../../host/process-frontend.ts'
import { newRunId, ralphHome } from '../../../runs/find.ts'
import { withLocks } from '../../../runs/with-locks.ts'
import { loadSettings } from '../../../settings/load.ts'
import { say } from '../../../terminal/print.ts'
import { buildWorkflow } from '../../../workflows/build/workflow.ts'
import { pinnedTask, rolesFrom } from '../../../workflows/pipeline/spec.ts'
import { fileTaskStore } from '../../../workflows/pipeline/tasks/store.ts'
import { taskRules } from '../../../workflows/pipeline/tasks/task.ts'
import { pipelineWorkflow } from '../../../workflows/pipeline/workflow.ts'
import { promptWorkflow } from '../../../workflows/run/workflow.ts'
import { type BaseSpec, gitEnvironment, limitsOf } from '../../../workflows/spec.ts'
import { storiesWorkflow } from '../../../workflows/stories/workflow.ts'
import type { Workflow } from '../../../workflows/workflow.ts'
import { storySettings } from '../stories/start-stories.ts'
import { readStoryFile, STORIES } from '../stories/story-source.ts'
import { DEMO_FAST } from './agent-stream.ts'
import { auth } from './auth.ts'
import { cart } from './cart.ts'
import type { DemoName } from './command.ts'
import { notes } from './notes.ts'
import { makeScratch } from './scratch.ts'
import { shop } from './shop.ts'

type Scene = {
  workflow: Workflow
  /** The part of the spec that only this workflow has. */
  spec: Record<string, unknown>
  base: Omit<BaseSpec, 'start'>
  limits: Limits
  story: string
  next: string
}

const baseOf = (dir: string) => {
  const { settings } = loadSettings(dir, {})
  const agent = { argv: ['demo'], explicit: false, model: null }
  return { project: dir, settings, agent, once: false }
}

function promptScene(): Scene {
  const dir = makeScratch(cart.files, cart.message)
  const base = baseOf(dir)
  return {
    workflow: promptWorkflow,
    base,
    spec: {
      prompt: { type: 'file', path: `${dir}/PROMPT.md` },
      condition: { response: base.settings.completionResponse, pattern: null },
    },
    limits: limitsOf(base.settings),
    story: `A scratch project with a failing test: ${dir}\nThe agent will claim to be done before it is. Watch ralph not believe it.`,
    next: 'the loop                           ralph run -p "Make the tests pass"',
  }
}

function buildScene(): Scene {
  const dir = makeScratch(shop.files, shop.message)
  const base = baseOf(dir)
  const goal = { type: 'goal' as const, text: shop.goal }
  return {
    workflow: buildWorkflow,
    base,
    spec: { goal, refine: 'auto', asks: false, planOnly: false, list: null },
    limits: { ...limitsOf(base.settings), iterations: null },
    story: `A scratch project with nothing in it: ${dir}\nA goal becomes a list of tasks. One of them will fail its check. Watch the fix.`,
    next: 'the build                          ralph build "What you want"',
  }
}

function storiesScene(): Scene {
  const dir = makeScratch(notes.files, notes.message)
  const base = baseOf(dir)
  const review = base.settings.review
  const { file } = readStoryFile(dir, STORIES)
  return {
    workflow: storiesWorkflow,
    base: { ...base, settings: storySettings(base.settings, dir, STORIES, file) },
    spec: { dir: STORIES, file, review },
    limits: { ...limitsOf(base.settings), iterations: 15 },
    story: `A scratch project with three stories: ${dir}\nThe agent that writes a story never approves it. One story will be sent back.`,
    next: 'your stories                       ralph init stories',
  }
}

function pipelineScene(): Scene {
  const dir = makeScratch(auth.files, auth.message)
  const base = baseOf(dir)
  return {
    workflow: pipelineWorkflow,
    base,
    spec: {
      tasks: fileTaskStore(dir, taskRules(base.settings)).list().map(pinnedTask),
      roles: rolesFrom(base.settings, () => ''),
    },
    limits: { ...limitsOf(base.settings), iterations: null },
    story: `A scratch project with one task: ${dir}\nThe first promise will be false, and the first review will send the work back.`,
    next: 'your tasks                         ralph task import tasks.yaml',
  }
}

const SCENES: Readonly<Record<DemoName, () => Scene>> = {
  run: promptScene,
  build: buildScene,
  stories: storiesScene,
  pipeline: pipelineScene,
}

/** Shows a whole run on a scratch project, with the scripted agent. */
export async function showDemo(which: DemoName): Promise<number> {
  const { workflow, base, limits, story, next, ...scene } = SCENES[which]()
  // The pauses are for people.
  const env = process.stdout.isTTY ? process.env : { ...process.env, [DEMO_FAST]: '1' }
  const dir = base.project
  const start = await recordStart(dir, gitEnvironment(base.settings, env))
  const spec = workflow.readSpec({ ...base, ...scene.spec, workflow: workflow.name, start })
  const home = ralphHome(env)
  const id = newRunId(new Date(), Math.random())
  say(`${story}\n`)
  const code = await withLocks({ home, id, project: dir, shared: false }, () =>
    hostRun({
      home,
      id,
      workflow,
      spec,
      limits,
      past: [],
      warnings: [],
      env,
      frontend: processFrontend({}),
      rows: factRows(workflow, spec, limits),
    }),
  )
  say(`
Look at what the agent changed, and at the prompts, streams and logs:
  ralph diff ${id}
  ls ${dir}/.ralph/sessions/${id}

Your own project:
  which agents are there             ralph doctor
  its checks, by a few questions     ralph init
  ${next}`)
  return code
}
