import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome']

/** A browser on PATH; null where there is none. */
export const chromiumPath: string | null = findOnPath()

if (chromiumPath === null)
  console.warn(`SKIPPED: none of ${NAMES.join(', ')} is on PATH, so no page is opened in a real browser`)

/** Nothing of its own may go to the network, and it must start for root, too. */
export const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

function findOnPath(): string | null {
  for (const folder of (process.env.PATH ?? '').split(':'))
    for (const name of NAMES) {
      const path = join(folder, name)
      try {
        accessSync(path, constants.X_OK)
        return path
      } catch {
        // Not here.
      }
    }
  return null
}
