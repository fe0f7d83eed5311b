/**
 * Stops reading an agent's output while the console's reader is behind, so that unread output does not fill the memory.
 * It reads a chunk now and then, so that a waiting agent is not taken for a silent one. After a signal it reads freely,
 * so that the agent can finish.
 */
export function backPressure(
  drained: () => Promise<void> | null,
  inactivityMs: number,
  hurry: AbortSignal,
): () => Promise<void> | null {
  return () => {
    const wait = hurry.aborted ? null : drained()
    return (
      wait &&
      new Promise(resolve => {
        const go = () => {
          clearTimeout(timer)
          hurry.removeEventListener('abort', go)
          resolve()
        }
        const timer = setTimeout(go, inactivityMs / 2)
        hurry.addEventListener('abort', go)
        void wait.then(go)
      })
    )
  }
}
