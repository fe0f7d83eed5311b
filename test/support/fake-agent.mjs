#!/usr/bin/env node
/**
 * A scripted agent. Its script is JSON: a list of acts, done in turn; then it exits with 0.
 *
 *   [["claude", "hello <response>DONE</response>"], ["sleep", 50], ["exit", 3]]
 *
 * or, to act differently each time it is called (the last one repeats; the file keeps the count):
 *
 *   { "calls": [[["exit", 1]], [["claude", "better"]]], "count": "/tmp/x/count" }
 *
 * or, to answer by what it is asked: the first pattern that its input matches, and of that one the calls in turn. Each
 * input is kept as a file, `<number>-<name of the pattern>` in the folder `asked`:
 *
 *   { "answers": [["plan", "<specification>", [["claude", "[]"]]], ["any", "", [["claude", "done"]]]], "asked": "/tmp/x/asked" }
 *
 * Where the script comes from: the argument after `--script`, else the variable FAKE_AGENT, else the file
 * fake-agent.json in the current folder. All other arguments are ignored. Files are relative to the current folder.
 *
 *   ["print", line, …]        each as a line                ["json", value, …]      each as a line of JSON
 *   ["write", text]           without a newline             ["bytes", base64]       any bytes
 *   ["stderr", text]          to standard error             ["long", n]             n bytes, no newline
 *   ["lines", n, size]        n lines of that size          ["flood"]               lines, for ever
 *   ["claude", text, more]    a stream-json answer: init, the text, the result; `more` is put into the result
 *   ["tool", id, name, input] a stream-json tool call       ["toolResult", id, text]
 *   ["sleep", ms]  ["hang"]   ["exit", code]  ["die", signal]           (it hangs for ten minutes at most)
 *   ["until", path]           waits until the file is there
 *   ["await", path]           until that is there
 *   ["ignore", signal, …]     these signals, from here on   ["closeStdout"]         and live on
 *   ["file", path, text]      writes                        ["append", path, text]
 *   ["remove", path]          with all that is in it
 *   ["stdin", path]           reads all input into the file (without it, input is never read)
 *   ["list", body]            what the function `items => body` makes of the only tasks.json there is; its text if a string
 *   ["env", path]  ["argv", path]  ["pid", path]            for a test to look at
 *   ["child", options]        a child that sleeps; all options are off unless given:
 *       detached      it leads a session of its own (setsid)    holds     it keeps stdout and stderr open
 *       ignoresTerm   it survives SIGTERM                       clean     its environment is empty
 *       floods        it writes to stdout for ever              pid       a file that its number is appended to
 *       seconds       how long it lives (60: nothing leaks for ever, whatever a test does)
 */
import { spawn } from 'node:child_process'
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { printed } from './agent-lines.mjs'

/** Blocks until all is written: what an act printed is out before the next act. */
function out(data, fd = 1) {
  let rest = Buffer.from(data)
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(fd, rest))
    } catch (error) {
      if (error.code === 'EPIPE') process.exit(141)
      if (error.code !== 'EAGAIN') throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
    }
  }
}

function startChild({ detached = false, holds, ignoresTerm, clean, floods, pid, seconds = 60 }) {
  const body = floods ? `timeout ${seconds} yes` : `sleep ${seconds}`
  const kept = holds || floods ? 'inherit' : 'ignore'
  const child = spawn('/bin/sh', ['-c', ignoresTerm ? `trap '' TERM; ${body}` : `exec ${body}`], {
    detached,
    stdio: ['ignore', kept, kept],
    env: clean ? {} : process.env,
  })
  child.unref()
  if (pid) appendFileSync(pid, `${child.pid}\n`)
}

const acts = {
  ...Object.fromEntries(Object.entries(printed).map(([act, text]) => [act, (...args) => out(text(...args))])),
  bytes: base64 => out(Buffer.from(base64, 'base64')),
  stderr: text => out(text, 2),
  long: n => {
    const piece = Buffer.alloc(1 << 20, 'x')
    for (let left = n; left > 0; left -= piece.length) out(piece.subarray(0, left))
  },
  lines: (n, size) => {
    const batch = Buffer.from(`${'y'.repeat(size)}\n`.repeat(Math.min(n, 64)))
    for (let left = n; left > 0; left -= 64) out(batch.subarray(0, left * (size + 1)))
  },
  flood: () => {
    for (;;) out('flood\n'.repeat(1000))
  },
  sleep: ms => delay(ms),
  await: async path => {
    while (!existsSync(path)) await delay(20)
  },
  hang: () => delay(600_000),
  until: async path => {
    for (let n = 0; n < 12_000 && !existsSync(path); n++) await delay(50)
  },
  exit: code => process.exit(code),
  die: async signal => {
    process.kill(process.pid, signal)
    await delay(10_000)
  },
  ignore: (...signals) => {
    for (const signal of signals) process.on(signal, () => {})
  },
  closeStdout: () => closeSync(1),
  file: (path, text) => writeFileSync(path, text),
  remove: path => rmSync(path, { recursive: true, force: true, maxRetries: 5 }),
  append: (path, text) => appendFileSync(path, text),
  stdin: path => writeFileSync(path, readFileSync(0)),
  list: body => {
    const sessions = join('.ralph', 'sessions')
    // A ralph that was killed before its first line leaves a folder without a list.
    const path = readdirSync(sessions)
      .map(name => join(sessions, name, 'tasks.json'))
      .find(existsSync)
    const made = new Function('items', `return ${body}`)(JSON.parse(readFileSync(path, 'utf8')))
    writeFileSync(path, typeof made === 'string' ? made : JSON.stringify(made))
  },
  env: path => writeFileSync(path, JSON.stringify(process.env)),
  argv: path => writeFileSync(path, JSON.stringify(process.argv.slice(2))),
  pid: path => appendFileSync(path, `${process.pid}\n`),
  child: (options = {}) => startChild(options),
}

function readScript() {
  const at = process.argv.indexOf('--script')
  const script = JSON.parse(
    at > 0 ? process.argv[at + 1] : (process.env.FAKE_AGENT ?? readFileSync('fake-agent.json', 'utf8')),
  )
  if (Array.isArray(script)) return script
  if (script.answers) return answerTo(readFileSync(0, 'utf8'), script)
  const before = existsSync(script.count) ? readFileSync(script.count).length : 0
  appendFileSync(script.count, '.')
  return script.calls[Math.min(before, script.calls.length - 1)]
}

function answerTo(input, { answers, asked }) {
  const [name, , ...calls] = answers.find(([, pattern]) => new RegExp(pattern, 'm').test(input))
  mkdirSync(asked, { recursive: true })
  const before = readdirSync(asked)
  writeFileSync(join(asked, `${String(before.length + 1).padStart(3, '0')}-${name}`), input)
  const nth = before.filter(file => file.slice(4) === name).length
  return calls[Math.min(nth, calls.length - 1)]
}

for (const [act, ...args] of readScript()) {
  if (!acts[act]) throw new Error(`fake-agent: no act named ${act}`)
  await acts[act](...args)
}
process.exit(0)
