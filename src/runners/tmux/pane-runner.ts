import type { MakeRunner } from '../index.ts'
import { canStart } from '../process/launch.ts'
import { startInPane } from './pane-call.ts'
import type { WorkerWindow } from './window.ts'

/**
 * Runs commands that print for people in the window of a worker, where one can look at them. All else, and the marks, the
 * warden, stopping and sweeping, are those of the runner that `make` gives. The window holds one agent at a time; a second one
 * runs without a window.
 */
export const paneRunner =
  (make: MakeRunner, window: WorkerWindow, folderFor: (run: string) => string): MakeRunner =>
  options => {
    const runner = make(options)
    let isTaken = false
    return {
      ...runner,
      start(command, id, sink) {
        // Starting what cannot be started tells why.
        if (!command.plain || isTaken || !canStart(command)) return runner.start(command, id, sink)
        isTaken = true
        return runner
          .startBy(command, id, async (marked, prefix) => {
            const started = await startInPane(window, folderFor(options.run), marked, prefix, sink)
            const free = () => {
              isTaken = false
            }
            return { ...started, follow: () => started.follow().finally(free) }
          })
          .catch(error => {
            isTaken = false
            throw error
          })
      },
    }
  }
