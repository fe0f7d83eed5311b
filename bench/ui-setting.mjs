// What bench/ui.mjs works with: runs on disk as ralph leaves them, and the screen on a pseudo-terminal of its own.
import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import pty from '@lydell/node-pty'
import { agent, line, RALPH, SHORT } from './setting.mjs'

const root = mkdtempSync(join(tmpdir(), 'ralph-ui-'))
const home = join(root, 'home')
const project = join(root, 'project')
mkdirSync(project)
export const env = {
  PATH: process.env.PATH,
  HOME: root,
  RALPH_HOME: home,
  RALPH_TRUST: '1',
  LANG: 'C.UTF-8',
  TERM: 'xterm-256color',
}
export const cleanUp = () => rmSync(root, { recursive: true, force: true })

/** utime, stime and the start time of a process, in ticks; they come after its name, which may have spaces. */
const statOf = pid => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
const TICK_MS = 1000 / Number(spawnSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }).stdout)

/** The processor time that a process has used, its own and the kernel's for it, in milliseconds. */
export const cpuOf = pid => (Number(statOf(pid)[11]) + Number(statOf(pid)[12])) * TICK_MS
export const rssOf = pid =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024

/** This process stands for the host of the runs that are at work. */
const me = { pid: process.pid, startTime: statOf(process.pid)[19], host: hostname() }

/** A real run of three iterations. Its second one is repeated as often as a scene needs. */
const events = (() => {
  const words = ['run', '-p', 'Do the next task.', '-m', '3', '-a', agent('claude', SHORT)]
  spawnSync(process.execPath, [RALPH, ...words], { cwd: project, env })
  const [id] = readdirSync(join(home, 'runs'))
  const text = readFileSync(join(home, 'runs', id, 'journal.ndjson'), 'utf8')
  rmSync(join(home, 'runs', id), { recursive: true })
  return text.trim().split('\n').map(JSON.parse)
})()
const [began] = events
const iteration = events.filter(event => event.id === 2)
const finished = events.at(-1)

let runs = 0
/** A run of so many iterations: finished, or at work on one more. */
export function makeRun({ iterations = 0, isOver = false, age = 60_000 } = {}) {
  const id = `20260301-221530-${String(++runs).padStart(3, '0')}`
  const dir = join(home, 'runs', id)
  const session = join(project, '.ralph', 'sessions', id)
  const journal = join(dir, 'journal.ndjson')
  mkdirSync(dir, { recursive: true })
  let steps = 0
  const at = Date.now() - age
  const repeated = () => {
    const n = ++steps
    return iteration.map(event => ({
      ...event,
      at,
      id: n,
      ...('n' in event && { n }),
      ...countedAs(event, n),
    }))
  }
  const limits = { ...began.limits, iterations: null }
  const made = {
    dir,
    id,
    /** Events of so many more iterations, which are over. Returns how many events. */
    iterate(count) {
      const more = Array.from({ length: count }, repeated).flat()
      appendFileSync(journal, more.map(line).join(''))
      return more.length
    },
    /** Begins another iteration; returns how to write what its agent says. */
    start() {
      const [started] = repeated()
      const folder = join(session, `iter-${String(started.n).padStart(3, '0')}`)
      mkdirSync(folder, { recursive: true })
      const stream = join(folder, 'stream.ndjson')
      writeFileSync(stream, '')
      appendFileSync(journal, line(started))
      return texts => appendFileSync(stream, texts.map(said).join(''))
    },
  }
  writeFileSync(journal, line({ ...began, at, id, limits, ...(isOver ? { by: undefined } : { by: me }) }))
  for (let left = iterations; left > 0; left -= 1000) made.iterate(Math.min(left, 1000))
  if (isOver) appendFileSync(journal, line({ ...finished, at: Date.now() }))
  return made
}
const countedAs = (event, n) => event.type === 'settled' && { patch: { ...event.patch, n } }
const said = text => line({ type: 'assistant', message: { content: [{ type: 'text', text }] } })

const BEGIN = '\x1b[?2026h'
const END = '\x1b[?2026l'

/** A command on a terminal of 160×45. It counts frames, and keeps what came between them. */
export function open(argv) {
  const began = performance.now()
  const child = pty.spawn(argv[0], argv.slice(1), { cols: 160, rows: 45, cwd: project, env, name: env.TERM })
  const waiting = new Set()
  const ended = new Promise(resolve => child.onExit(resolve))
  const shown = { pid: child.pid, bytes: 0, frames: 0, outside: '', waitFor, close }
  let rest = ''
  const onFrame = text => {
    shown.frames++
    for (const one of waiting) one(text)
  }
  child.onData(data => {
    shown.bytes += Buffer.byteLength(data)
    rest += data
    for (;;) {
      const from = rest.indexOf(BEGIN)
      const to = rest.indexOf(END, from)
      if (from < 0 || to < 0) return
      shown.outside += rest.slice(0, from)
      const frame = rest.slice(from + BEGIN.length, to)
      rest = rest.slice(to + END.length)
      onFrame(frame)
    }
  })
  /** Waits for a frame with this text; gives milliseconds since the start, and of processor time. */
  function waitFor(text) {
    return new Promise(resolve => {
      const look = frame => {
        if (!frame.includes(text)) return
        waiting.delete(look)
        resolve({ ms: performance.now() - began, cpu: cpuOf(child.pid) })
      }
      waiting.add(look)
    })
  }
  async function close() {
    child.write('q')
    await ended
    shown.outside += rest
  }
  return shown
}

export const watch = (...words) => open([process.execPath, RALPH, 'watch', ...words])
