// What the commands do that host a run, which stays for hours. Apart from what the others do, which is over at once.

import { watchOutput } from '../terminal/streams.ts'

export { superviseWorker } from '../workers/supervise.ts'
export { startBuild } from './commands/build/start-build.ts'
export { startPipeline } from './commands/pipeline/start-pipeline.ts'
export { startPrompt } from './commands/run/start-run.ts'
export { startStories } from './commands/stories/start-stories.ts'
export { resumeAny } from './commands/watch/resume-run.ts'

watchOutput()
