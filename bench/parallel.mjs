// Eight independent tasks, one after the other and four at once, with an agent that only sleeps: how much faster is
// it? First through a pipeline of four stages, then as a build. Run it with: node bench/parallel.mjs [seconds]
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const SECONDS = Number(process.argv[2] ?? 2)
const TASKS = Array.from({ length: 8 }, (_, at) => `T${at + 1}`)
const LEAST = 3.5
const RALPH = join(import.meta.dirname, '..', 'dist', 'ralph.js')
const root = mkdtempSync(join(tmpdir(), 'ralph-parallel-'))
const AGENT = `#!/bin/sh
prompt=$(cat)
id=$(printf '%s\\n' "$prompt" | sed -n 's/^# Your task: .*(\\(.*\\))$/\\1/p')
promise=$(printf '%s\\n' "$prompt" | sed -n 's/^<promise>\\(.*\\)<\\/promise>$/\\1/p')
sleep ${SECONDS}
case $promise in IMPLEMENTATION_COMPLETE | '') echo "$id" > "$id.txt" ;; esac
echo "Done. <promise>$promise</promise>"
`

/** A project of its own for each run; how long the run took, in seconds. */
function time(name, prepare, words) {
  const project = join(root, name)
  const home = join(root, `${name}-home`)
  for (const dir of [project, home]) mkdirSync(dir)
  const env = {
    HOME: home,
    RALPH_HOME: join(home, '.ralph'),
    PATH: `${root}:${process.env.PATH}`,
    RALPH_TRUST: '1',
  }
  const git = (...args) => execFileSync('git', args, { cwd: project, stdio: 'pipe' })
  git('init', '-q')
  git('config', 'user.email', 'a@b')
  git('config', 'user.name', 'a')
  writeFileSync(join(project, '.gitignore'), '.ralph/\n')
  writeFileSync(join(project, 'tasks.json'), JSON.stringify(prepare.tasks))
  git('add', '.')
  git('commit', '-qm', 'begin')
  const ralph = (...args) => {
    const ran = spawnSync(process.execPath, [RALPH, ...args], { cwd: project, env, encoding: 'utf8' })
    if (ran.status !== 0) throw new Error(`ralph ${args.join(' ')}: ${ran.stdout.slice(-500)}`)
  }
  for (const args of prepare.commands) ralph(...args)
  const began = performance.now()
  ralph(...words, '--', join(root, 'sleeper'))
  const took = (performance.now() - began) / 1000
  for (const id of TASKS) execFileSync('test', ['-e', join(project, `${id}.txt`)])
  return took
}

const match = { verification_method: 'string_match' }
const pipelineTasks = TASKS.map(id => ({
  id,
  title: id,
  completion: {
    outcome: 'o',
    acceptance_criteria: ['a'],
    coder: match,
    reviewer: match,
    tester: match,
    qa: match,
  },
}))
const buildTasks = TASKS.map(id => ({ id, content: id, activeForm: id, status: 'pending', blockedBy: [] }))
const ways = {
  pipeline: [
    { tasks: pipelineTasks, commands: [['task', 'import', 'tasks.json', '--spec', 'all']] },
    ['pipeline'],
  ],
  build: [{ tasks: buildTasks, commands: [] }, ['build', '--tasks', 'tasks.json']],
}

try {
  writeFileSync(join(root, 'sleeper'), AGENT, { mode: 0o755 })
  for (const [name, [prepare, words]] of Object.entries(ways)) {
    const one = time(`${name}-1`, prepare, [...words, '--parallel', '1'])
    const four = time(`${name}-4`, prepare, [...words, '--parallel', '4'])
    const ratio = one / four
    const verdict = name === 'build' ? '' : ratio >= LEAST ? ' (ok)' : ` (should be ${LEAST})`
    console.log(
      `${name.padEnd(9)} 8 tasks: ${one.toFixed(1)} s, four at once ${four.toFixed(1)} s: ${ratio.toFixed(2)} times as fast${verdict}`,
    )
    if (name === 'pipeline' && ratio < LEAST) process.exitCode = 1
  }
} finally {
  rmSync(root, { recursive: true, force: true })
}
