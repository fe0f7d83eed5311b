// The golden record: what the command lines of test/cli print and leave behind, before a change and after it.
//
//   node test/golden/record.mjs DIR [part of a test file's path ...]   records the built program into DIR
//   node test/golden/record.mjs --compare BEFORE AFTER                 prints what differs; exit 1 if anything does
//
// A record has one file for each command line that a test runs in its own process (test/golden/hosted.ts says what is in
// it). Ids, times, pids, hashes and paths are masked. GOLDEN_BUILD=PATH/dist/ralph.js records another build with the tests
// of this tree, so that the scenes are the same and only the program differs.
//
// Left out is what does not come out the same twice: tests with several agents at once, and those that kill or wait.
// Record the start twice; `--compare` of the two lists what else is not steady, and `--steady FIRST SECOND` removes that
// from FIRST, so that every later difference means something.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { createTwoFilesPatch } from 'diff'

const [first, ...rest] = process.argv.slice(2)
if (first === '--compare' && rest.length === 2) process.exitCode = compare(...rest)
else if (first === '--steady' && rest.length === 2) removeUnsteady(...rest)
else if (first && !first.startsWith('-')) process.exitCode = record(resolve(first), rest)
else {
  console.error(
    'usage: node test/golden/record.mjs DIR [FILE ...] | --compare BEFORE AFTER | --steady FIRST SECOND',
  )
  process.exitCode = 2
}

/** A test that fails is recorded all the same: the record tells what the program did, not whether it was right. */
function record(dir, files) {
  mkdirSync(dir, { recursive: true })
  const config = join(import.meta.dirname, 'vitest.config.ts')
  const vitest = spawnSync('npx', ['vitest', 'run', '--config', config, ...files], {
    stdio: 'inherit',
    env: { ...process.env, GOLDEN_RECORD: dir },
  })
  console.log(`${scenesIn(dir).length} command lines are recorded in ${dir}`)
  return vitest.error ? 1 : 0
}

/** Scenes of BEFORE that AFTER did not record are only counted: one may record a few files. */
function compare(before, after) {
  const recorded = new Set(scenesIn(after))
  const both = scenesIn(before).filter(scene => recorded.has(scene))
  const differing = both.filter(scene => !isSame(before, after, scene))
  for (const scene of differing) {
    const [old, now] = [before, after].map(dir => readFileSync(join(dir, scene), 'utf8'))
    const patch = createTwoFilesPatch('before', 'after', old, now, '', '', { context: 1 })
    console.log(`\n== ${scene}\n${patch.split('\n').slice(3).join('\n').trimEnd()}`)
  }
  console.log(
    `${both.length} compared, ${differing.length} differ, ${scenesIn(before).length - both.length} not recorded again`,
  )
  return differing.length === 0 ? 0 : 1
}

function removeUnsteady(first, second) {
  const unsteady = scenesIn(first).filter(
    scene => !existsSync(join(second, scene)) || !isSame(first, second, scene),
  )
  for (const scene of unsteady) {
    rmSync(join(first, scene))
    console.log(scene)
  }
  console.log(`${unsteady.length} removed, ${scenesIn(first).length} left`)
}

function isSame(before, after, scene) {
  return readFileSync(join(before, scene)).equals(readFileSync(join(after, scene)))
}

function scenesIn(dir) {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => relative(dir, join(entry.parentPath, entry.name)))
    .sort()
}
