import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Runs a command to its end: when it began, milliseconds, peak memory in MB (Linux), exit code. */
export function measure(argv, options) {
  return new Promise((resolve, reject) => {
    const at = performance.timeOrigin + performance.now()
    const began = process.hrtime.bigint()
    let peak = 0
    const child = spawn(argv[0], argv.slice(1), { stdio: 'ignore', ...options })
    const sample = () => {
      try {
        const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
        peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024)
      } catch {}
    }
    const sampling = options?.memory ? setInterval(sample, 20) : undefined
    child.on('error', reject)
    child.on('exit', code => {
      clearInterval(sampling)
      resolve({ began: at, ms: Number(process.hrtime.bigint() - began) / 1e6, peak, code })
    })
  })
}

export const median = values => {
  const sorted = [...values].sort((a, b) => a - b)
  const half = sorted.length >> 1
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2
}

/** Of a machine that others load, too: what it took when it was disturbed least. */
export const least = values => Math.min(...values)

/** Runs every contender in turn, round by round with a rotated order; their times by name, the median or another `sum`. */
export async function compare(rounds, contenders, sum = median) {
  const values = Object.fromEntries(contenders.map(c => [c.name, []]))
  for (let round = 0; round < rounds; round++)
    for (let i = 0; i < contenders.length; i++) {
      const { name, run } = contenders[(i + round) % contenders.length]
      values[name].push((await run()).ms)
    }
  return Object.fromEntries(Object.entries(values).map(([name, list]) => [name, sum(list)]))
}
