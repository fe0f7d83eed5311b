import { Writable } from 'node:stream'

/** What one program gets from its process. */
export type Place = { argv: string[]; cwd: string; env: Record<string, string> }

let isStandingIn = false

/**
 * Lets this process stand in for another until `leave`, because most of the time of a short program goes to starting
 * Node: with its arguments, its folder, exactly its environment, and its streams. Descriptors and signals stay those of
 * this process.
 */
export function standIn({ argv, cwd, env }: Place) {
  if (isStandingIn) throw new Error('this process cannot stand in for two at once: start one of them')
  isStandingIn = true
  const stdout = capture()
  const stderr = capture()
  const restore = [
    swap('stdout', stdout.stream),
    swap('stderr', stderr.stream),
    swap('argv', [process.execPath, ...argv]),
    enter(cwd),
    setEnvironment(env),
    noteListeners(),
  ]
  return {
    stdout: stdout.text,
    stderr: stderr.text,
    leave() {
      for (const back of restore.reverse()) back()
      isStandingIn = false
    },
  }
}

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
