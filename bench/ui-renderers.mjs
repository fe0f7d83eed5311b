// Our renderer beside the one of pi-tui, which ralph does not use: the same frames of a run's screen, drawn on a
// pseudo-terminal of 160×45, each in a process of its own. docs/ui-rendering.md has the figures and the reasons.
// Run it with: npm install --prefix DIR @mariozechner/pi-tui@0.73.1 && node bench/ui-renderers.mjs DIR
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import pty from '@lydell/node-pty'
import { build } from 'esbuild'
import { f } from './setting.mjs'

const library = process.argv[2]
if (library === undefined) throw new Error('name the folder that pi-tui is installed in')
const dir = mkdtempSync(join(tmpdir(), 'ralph-renderers-'))
const SIZE = { columns: 160, rows: 45 }
const FRAME_MS = 66
const FRAMES = Math.round(15_000 / FRAME_MS)

const bundle = (contents, resolveDir, outfile) =>
  build({
    stdin: { contents, resolveDir: resolve(resolveDir), loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    minify: true,
    // In CommonJS there is none, and pi-tui asks for it.
    define: { 'import.meta.url': '__filename' },
    outfile: join(dir, outfile),
    logLevel: 'error',
  })

/** The screen of a build at work: every frame 66 more lines of output, or only another second on its clock. */
const SCENE = `
import { journal } from './test/view/report-journal.ts'
import { factsOf, item, modelWith, openScreen, runWith } from './test/view/screens/scene.ts'
import { screenStyle } from './src/view/style.ts'
const facts = factsOf(journal({ tasks: [['#1', 'Write prices'], ['#2', 'Add a cart']] }).iterate({ task: '#1' }).start({ task: '#2' }).events)
const lines = Array.from({ length: 20000 }, (_, n) => '  line ' + n + ': it reads the parser, changes what it does, runs the tests')
const items = Array.from({ length: 20 }, (_, n) => item('#' + n, 'Task number ' + n))
const style = screenStyle(true)
const frame = (count: number, seconds: number) => {
  const run = runWith(facts, { items, output: { lines: lines.slice(0, count), dropped: 0 }, live: '  / claude · ' + seconds + 's' })
  const now = modelWith().now + seconds * 1000
  return openScreen(modelWith({ run, now }), { size: ${JSON.stringify(SIZE)} }).lines(style)
}
export const frames = (count: number) => ({
  flood: Array.from({ length: count }, (_, n) => frame(100 + n * 66, n >> 4)),
  quiet: Array.from({ length: count }, (_, n) => frame(100, n)),
})`

const CHILD = `
const { readFileSync, writeFileSync } = require('node:fs')
const [, , which, load, folder] = process.argv
const frames = JSON.parse(readFileSync(folder + '/frames.json', 'utf8'))[load]
const before = [performance.now(), process.cpuUsage()]
const used = (from) => { const { user, system } = process.cpuUsage(from); return (user + system) / 1000 }
const renderers = {
  none: () => () => {},
  ours: () => require(folder + '/ours.js').open(process),
  'pi-tui': () => require(folder + '/pi-tui.js').open(),
}
const draw = renderers[which]()
const start = { ms: performance.now() - before[0], cpu: used(before[1]) }
let next = 0
const cpu = process.cpuUsage()
const timer = setInterval(() => {
  if (next < frames.length) return draw(frames[next++])
  clearInterval(timer)
  const rss = process.memoryUsage().rss / 1048576
  writeFileSync(folder + '/result.json', JSON.stringify({ start, cpu: used(cpu), rss }))
  process.exit(0)
}, ${FRAME_MS})`

const OURS = `
import { renderer } from './src/ui/renderer.ts'
import { fullScreen } from './src/ui/terminal.ts'
export function open(streams: any) {
  fullScreen(streams, () => {}).enter()
  return renderer(streams.stdout).draw
}`

const THEIRS = `
import { ProcessTerminal, TUI } from '@mariozechner/pi-tui'
export function open() {
  let lines: string[] = []
  const tui = new TUI(new ProcessTerminal())
  tui.addChild({ render: () => lines, invalidate() {} })
  tui.start()
  return (frame: string[]) => {
    lines = frame
    tui.requestRender()
  }
}`

async function measure(which, load) {
  const child = pty.spawn(process.execPath, [join(dir, 'child.js'), which, load, dir], {
    cols: SIZE.columns,
    rows: SIZE.rows,
    env: { PATH: process.env.PATH, HOME: dir, TERM: 'xterm-256color', LANG: 'C.UTF-8' },
  })
  let written = ''
  child.onData(data => {
    written += data
  })
  const { exitCode } = await new Promise(done => child.onExit(done))
  if (exitCode !== 0) throw new Error(`${which} failed: ${written}`)
  const { start, cpu, rss } = JSON.parse(readFileSync(join(dir, 'result.json'), 'utf8'))
  const marked = written.split('\x1b[?2026h').length - 1
  return { start, share: (cpu / (FRAMES * FRAME_MS)) * 100, rss, bytes: Buffer.byteLength(written), marked }
}

try {
  await bundle(SCENE, '.', 'scene.js')
  await bundle(OURS, '.', 'ours.js')
  await bundle(THEIRS, library, 'pi-tui.js')
  writeFileSync(join(dir, 'child.js'), CHILD)
  const { createRequire } = await import('node:module')
  const { frames } = createRequire(import.meta.url)(join(dir, 'scene.js'))
  writeFileSync(join(dir, 'frames.json'), JSON.stringify(frames(FRAMES)))
  console.log(
    'renderer  load   bundle KB  start ms  start CPU ms  % of a core  bytes a frame  frames marked   RSS MB',
  )
  for (const load of ['flood', 'quiet'])
    for (const which of ['none', 'ours', 'pi-tui']) {
      const { start, share, rss, bytes, marked } = await measure(which, load)
      const size = which === 'none' ? '' : f(statSync(join(dir, `${which}.js`)).size / 1024)
      const cells = [size, f(start.ms), f(start.cpu), f(share, 2), f(bytes / FRAMES, 0), marked, f(rss)]
      console.log(
        which.padEnd(9),
        load,
        ...cells.map((cell, at) => String(cell).padStart([10, 9, 13, 12, 14, 14, 8][at])),
      )
    }
} finally {
  rmSync(dir, { recursive: true, force: true })
}
