import { closeSync, openSync, statSync, writeSync } from 'node:fs'
import { compare, measure } from '../measure.mjs'
import { agent, bare, env, f, line, RESULT, ralph, row } from '../setting.mjs'

const text = (i, words) => ({
  type: 'assistant',
  message: { id: `m${i}`, content: [{ type: 'text', text: words }] },
})
const call = (i, command) => ({
  type: 'assistant',
  message: {
    id: `m${i}`,
    content: [{ type: 'tool_use', id: `t${i + 1}`, name: 'Bash', input: { command } }],
  },
})
const result = (i, content) => ({
  type: 'user',
  message: { content: [{ type: 'tool_result', tool_use_id: `t${i}`, content }] },
})

const X = 'x'.repeat(900)
const HUGE = 'y'.repeat(5e6)
const WORDS = 'der schnelle Fuchs läuft über “den” Hund – 狐は犬を飛び越える ✅ '.repeat(13)

/** The goals are ratios to the bare loop. */
const STREAMS = [
  {
    title: 'ASCII',
    goal: '1.5',
    *events() {
      for (let i = 0; i < 200_000; i++) yield text(i, `${i} ${X}`)
      for (let i = 0; i < 4; i++) yield result(i, HUGE)
    },
  },
  {
    title: 'other characters',
    goal: '2.5',
    *events() {
      for (let i = 0; i < 200_000; i++)
        yield [text(i, WORDS), text(i, WORDS), call(i, WORDS), result(i, WORDS)][i % 4]
    },
  },
]

/** A large stream, which ralph keeps, reads and prints whole; the bare loop only reads it. */
export async function stream() {
  for (const { title, goal, events } of STREAMS) {
    const program = agent('claude')
    const fd = openSync(`${program}.out`, 'w')
    for (const event of events()) writeSync(fd, line(event))
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
    const measured = contenders.map(({ name, run }) => ({
      name,
      run: async () => {
        const m = await run()
        peaks[name] = Math.max(peaks[name] ?? 0, m.peak)
        return m
      },
    }))
    const ms = await compare(3, measured)
    const size = f(statSync(`${program}.out`).size / 1e6, 0)
    row(`${size} MB of ${title}`, 'ms', 'x bare node', 'peak MB')
    for (const [name, value] of Object.entries(ms))
      row(name, f(value, 0), f(value / ms['bare node'], 2), f(peaks[name], 0))
    row('goal', '', goal, `${f(peaks['bare node'] + 30, 0)}`)
    console.log()
  }
}
