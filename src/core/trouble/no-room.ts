import { CannotGoOn } from '../ports.ts'

/** What the system lacks, by its error code. It may have it again in a moment. */
const LACKS: Readonly<Record<string, string>> = {
  EAGAIN: 'the system allows no more processes',
  EMFILE: 'ralph may not open more files (ulimit -n)',
  ENFILE: 'the system can open no more files',
  ENOMEM: 'the system has no memory left',
}

/** How long to wait before each new try: about six seconds in all. */
const WAITS_MS = [50, 100, 200, 400, 800, 1600, 3200]

/** What the system lacks, if that is why something failed. Otherwise null. */
function lackOf(error: unknown): string | null {
  const { code, cause } = error as { code?: string; cause?: unknown }
  return LACKS[code ?? ''] ?? (cause ? lackOf(cause) : null)
}

export const isNoRoom = (error: unknown): boolean => Boolean(error) && lackOf(error) !== null

/**
 * Does something that needs a new process or file. If the system has no room for it, that is nobody's failure: it is
 * tried again a few times, and then throws CannotGoOn.
 */
export async function whenRoom<T>(
  what: string,
  sleep: (ms: number) => Promise<unknown>,
  act: () => T | Promise<T>,
): Promise<T> {
  for (let tried = 0; ; tried++)
    try {
      return await act()
    } catch (error) {
      const lack = lackOf(error)
      if (lack === null) throw error
      const wait = WAITS_MS[tried]
      if (wait === undefined)
        throw new CannotGoOn(`cannot start ${what}: ${lack}; try again once there is room`, { cause: error })
      await sleep(wait)
    }
}
