// What the commands do. Loaded only when one of them runs, so that `ralph --help` does not load all of ralph.

import { processFrontend } from '../host/process-frontend.ts'
import { type ResumeOptions, resumeRun as resumeRunIn } from '../host/resume.ts'
import { collectGarbage as collectGarbageOf } from '../runs/gc.ts'
import type { Io } from '../runs/io.ts'
import { showStatus as showStatusOf } from '../runs/show-status.ts'
import { watchOutput } from '../terminal/watch-output.ts'
import { workflows } from '../workflows/index.ts'

export { cancelRun, pauseRun, tellRun } from '../runs/steer.ts'
export { archiveStories } from './commands/archive/archive-stories.ts'
export { startBuild } from './commands/build/start-build.ts'
export { offerCompletions, printCompletions } from './commands/completions/completions.ts'
export { decideStory } from './commands/decide/decide-story.ts'
export { demoAgent } from './commands/demo/agent.ts'
export { showDemo } from './commands/demo/show.ts'
export { diffRun } from './commands/diff/show-diff.ts'
export { diagnose } from './commands/doctor/diagnose.ts'
export { initProject } from './commands/init/init-project.ts'
export { initStories } from './commands/init/init-stories.ts'
export { managePlugin } from './commands/plugin/manage.ts'
export { reportRun } from './commands/report/print-report.ts'
export { startPrompt } from './commands/run/start-run.ts'
export { startStories } from './commands/stories/start-stories.ts'
export { taskActions } from './commands/task/actions.ts'
export { todoRun } from './commands/todo/todo-run.ts'
export { trustProject } from './commands/trust/trust-project.ts'
export { undoRun } from './commands/undo/ask-first.ts'

/** These commands need to know a run's workflow, so they get ralph's registry. */
export const resumeRun = (name: string | undefined, options: ResumeOptions, io: Io): Promise<number> =>
  resumeRunIn(name, options, { registry: workflows, io, frontend: processFrontend(options) })
export const collectGarbage = collectGarbageOf.bind(null, workflows)
export const showStatus = showStatusOf.bind(null, workflows)

watchOutput()
