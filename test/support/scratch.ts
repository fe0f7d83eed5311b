import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** An empty folder of the test's own, gone when the test is over. */
export function scratch(name = 'ralph-test-'): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), name)))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }))
  return dir
}
