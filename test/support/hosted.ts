import { Writable } from 'node:stream'
import { main } from '../../src/cli/main.ts'
import { RALPH, type Ran } from './ralph.ts'

/** Where one command line is run. */
type Place = { cwd: string; env: Record<string, string> }

/**
 * Runs one command line in this process, as if it were a process of its own: with its folder, exactly this environment
 * (and a PATH), and its streams. Most of the time of a spawned `ralph` goes to starting Node. Not for help, which is
 * written to the descriptor, nor for signals.
 */
export async function hostRalph(args: string[], { cwd, env }: Place): Promise<Ran> {
  if (isHosting) throw new Error('two command lines cannot be hosted at once: start one of them as a process')
  if (args.length === 0 || args.some(word => WRITTEN_TO_DESCRIPTOR.has(word)))
    throw new Error('help and version are written to the descriptor: start a process for them')
  isHosting = true
  const stdout = capture()
  const stderr = capture()
  const restore = [
    swap('stdout', stdout.stream),
    swap('stderr', stderr.stream),
    swap('argv', [process.execPath, RALPH, ...args]),
    enter(cwd),
    setEnvironment({ PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', ...env }),
    noteListeners(),
  ]
  try {
    const code = await main(args)
    return { code, signal: null, stdout: stdout.text(), stderr: stderr.text() }
  } finally {
    for (const back of restore.reverse()) back()
    isHosting = false
  }
}

const WRITTEN_TO_DESCRIPTOR = new Set(['help', '--help', '-h', '--version', '-v'])

let isHosting = false

function capture() {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      // A copy: the console uses its buffer again.
      chunks.push(Buffer.from(chunk))
      done()
    },
  })
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') }
}

function swap(name: 'stdout' | 'stderr' | 'argv', value: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(process, name)!
  Object.defineProperty(process, name, { configurable: true, enumerable: true, writable: true, value })
  return () => Object.defineProperty(process, name, before)
}

function enter(cwd: string): () => void {
  const before = process.cwd()
  process.chdir(cwd)
  return () => process.chdir(before)
}

/** Name by name, because the home folder and git's settings come from the real environment, not from the object. */
function setEnvironment(env: NodeJS.ProcessEnv): () => void {
  const before = { ...process.env }
  replaceAll(env)
  return () => replaceAll(before)
}

function replaceAll(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
  Object.assign(process.env, env)
}

/** A process that ends takes its listeners along. */
function noteListeners(): () => void {
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'exit'] as const
  const before = names.map(name => process.rawListeners(name))
  return () =>
    names.forEach((name, at) => {
      for (const listener of process.rawListeners(name))
        if (!before[at]!.includes(listener)) process.off(name, listener as () => void)
    })
}
