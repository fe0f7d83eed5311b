// Tries ralph on other versions of Node: the demo, the kernel, and a choice of the tests with processes.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

const folder = import.meta.dirname
const root = join(folder, '..', '..')
const VERSIONS = ['node22', 'node24']

const npm = ['ci', '--no-audit', '--no-fund', '--loglevel=error']
if (spawnSync('npm', npm, { cwd: folder, stdio: 'inherit' }).status !== 0)
  console.log('The other versions of Node could not be installed: the tests that need them will be skipped.')

for (const version of VERSIONS) {
  const node = join(folder, 'node_modules', `${version}-${process.platform}-${process.arch}`, 'bin', 'node')
  if (!existsSync(node)) {
    console.log(`SKIPPED: there is no ${version} for ${process.platform}-${process.arch}`)
    continue
  }
  console.log(`\n== ${version}`)
  const env = {
    ...process.env,
    PATH: `${dirname(node)}${delimiter}${process.env.PATH}`,
    RALPH_REPORT: join(root, 'node_modules', '.cache', 'ralph', `test-${version}.json`),
  }
  for (const args of [
    ['dist/ralph.js', 'demo'],
    ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/nodes/vitest.config.ts'],
  ])
    if (spawnSync(node, args, { cwd: root, env, stdio: 'inherit' }).status !== 0) process.exitCode = 1
}
