// Brings in the agent CLIs, as pinned. Where that is impossible the suite runs all the same, and skips aloud.
import { spawnSync } from 'node:child_process'

const folder = import.meta.dirname
const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
  cwd: folder,
  stdio: 'inherit',
})
if (status !== 0)
  console.log('The agent CLIs could not be installed: the tests that need them will be skipped.')
