// What the commands do. Loaded only when one of them runs, so that `ralph --help` does not load all of ralph.

import { collectGarbage as collectGarbageOf, type GcOptions } from '../runs/gc.ts'
import type { Io } from '../runs/io.ts'
import { type StatusOptions, showStatus as showStatusOf } from '../runs/status.ts'
import { askConfirmation } from '../terminal/question.ts'
import { watchOutput } from '../terminal/streams.ts'
import { showWorker } from '../workers/show.ts'
import { hasWorker } from '../workers/steer.ts'
import { workflows } from '../workflows/index.ts'

export { attachWorker } from '../workers/attach.ts'
export { printEvents } from '../workers/events.ts'
export { listRuns } from '../workers/list.ts'
export { printLogs } from '../workers/read-logs.ts'
export { forgetWorker, killWorker } from '../workers/steer.ts'
export { waitForWorkers } from '../workers/wait.ts'
export { archiveStories } from './commands/archive/archive-stories.ts'
export { offerCompletions, printCompletions } from './commands/completions/completions.ts'
export { decideStory } from './commands/decide/decide-story.ts'
export { demoAgent } from './commands/demo/agent.ts'
export { showDemo } from './commands/demo/show.ts'
export { diagnose } from './commands/doctor/diagnose.ts'
export { initPrompt, initStories, printTemplate } from './commands/init/from-template.ts'
export { initProject } from './commands/init/init-project.ts'
export { checkProjectJudge } from './commands/judge/show-check.ts'
export { managePlugin } from './commands/plugin/manage.ts'
export { checkSandbox } from './commands/sandbox/check-sandbox.ts'
export { manageSandboxes } from './commands/sandbox/manage-sandboxes.ts'
export { diffRun, undoRun } from './commands/see/diff-undo.ts'
export { showMorning } from './commands/see/morning.ts'
export { reportRun } from './commands/see/report.ts'
export {
  allowByName,
  cancelByName,
  pauseByName,
  setLimitByName,
  tellByName,
} from './commands/steer-actions.ts'
export { taskActions } from './commands/task/actions.ts'
export { planTasks } from './commands/task/plan-tasks.ts'
export { todoRun } from './commands/todo/todo-run.ts'
export { trustProject } from './commands/trust/trust-project.ts'
export { watchRuns } from './commands/watch/watch-runs.ts'

/** These commands need to know a run's workflow, so they get ralph's registry. */
export const collectGarbage = (options: GcOptions, io: Io): Promise<number> =>
  collectGarbageOf(
    workflows,
    options,
    io,
    process.stdin.isTTY && process.stderr.isTTY ? askConfirmation : null,
  )
export const showStatus = (name: string | undefined, options: StatusOptions, io: Io): number =>
  !options.json && hasWorker(name, io.env)
    ? showWorker(workflows, name, io)
    : showStatusOf(workflows, name, options, io)

watchOutput()
