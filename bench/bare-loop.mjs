// The least a Node loop can do: spawn, write the prompt, split lines, parse each, keep the result.
// With a record, it also notes there when an iteration starts and how it ended, each synced to the disk.
// With `status`, it asks git for the status of the folder after each iteration.
// usage: node bare-loop.mjs AGENT ITERATIONS [RECORD [status]]
import { execFile, spawn } from 'node:child_process'
import { fdatasyncSync, openSync, writeSync } from 'node:fs'

const [agent, iterations, record, status] = process.argv.slice(2)
const fd = record === undefined ? null : openSync(record, 'a')
const note = text => {
  if (fd === null) return
  writeSync(fd, `${text.padEnd(200)}\n`)
  fdatasyncSync(fd)
}
for (let i = 0; i < Number(iterations); i++) {
  note(`started ${i + 1}`)
  const child = spawn(agent, [], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.on('error', () => {})
  child.stdin.end('Do the next task.\n')
  let parts = []
  let last
  const take = line => {
    try {
      const event = JSON.parse(line.toString())
      if (event?.type === 'result') last = event
    } catch {}
  }
  child.stdout.on('data', chunk => {
    let from = 0
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      parts.push(chunk.subarray(from, at))
      take(parts.length > 1 ? Buffer.concat(parts) : parts[0])
      parts = []
      from = at + 1
    }
    if (from < chunk.length) parts.push(chunk.subarray(from))
  })
  await new Promise(resolve => child.on('close', resolve))
  if (status) await new Promise(done => execFile('git', ['status', '--porcelain=v2', '-z', '-uall'], done))
  note(`ended ${i + 1} ${last?.subtype}`)
  process.stdout.write(`${i + 1} ${last?.subtype}\n`)
}
