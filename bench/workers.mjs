// Ten workers at once for a minute of short iterations: is every state true, is every line there, is anything left?
// Then the memory and the processor time of a supervisor that waits. Run it with: node bench/workers.mjs [seconds]
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const COUNT = 10
const SECONDS = Number(process.argv[2] ?? 60)
const RALPH = join(import.meta.dirname, '..', 'dist', 'ralph.js')
const root = mkdtempSync(join(tmpdir(), 'ralph-soak-'))
const home = join(root, 'home')
const bin = join(root, 'bin')
for (const dir of [home, bin]) mkdirSync(dir)
const env = {
  HOME: home,
  RALPH_HOME: join(home, '.ralph'),
  PATH: `${bin}:${process.env.PATH}`,
  RALPH_TRUST: '1',
}
const AGENT = `#!/bin/sh
case "$*" in *--help | --version) exit 0 ;; esac
cat > /dev/null
for word in one two three; do
  echo '{"type":"assistant","message":{"id":"'$word'","content":[{"type":"text","text":"line '$word' of '$$'"}]}}'
done
sleep 0.3
echo '{"type":"result","subtype":"success","is_error":false,"result":"ok '$$'","usage":{"input_tokens":1,"output_tokens":1}}'
`
writeFileSync(join(bin, 'claude'), AGENT, { mode: 0o755 })
const ralph = (cwd, ...words) =>
  spawnSync(process.execPath, [RALPH, ...words], { cwd, env, encoding: 'utf8' })
const names = Array.from({ length: COUNT }, (_, at) => `worker-${at + 1}`)
const file = (name, path) => join(env.RALPH_HOME, 'workers', name, path)
const text = (name, path) => (existsSync(file(name, path)) ? readFileSync(file(name, path), 'utf8') : '')
const pidOf = name => JSON.parse(text(name, 'worker.json')).supervisor.pid
const commandOf = pid => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}
const problems = []

try {
  for (const name of names) {
    const project = join(root, name)
    mkdirSync(project)
    execFileSync('git', ['init', '-q'], { cwd: project })
    const ran = ralph(project, 'spawn', '--name', name, '-p', 'work', '-m', '100000', '-a', 'claude')
    if (ran.status !== 0) problems.push(`${name}: ${ran.stderr}`)
  }
  await delay(SECONDS * 1000)
  const listed = JSON.parse(ralph(root, 'ls', '--format', 'json').stdout)
  for (const { name, status } of listed) if (status !== 'running') problems.push(`${name} is ${status}`)
  for (const name of names) ralph(root, 'pause', name)
  await delay(3000)
  let iterations = 0
  for (const name of names) {
    const { current_iteration: n, status } = JSON.parse(text(name, 'state.json'))
    iterations += n
    const view = text(name, 'view.log')
    const log = text(name, 'iterations.log')
    const count = (all, what) => all.split(what).length - 1
    if (status !== 'paused') problems.push(`${name} says ${status}, not paused`)
    if (count(log, '[START]') !== n || count(log, '[END]') !== n)
      problems.push(`${name}: ${n} iterations, another log`)
    for (const word of ['one', 'two', 'three'])
      if (count(view, `line ${word} of`) !== n) problems.push(`${name}: a line is missing in its view`)
  }
  const cpu = pid =>
    readFileSync(`/proc/${pid}/stat`, 'utf8')
      .split(') ')[1]
      .split(' ')
      .slice(11, 13)
      .reduce((a, b) => a + Number(b), 0)
  const before = names.map(name => cpu(pidOf(name)))
  await delay(10_000)
  const used = names.map((name, at) => cpu(pidOf(name)) - before[at])
  const rss = names.map(
    name => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pidOf(name)}/status`, 'utf8'))[1]) / 1024,
  )
  const pids = names.map(pidOf)
  for (const name of names) {
    const killed = ralph(root, 'kill', name)
    if (killed.status !== 0) problems.push(`kill ${name}: ${killed.stderr}`)
  }
  await delay(1000)
  // One that has ended may wait for its parent.
  const left = pids.filter(
    pid => existsSync(`/proc/${pid}`) && !/State:\s+Z/.test(readFileSync(`/proc/${pid}/status`, 'utf8')),
  )
  const agents = readdirSync('/proc').filter(pid => /^\d+$/.test(pid) && commandOf(pid).includes(bin))
  if (left.length > 0 || agents.length > 0) problems.push(`left after kill: ${left} ${agents}`)
  console.log(`${COUNT} workers, ${SECONDS} s: ${iterations} iterations`)
  console.log(
    `a waiting supervisor: ${Math.max(...rss).toFixed(0)} MB at most, ${Math.max(...used)} ticks of processor time in 10 s`,
  )
} finally {
  spawnSync('tmux', ['-S', join(env.RALPH_HOME, 'tmux.sock'), 'kill-server'])
  rmSync(root, { recursive: true, force: true })
}
for (const problem of problems) console.log(`problem: ${problem}`)
process.exitCode = problems.length > 0 ? 1 : 0
