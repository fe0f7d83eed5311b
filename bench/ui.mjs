// The screen of ralph watch on a pseudo-terminal of 160×45: first paint, idle, a flood of output, memory over a million
// events, a run of 10,000 iterations. Processor time is that of the screen's process, so others on the machine do not count.
// Run it after npm run build with: node bench/ui.mjs [scene …]
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { least, median } from './measure.mjs'
import { f, root as scratch } from './setting.mjs'
import { cleanUp, cpuOf, env, makeRun, open, rssOf, watch } from './ui-setting.mjs'

const row = (what, goal, ...figures) =>
  console.log(`${what.padEnd(46)} ${goal.padStart(12)}   ${figures.join(', ')}`)
const remove = run => rmSync(run.dir, { recursive: true })
/** Only what it takes to begin and to leave may be outside of a frame. */
const OWN = /\x1b\[\?(?:1049|25|7|2004)[hl]|\x1b\[\?2026l/g

/** The share of a core that a process uses in a time. */
async function load(pid, ms) {
  const [cpu, at] = [cpuOf(pid), performance.now()]
  await delay(ms)
  return ((cpuOf(pid) - cpu) / (performance.now() - at)) * 100
}

async function firstPaint() {
  const runs = Array.from({ length: 10 }, () => makeRun({ iterations: 20 }))
  const PRINT = `process.stdout.write('\\x1b[?2026hready\\x1b[?2026l'); setTimeout(() => {}, 50)`
  const ways = {
    'bare node': ['ready', () => open([process.execPath, '-e', PRINT])],
    'all of 10 runs': ['NAME', () => watch()],
    'one run': ['iteration 21', () => watch(runs[0].id)],
  }
  for (const { start } of runs) start()
  const times = Object.fromEntries(Object.keys(ways).map(name => [name, []]))
  for (let round = 0; round < 9; round++)
    for (const [name, [text, show]] of Object.entries(ways)) {
      const screen = show()
      times[name].push(await screen.waitFor(text))
      await screen.close()
    }
  for (const [name, found] of Object.entries(times)) {
    const ms = found.map(one => one.ms)
    const cpu = found.map(one => one.cpu)
    row(
      `first paint, ${name}`,
      name === 'bare node' ? '' : '300 ms',
      `${f(least(ms), 0)} ms at best`,
      `${f(median(ms), 0)} as a rule`,
      `${f(median(cpu), 0)} of processor time`,
    )
  }
  for (const run of runs) remove(run)
}

async function idle() {
  const runs = Array.from({ length: 10 }, () => makeRun({ iterations: 20 }))
  for (const { start } of runs) start()(['Working on it.'])
  for (const [name, text, words] of [
    ['one live run that says nothing', 'Working on it.', [runs[0].id]],
    ['all of 10 live runs', 'NAME', []],
  ]) {
    const screen = watch(...words)
    await screen.waitFor(text)
    await delay(2000)
    const { bytes, frames } = screen
    const used = await load(screen.pid, 20_000)
    row(
      `idle, ${name}`,
      '1 %',
      `${f(used, 2)} % of a core`,
      `${f((screen.frames - frames) / 20)} frames`,
      `${f((screen.bytes - bytes) / 20, 0)} bytes a second`,
    )
    await screen.close()
  }
  for (const run of runs) remove(run)
}

const SECONDS = 15
const PER_SECOND = 1000
const words = n => `line ${n}: it reads the parser, changes what it does with a comma, and runs the tests`

async function flood() {
  const run = makeRun({ iterations: 20 })
  const say = run.start()
  const screen = watch(run.id)
  await screen.waitFor('iteration')
  await delay(500)
  const { bytes, frames } = screen
  const measured = load(screen.pid, SECONDS * 1000)
  const began = performance.now()
  let said = 0
  while (said < SECONDS * PER_SECOND) {
    const due = Math.min(((performance.now() - began) / 1000) * PER_SECOND, SECONDS * PER_SECOND)
    const from = said
    said = Math.floor(due)
    if (said > from) say(Array.from({ length: said - from }, (_, at) => words(from + at)))
    await delay(20)
  }
  const used = await measured
  const seen = screen.waitFor('the very last')
  say(['the very last'])
  await seen
  await screen.close()
  row(
    `${PER_SECOND} lines a second for ${SECONDS} s`,
    '10 %',
    `${f(used)} % of a core`,
    `${f((screen.frames - frames) / SECONDS)} frames`,
    `${f((screen.bytes - bytes) / SECONDS / 1024, 0)} KB a second`,
  )
  const outside = screen.outside.replace(OWN, '')
  row('  bytes outside of synchronized frames', '0', `${outside.length} of ${screen.bytes}`)
  remove(run)
}

const MILLION = 1_000_000
const LOOKS = [100_000, 250_000, 500_000, MILLION]

/** `feed`: adds events, and ends once they are on the screen. Returns how many. */
async function grow(name, screen, feed) {
  const found = []
  let count = 0
  for (const look of LOOKS) {
    while (count < look) count += await feed()
    // What is garbage by now is not what a screen keeps.
    await delay(3000)
    found.push(`${f(rssOf(screen.pid), 0)} MB`)
  }
  row(`memory at 0.1, 0.25, 0.5, 1 million ${name}`, 'flat', ...found)
  await screen.close()
}

async function memoryOfOutput() {
  const talking = makeRun()
  const say = talking.start()
  const screen = watch(talking.id)
  await screen.waitFor('iteration')
  let said = 0
  await grow('lines of an agent', screen, async () => {
    const seen = screen.waitFor(`line ${said + 9_999}`)
    say(Array.from({ length: 10_000 }, () => words(said++)))
    await seen
    return 10_000
  })
  remove(talking)
}

async function memoryOfJournal() {
  const long = makeRun()
  const other = watch(long.id)
  await other.waitFor(long.id)
  let iterations = 0
  await grow('events of a journal', other, async () => {
    iterations += 2000
    const seen = other.waitFor(`iteration ${iterations}`)
    const events = long.iterate(2000)
    await seen
    return events
  })
  remove(long)
}

async function long() {
  const run = makeRun({ iterations: 10_000, isOver: true })
  const READ = `for (const line of require('fs').readFileSync(process.argv[1], 'utf8').split('\\n'))
    if (line) JSON.parse(line)`
  const bare = []
  const found = []
  for (let round = 0; round < 5; round++) {
    const began = performance.now()
    spawnSync(process.execPath, ['-e', READ, join(run.dir, 'journal.ndjson')], { env })
    bare.push(performance.now() - began)
    const screen = watch(run.id)
    found.push(await screen.waitFor('iteration 10000'))
    await screen.close()
  }
  row(
    'bare node parses 10,000 iterations',
    '',
    `${f(least(bare), 0)} ms at best`,
    `${f(median(bare), 0)} as a rule`,
  )
  const ms = found.map(one => one.ms)
  row(
    'open a finished run of 10,000 iterations',
    '1000 ms',
    `${f(least(ms), 0)} ms at best`,
    `${f(median(ms), 0)} as a rule`,
    `${f(median(found.map(one => one.cpu)), 0)} of processor time`,
  )
  remove(run)
}

const SCENES = { paint: firstPaint, idle, flood, output: memoryOfOutput, journal: memoryOfJournal, long }
const chosen = process.argv.slice(2)
try {
  row('what', 'goal', 'figures')
  for (const [name, scene] of Object.entries(SCENES))
    if (chosen.length === 0 || chosen.includes(name)) await scene()
} finally {
  cleanUp()
  rmSync(scratch, { recursive: true, force: true })
}
