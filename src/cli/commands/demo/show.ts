import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Limits } from '../../../core/table.ts'
import { recordStart } from '../../../git/start.ts'
import { factRows } from '../../../host/facts.ts'
import { hostRun } from '../../../host/host.ts'
import { processFrontend } from '../../../host/process-frontend.ts'
import { newRunId, ralphHome } from '../../../runs/find.ts'
import { withLocks } from '../../../runs/with-locks.ts'
import { loadSettings } from '../../../settings/load.ts'
import { printText } from '../../../terminal/print.ts'
import { buildWorkflow } from '../../../workflows/build/workflow.ts'
import { pinnedTask, rolesFrom } from '../../../workflows/pipeline/spec.ts'
import { fileTaskStore } from '../../../workflows/pipeline/tasks/store.ts'
import { taskRules } from '../../../workflows/pipeline/tasks/task.ts'
import { pipelineWorkflow } from '../../../workflows/pipeline/workflow.ts'
import { runWorkflow } from '../../../workflows/run/workflow.ts'
import { type BaseSpec, gitEnvironment, limitsOf } from '../../../workflows/spec.ts'
import { storiesWorkflow } from '../../../workflows/stories/workflow.ts'
import type { Workflow } from '../../../workflows/workflow.ts'
import type { DemoName } from '../../verbs/begin.ts'
import { storySettings } from '../stories/start-stories.ts'
import { readStoryFile, STORIES } from '../stories/story-source.ts'
import { DEMO_FAST } from './agent.ts'
import { projectFiles, readScript } from './script.ts'

type Base = Omit<BaseSpec, 'start'>

type Scene = {
  workflow: Workflow
  /** The part of the spec that only this workflow has. */
  spec: Record<string, unknown>
  limits: Partial<Limits>
  base?: Base
}

const SCENES: Readonly<Record<DemoName, (base: Base, goal: string) => Scene>> = {
  run: ({ project, settings }) => ({
    workflow: runWorkflow,
    spec: {
      prompt: { type: 'file', path: `${project}/PROMPT.md` },
      condition: { response: settings.completionResponse, pattern: null },
    },
    limits: {},
  }),
  build: (_, goal) => ({
    workflow: buildWorkflow,
    spec: { goal: { type: 'goal', text: goal }, refine: 'auto', asks: false, planOnly: false, list: null },
    limits: { iterations: null },
  }),
  stories: base => {
    const file = readStoryFile(base.project, STORIES)
    return {
      workflow: storiesWorkflow,
      spec: { dir: STORIES, file, review: base.settings.review },
      limits: { iterations: 15 },
      base: { ...base, settings: storySettings(base.settings, base.project, STORIES, file) },
    }
  },
  pipeline: ({ project, settings }) => ({
    workflow: pipelineWorkflow,
    spec: {
      tasks: fileTaskStore(project, taskRules(settings)).list().map(pinnedTask),
      roles: rolesFrom(settings, () => ''),
    },
    limits: { iterations: null },
  }),
}

/** Shows a whole run on a scratch project, with the scripted agent. */
export async function showDemo(which: DemoName): Promise<number> {
  const script = await readScript(which)
  const dir = makeScratch(projectFiles(script), script.commit)
  const { settings } = loadSettings(dir, { sandbox: { mode: 'none' } })
  const scratch = {
    project: dir,
    settings,
    agent: { argv: ['demo'], explicit: false, model: null },
    once: false,
  }
  const { workflow, base = scratch, ...scene } = SCENES[which](scratch, script.goal ?? '')
  const limits = { ...limitsOf(settings), ...scene.limits }
  // The pauses are for people.
  const env = process.stdout.isTTY ? process.env : { ...process.env, [DEMO_FAST]: '1' }
  const start = await recordStart(dir, gitEnvironment(base.settings, env))
  const spec = workflow.readSpec({ ...base, ...scene.spec, workflow: workflow.name, start })
  const home = ralphHome(env)
  const id = newRunId(new Date(), Math.random())
  printText(`${script.story.replace('DIR', () => dir)}\n`)
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
  printText(`
Look at what the agent changed, and at the prompts, streams and logs:
  ralph diff ${id}
  ls ${dir}/.ralph/sessions/${id}

Your own project:
  which agents are there             ralph doctor
  its checks, by a few questions     ralph init
  ${script.next}`)
  return code
}

/** A scratch git project with these files. It is not deleted, so that the user can look at it. */
function makeScratch(files: readonly [path: string, text: string][], message: string): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-demo-')))
  for (const [path, text] of files) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
  const who = ['-c', 'user.name=Ralph', '-c', 'user.email=ralph@localhost', '-c', 'commit.gpgsign=false']
  const git = (...args: string[]) => execFileSync('git', [...who, ...args], { cwd: dir, stdio: 'ignore' })
  try {
    git('init', '-q')
    git('add', '-A')
    git('commit', '-q', '-m', message)
  } catch {
    // Without git the demo works too, but does not show what changed.
  }
  return dir
}
