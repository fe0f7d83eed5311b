// What the commands do, apart from what they are called: read only when one of them runs, so that
// `ralph --help` does not have to read all of ralph.

export { resumeRun } from '../host/resume.ts'
export { diffRun } from '../runs/diff.ts'
export { collectGarbage } from '../runs/gc.ts'
export { reportRun } from '../runs/report.ts'
export { showStatus } from '../runs/show-status.ts'
export { cancelRun, pauseRun, tellRun } from '../runs/steer.ts'
export { undoRun } from '../runs/undo.ts'
export { archiveStories } from './archive-stories.ts'
export { offerCompletions, printCompletions } from './completions.ts'
export { demoAgent } from './demo/agent.ts'
export { showDemo } from './demo/show.ts'
export { diagnose } from './doctor/diagnose.ts'
export { initProject } from './init/init-project.ts'
export { initStories } from './init/init-stories.ts'
export { managePlugin } from './plugin/manage.ts'
export { startBuild } from './start-build.ts'
export { startRun } from './start-run.ts'
export { startStories } from './start-stories.ts'
export { todoRun } from './todo-run.ts'
export { trustProject } from './trust-project.ts'

// A reader that went away (`| head`, a closed terminal) is no error of ours.
process.stdout.on('error', () => {})
process.stderr.on('error', () => {})
