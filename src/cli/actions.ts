// What the commands do, apart from what they are called: read only when one of them runs, so that
// `ralph --help` does not have to read all of ralph.

export { resumeRun } from '../host/resume.ts'
export { diffRun } from '../runs/diff.ts'
export { collectGarbage } from '../runs/gc.ts'
export { reportRun } from '../runs/report.ts'
export { showStatus } from '../runs/show-status.ts'
export { cancelRun, pauseRun, tellRun } from '../runs/steer.ts'
export { undoRun } from '../runs/undo.ts'
export { archiveStories } from './commands/archive/archive-stories.ts'
export { startBuild } from './commands/build/start-build.ts'
export { offerCompletions, printCompletions } from './commands/completions/completions.ts'
export { demoAgent } from './commands/demo/agent.ts'
export { showDemo } from './commands/demo/show.ts'
export { diagnose } from './commands/doctor/diagnose.ts'
export { initProject } from './commands/init/init-project.ts'
export { initStories } from './commands/init/init-stories.ts'
export { managePlugin } from './commands/plugin/manage.ts'
export { startRun } from './commands/run/start-run.ts'
export { startStories } from './commands/stories/start-stories.ts'
export { todoRun } from './commands/todo/todo-run.ts'
export { trustProject } from './commands/trust/trust-project.ts'

// A reader that went away (`| head`, a closed terminal) is no error of ours.
process.stdout.on('error', () => {})
process.stderr.on('error', () => {})
