// What `ralph run` does. Apart from what the other commands do: most processes of ralph are a run, and stay for hours.

import { watchOutput } from '../terminal/streams.ts'

export { startPrompt } from './commands/run/start-run.ts'

watchOutput()
