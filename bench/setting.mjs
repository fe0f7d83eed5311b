// What the scenes share: a folder to work in, agents that cost about nothing, ralph, and bare loops to compare it with.
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { compare, measure } from './measure.mjs'

export const RALPH = resolve('dist/ralph.js')
const BARE = resolve('bench/bare-loop.mjs')
export const root = mkdtempSync(join(tmpdir(), 'ralph-bench-'))
export const env = {
  PATH: process.env.PATH,
  HOME: root,
  RALPH_HOME: join(root, 'home'),
  TMPDIR: root,
  LANG: 'C.UTF-8',
  TERM: 'dumb',
}
export const row = (...cells) =>
  console.log(cells.map((c, i) => (i ? String(c).padStart(16) : String(c).padEnd(38))).join(''))
export const f = (n, digits = 1) => n.toFixed(digits)
const every = values => values

/** An agent that reads the prompt and prints a file. `first`: what it does before, in shell. */
export function agent(name, text, first = ':') {
  const path = join(root, name)
  if (text !== undefined) writeFileSync(`${path}.out`, text)
  writeFileSync(
    path,
    [
      '#!/bin/sh',
      // As real ones do, it says what it can: that is asked once and remembered.
      `case "$*" in *--help) echo '  -p, --print  Print'; exit ;; --version) echo 1.0.0; exit ;; esac`,
      first,
      'cat >/dev/null',
      `exec cat "${path}.out"`,
      '',
    ].join('\n'),
  )
  chmodSync(path, 0o755)
  return path
}

export const line = o => `${JSON.stringify(o)}\n`
export const RESULT = line({
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: 'Working.',
  total_cost_usd: 0.01,
  usage: { input_tokens: 10, output_tokens: 5 },
})
export const SHORT = [
  line({ type: 'system', subtype: 'init', session_id: 's', model: 'm' }),
  line({ type: 'assistant', message: { content: [{ type: 'text', text: 'Looking.' }] } }),
  line({
    type: 'assistant',
    message: { content: [{ type: 'tool_use', id: 't', name: 'Bash', input: { command: 'make' } }] },
  }),
  line({
    type: 'user',
    message: { content: [{ type: 'tool_result', tool_use_id: 't', content: '12 passed' }] },
  }),
  RESULT,
].join('')

let projects = 0
/** An empty project. */
export function project() {
  const dir = join(root, `p${++projects}`)
  mkdirSync(dir)
  return dir
}

/** A git project with these files, all committed. */
export function gitProject(files) {
  const dir = project()
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(dir, path, '..'), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
  const git = (...args) => execFileSync('git', args, { cwd: dir, env, stdio: 'ignore' })
  git('init', '-q', '-b', 'main')
  git('config', 'user.name', 'bench')
  git('config', 'user.email', 'bench@example.invalid')
  git('add', '-A')
  git('commit', '-q', '-m', 'start')
  return dir
}

/** Every way to run takes a program, a number of iterations and options, and measures it. */
export const ralph = (program, iterations, options, words = ['run', '-p', 'Do the next task.']) =>
  measure([process.execPath, RALPH, ...words, '-a', program, '-m', String(iterations)], {
    cwd: project(),
    env,
    ...options,
  })
export const bare = (program, iterations, options) =>
  measure([process.execPath, BARE, program, String(iterations)], { cwd: root, env, ...options })

/** The bare loop that keeps a record as ralph does; `more`: what else it does. */
export const synced = (program, iterations, options, ...more) =>
  measure([process.execPath, BARE, program, String(iterations), join(project(), 'record'), ...more], {
    cwd: root,
    env,
    ...options,
  })

/** What one iteration takes by the difference of many and few, when the machine was disturbed least and as a rule. */
export async function iterations(contenders, program, [few, many], rounds = 9) {
  const times = await compare(
    rounds,
    contenders.flatMap(({ name, run }) =>
      [few, many].map(n => ({ name: `${name} ${n}`, run: () => run(program, n) })),
    ),
    every,
  )
  const each = (name, sum) => (sum(times[`${name} ${many}`]) - sum(times[`${name} ${few}`])) / (many - few)
  return { each, over: (name, sum, reference = 'bare node') => f(each(name, sum) - each(reference, sum), 2) }
}

/** All times until the first call of the agent, by contender. Ralph's home has all the earlier runs, as people's has. */
export function firstCalls(contenders, rounds) {
  const called = join(root, 'called')
  const marking = agent('claude', SHORT, `: >"${called}"`)
  const untilCalled = run => async () => {
    // From rest, as people start it: what the one before left to the disk is not its business.
    await delay(300)
    const began = await run(marking, 1).then(({ began }) => began)
    return { ms: statSync(called).mtimeMs - began }
  }
  return compare(
    rounds,
    contenders.map(({ name, run }) => ({ name, run: untilCalled(run) })),
    every,
  )
}
