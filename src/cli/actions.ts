// What the commands do, apart from what they are called: read only when one of them runs, so that
// `ralph --help` does not have to read all of ralph.
export { archiveStories } from './archive-stories.ts'
export { collectGarbage } from './collect-garbage.ts'
export { offerCompletions, printCompletions } from './completions.ts'
export { demoAgent } from './demo/agent.ts'
export { showDemo } from './demo/show.ts'
export { diffRun } from './diff-run.ts'
export { diagnose } from './doctor/diagnose.ts'
export { initProject } from './init/init-project.ts'
export { initStories } from './init/init-stories.ts'
export { managePlugin } from './plugin/manage.ts'
export { reportRun } from './report-run.ts'
export { resumeRun } from './resume-run.ts'
export { showStatus } from './show-status.ts'
export { startBuild } from './start-build.ts'
export { startRun } from './start-run.ts'
export { startStories } from './start-stories.ts'
export { cancelRun, pauseRun, tellRun } from './steer-run.ts'
export { todoRun } from './todo-run.ts'
export { trustProject } from './trust-project.ts'
export { undoRun } from './undo-run.ts'

// A reader that went away (`| head`, a closed terminal) is no error of ours.
process.stdout.on('error', () => {})
process.stderr.on('error', () => {})
