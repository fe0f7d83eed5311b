// Start-up of ralph and of the plugin's hooks, the cost of an iteration, a large stream and long lists of tasks, each
// beside a reference in the same run.
// usage: npm run bench [-- startup hooks loop stream tasks]
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { compare, least, measure, median } from './measure.mjs'

const RALPH = resolve('dist/ralph.js')
const BARE = resolve('bench/bare-loop.mjs')
const root = mkdtempSync(join(tmpdir(), 'ralph-bench-'))
const env = {
  PATH: process.env.PATH,
  HOME: root,
  RALPH_HOME: join(root, 'home'),
  TMPDIR: root,
  LANG: 'C.UTF-8',
  TERM: 'dumb',
}
const row = (...cells) =>
  console.log(cells.map((c, i) => (i ? String(c).padStart(16) : String(c).padEnd(34))).join(''))
const f = (n, digits = 1) => n.toFixed(digits)
const every = values => values

/** An agent that costs about nothing: it reads the prompt and prints a file. */
function agent(name, text, first = ':') {
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

const line = o => `${JSON.stringify(o)}\n`
const RESULT = line({
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: 'Working.',
  total_cost_usd: 0.01,
  usage: { input_tokens: 10, output_tokens: 5 },
})
const SHORT = [
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
function project() {
  const dir = join(root, `p${++projects}`)
  mkdirSync(dir)
  return dir
}
const ralph = (program, iterations, options, words = ['run', '-p', 'Do the next task.']) =>
  measure([process.execPath, RALPH, ...words, '-a', program, '-m', String(iterations)], {
    cwd: project(),
    env,
    ...options,
  })
const bare = (program, iterations, options) =>
  measure([process.execPath, BARE, program, String(iterations)], { cwd: root, env, ...options })
const synced = (program, iterations) =>
  measure([process.execPath, BARE, program, String(iterations), join(project(), 'record')], {
    cwd: root,
    env,
  })

/** What one iteration takes by the difference of many and few, when the machine was disturbed least and as a rule. */
async function iterations(contenders, program, few, many) {
  const times = await compare(
    9,
    contenders.flatMap(({ name, run }) =>
      [few, many].map(n => ({ name: `${name} ${n}`, run: () => run(program, n) })),
    ),
    every,
  )
  const each = (name, sum) => (sum(times[`${name} ${many}`]) - sum(times[`${name} ${few}`])) / (many - few)
  return { each, over: (name, sum) => f(each(name, sum) - each('bare node', sum), 2) }
}

const TESTS = {
  async startup() {
    const cli =
      (...words) =>
      () =>
        measure([process.execPath, ...words], { env })
    const ms = await compare(25, [
      { name: 'node -e 0', run: cli('-e', '0') },
      { name: 'ralph --version', run: cli(RALPH, '--version') },
      { name: 'ralph --help', run: cli(RALPH, '--help') },
      { name: 'ralph run --help', run: cli(RALPH, 'run', '--help') },
    ])
    row('start-up', 'ms', 'x node', 'goal')
    for (const [name, value] of Object.entries(ms)) row(name, f(value), f(value / ms['node -e 0'], 2), '1.35')
  },
  async hooks() {
    const transcript = join(root, 'transcript.jsonl')
    writeFileSync(transcript, '')
    truncateSync(transcript, 100e6)
    const usage = { input_tokens: 60_000 }
    writeFileSync(transcript, `\n${line({ type: 'assistant', message: { model: 'm', usage } })}`, {
      flag: 'a',
    })
    const input = join(root, 'hook.json')
    writeFileSync(
      input,
      line({ session_id: 's', transcript_path: transcript, cwd: root, hook_event_name: 'PostToolUse' }),
    )
    const bash = join(root, 'bash.json')
    writeFileSync(
      bash,
      line({ tool_name: 'Bash', tool_input: { command: 'npm test && git commit -am "x"' } }),
    )
    const call =
      (from, ...words) =>
      async () => {
        const fd = openSync(from)
        try {
          return await measure([process.execPath, ...words], { env, stdio: [fd, 'ignore', 'ignore'] })
        } finally {
          closeSync(fd)
        }
      }
    const ms = await compare(25, [
      { name: 'node -e 0', run: call(input, '-e', '0') },
      { name: 'context, 100 MB transcript', run: call(input, 'plugin/hooks/context.js') },
      { name: 'stop, outside a story loop', run: call(input, 'plugin/hooks/stop.js') },
      { name: 'a command judged', run: call(bash, 'plugin/hooks/pre-tool-use.js') },
    ])
    row('hooks', 'ms', 'x node', 'goal')
    for (const [name, value] of Object.entries(ms)) row(name, f(value), f(value / ms['node -e 0'], 2), '1.50')
  },
  async loop() {
    const program = agent('claude', SHORT)
    const [few, many] = [5, 205]
    const shell = (_, n) =>
      measure(
        [
          'sh',
          '-c',
          `i=0; while [ $i -lt ${n} ]; do echo prompt | "${program}" >/dev/null; i=$((i+1)); done`,
        ],
        { env },
      )
    const contenders = [
      { name: 'bare shell', run: shell },
      { name: 'bare node', run: bare },
      { name: 'bare node, two syncs', run: synced },
      { name: 'ralph run', run: ralph },
    ]
    const { each, over } = await iterations(contenders, program, few, many)
    row('an iteration, of 9', 'least ms', 'over bare node', 'less 2 syncs', 'medians')
    for (const { name } of contenders) {
      const less = sum => f(each(name, sum) - each('bare node, two syncs', sum), 2)
      const rest = name === 'ralph run' ? [less(least), less(median)] : ['', '']
      row(name, f(each(name, least), 2), over(name, least), ...rest)
    }
    row('goal', '', '', '1.5', '1.5')
  },
  async stream() {
    const program = agent('claude')
    const fd = openSync(`${program}.out`, 'w')
    const text = 'x'.repeat(900)
    for (let i = 0; i < 200_000; i++)
      writeSync(
        fd,
        line({
          type: 'assistant',
          message: { id: `m${i}`, content: [{ type: 'text', text: `${i} ${text}` }] },
        }),
      )
    for (let i = 0; i < 4; i++)
      writeSync(
        fd,
        line({
          type: 'user',
          message: { content: [{ type: 'tool_result', tool_use_id: 'x', content: 'y'.repeat(5e6) }] },
        }),
      )
    writeSync(fd, RESULT)
    closeSync(fd)
    const contenders = [
      {
        name: 'bare shell (cat)',
        run: () => measure(['sh', '-c', `"${program}" </dev/null | cat >/dev/null`], { env }),
      },
      { name: 'bare node', run: () => bare(program, 1, { memory: true }) },
      { name: 'ralph run', run: () => ralph(program, 1, { memory: true }) },
    ]
    const peaks = {}
    const ms = await compare(
      3,
      contenders.map(c => ({
        ...c,
        run: async () => {
          const m = await c.run()
          peaks[c.name] = Math.max(peaks[c.name] ?? 0, m.peak)
          return m
        },
      })),
    )
    row(`a stream of ${f(statSync(`${program}.out`).size / 1e6, 0)} MB`, 'ms', 'x bare node', 'peak MB')
    for (const [name, value] of Object.entries(ms))
      row(name, f(value, 0), f(value / ms['bare node'], 2), f(peaks[name], 0))
    row('goal', '', '1.5', `${f(peaks['bare node'] + 30, 0)}`)
  },
  async tasks() {
    const program = agent('claude', SHORT)
    const lists = [
      { length: 1_000, goal: 8 },
      { length: 10_000, goal: 30 },
    ]
    const build = (length, done) => {
      const file = tasksFile(length, done)
      return (program, iterations) => ralph(program, iterations, {}, ['build', '--tasks', file])
    }
    const contenders = doneOf => [
      { name: 'bare node', run: bare },
      { name: 'ralph run', run: ralph },
      ...lists.map(({ length, goal }) => ({
        name: `ralph build, ${length} tasks`,
        goal,
        run: build(length, doneOf(length)),
      })),
    ]

    const [few, many] = [5, 55]
    const halfway = contenders(length => length / 2 - 100)
    const { each, over } = await iterations(halfway, program, few, many)
    row('an iteration halfway, of 9', 'least ms', 'over bare node', 'medians', 'goal')
    for (const { name, goal = '' } of halfway)
      row(name, f(each(name, least), 2), over(name, least), over(name, median), goal)

    const called = join(root, 'called')
    const marking = agent('claude', SHORT, `: >"${called}"`)
    const untilCalled = run => async () => {
      // From rest, as people start it: what the one before left to the disk is not its business.
      await delay(300)
      const began = performance.timeOrigin + performance.now()
      await run(marking, 1)
      return { ms: statSync(called).mtimeMs - began }
    }
    const fresh = contenders(() => 0)
    const first = await compare(
      15,
      fresh.map(({ name, run }) => ({ name, run: untilCalled(run) })),
      every,
    )
    console.log()
    row('until the first call, of 15', 'least ms', 'over ralph run', 'median ms', 'goal')
    for (const { name, goal } of fresh)
      row(
        name,
        f(least(first[name]), 0),
        f(least(first[name]) - least(first['ralph run']), 0),
        f(median(first[name]), 0),
        goal ? 150 : '',
      )
  },
}

/** Half of the tasks are in chains of ten; the others wait for a task far before them, or for none. */
function tasksFile(length, done) {
  const path = join(root, `tasks-${length}-${done}.json`)
  const blockers = n => {
    if (n <= length / 2) return n % 10 === 1 ? [] : [n - 1]
    return n % 3 === 0 ? [] : [n - length / 2]
  }
  const tasks = Array.from({ length }, (_, i) => ({
    id: `#${i + 1}`,
    content: `Do part ${i + 1} of the work as the plan has it`,
    status: i < done ? 'completed' : 'pending',
    activeForm: `Doing part ${i + 1} of the work`,
    blockedBy: blockers(i + 1).map(n => `#${n}`),
  }))
  writeFileSync(path, JSON.stringify(tasks, null, 2))
  return path
}

const wanted = process.argv.slice(2)
try {
  for (const name of wanted.length ? wanted : Object.keys(TESTS)) {
    await TESTS[name]()
    console.log()
  }
} finally {
  rmSync(root, { recursive: true, force: true })
}
