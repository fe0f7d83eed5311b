/**
 * Holds an agent's output back while whoever reads the console is behind, so that what nobody takes is not kept in
 * memory. Never for long: a look now and then tells an agent that waits from a silent one. And not once somebody
 * wants the end: an agent that is let finish must be able to.
 */
export function keepPace(
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
