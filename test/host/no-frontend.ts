import type { Frontend, Listener } from '../../src/host/frontend.ts'

/** A frontend that shows nothing and asks nobody. */
export const noFrontend = (listeners: Listener[] = []): Frontend => ({
  announce() {},
  preview() {},
  watch: () => listeners,
  user: () => null,
  openSignals: () => ({
    signals: { soft: new AbortController().signal, hard: new AbortController().signal },
    interrupt() {},
    stopSoon() {},
    close() {},
  }),
})
