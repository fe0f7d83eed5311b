import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { SandboxRuntimeConfig } from '@anthropic-ai/sandbox-runtime'
import { shellQuoted } from '../../core/format.ts'
import { CannotGoOn, type Command, type Env } from '../../core/ports.ts'
import type { StepId } from '../../core/table.ts'
import { INSIDE, stepIn } from '../process/marks.ts'
import type { Denial } from './denials.ts'
import { type Borders, environmentInside, policyOf } from './policy.ts'
import { findSrt } from './programs.ts'
import type { Sandbox } from './sandbox.ts'

export type SrtOptions = {
  run: string
  /** No program of this project makes the sandbox. */
  project: string
  /** What is allowed: asked when it is opened, and what holds for files for each command. */
  borders(): Omit<Borders, 'temp'>
  /** The program that hosts the runtime. */
  program: string
  /** Its environment: with the secrets that it puts in for the agents. */
  env: Env
  /** Whether what is inside gets this variable. */
  keeps(name: string): boolean
  /** More hosts for commands that ask for them (`Command.online`). */
  checkDomains: readonly string[]
  /** Called for each denial. `step` is where it was. Null if it was in none, or is unknown. */
  onDenied(denial: Denial, step: StepId | null): void
  /** How long the host has to answer. */
  answerMs?: number
}

/** Opening it takes a second on a busy machine. */
const ANSWER_MS = 30_000
/** How long the host has to exit. */
const SOON_MS = 2000

/** A folder for the files of the sandbox. What a killed incarnation left of its own is removed. */
function newFolder(run: string): string {
  const name = `ralph-${run}-`
  for (const left of readdirSync(tmpdir()))
    if (left.startsWith(name)) rmSync(join(tmpdir(), left), { recursive: true, force: true })
  return mkdtempSync(join(tmpdir(), name))
}

/** The sandbox runtime for a run. It is opened when the first command needs it. */
export function srtSandbox(options: SrtOptions): Sandbox {
  let opening: Promise<OpenSandbox> | undefined
  return {
    async wrap(command, call, marks) {
      opening ??= openSrt({ ...options, env: { ...options.env, ...marks } })
      return (await opening).wrap(command, call)
    },
    allow(host) {
      // If it is not open yet, it is opened with the host; if it has failed, nothing is started in it.
      opening?.then(opened => opened.allow(host)).catch(() => {})
    },
    async close() {
      await opening?.then(opened => opened.close()).catch(() => {})
    },
  }
}

type OpenSandbox = {
  wrap(command: Command, call: string): Promise<Command>
  allow(host: string): Promise<void>
  close(): Promise<void>
}

async function openSrt(options: SrtOptions): Promise<OpenSandbox> {
  const found = findSrt(options.env.PATH ?? '', options.project)
  if ('missing' in found) {
    const [first] = found.missing
    throw new CannotGoOn(`the sandbox srt cannot be opened: ${first!.what} (${first!.remedy})`)
  }
  const { runtime, bwrap, socat, rg } = found.programs
  const folder = newFolder(options.run)
  const [temp, empty] = [join(folder, 'tmp'), join(folder, 'empty')]
  for (const made of [temp, empty]) mkdirSync(made)
  const borders = options.borders()
  makeFolders(borders)
  const config = {
    ...policyOf({ ...borders, temp }, existsSync),
    // By their paths: inside, and when a command is started, PATH may lead elsewhere.
    ...(bwrap && { bwrapPath: bwrap }),
    ...(socat && { socatPath: socat }),
    ...(rg && { ripgrep: { command: rg } }),
  }
  const steps = new Map<string, StepId | null>()
  const host = startHost(options, { empty, temp, folder }, denial =>
    options.onDenied(denial, steps.get(denial.call ?? '') ?? null),
  )
  try {
    await host.ask({ type: 'open', runtime, config })
  } catch (error) {
    await host.close()
    rmSync(folder, { recursive: true, force: true })
    throw new CannotGoOn(`the sandbox srt cannot be opened: ${(error as Error).message}`)
  }
  const inside = { ...environmentInside(config), TMPDIR: temp }
  return {
    async wrap(command, call) {
      steps.set(call, stepIn(command.env))
      const environment = Object.entries({ ...inside, [INSIDE]: call })
      // The runtime gives everything inside the stand-ins of all secrets.
      const others = borders.secrets.filter(name => command.env[name] === undefined)
      const words = [
        'exec',
        'env',
        ...others.flatMap(name => ['-u', name]),
        ...environment.map(([name, value]) => `${name}=${value}`),
        ...command.argv,
      ]
      const { argv } = await host.ask({
        type: 'wrap',
        command: words.map((word, index) => (index === 0 ? word : shellQuoted(word))).join(' '),
        call,
        // A worktree or a login may have come since.
        filesystem: policyOf({ ...options.borders(), temp }, existsSync).filesystem,
        domains: command.online ? options.checkDomains : [],
      })
      const env = Object.fromEntries(Object.entries(command.env).filter(([name]) => options.keeps(name)))
      return { ...command, argv: argv!, env }
    },
    async allow(name) {
      await host.ask({ type: 'allow', host: name })
    },
    async close() {
      await host.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** An agent makes the folders of its own when it is first used. Inside, it could not. */
function makeFolders({ home, agents }: Omit<Borders, 'temp'>): void {
  const isFolder = (path: string) => !/[^/]\.\w+$/.test(path)
  for (const path of agents.flatMap(({ state }) => state.filter(isFolder)))
    try {
      mkdirSync(join(home, path), { recursive: true, mode: 0o700 })
    } catch {
      // Then it works without, as it would outside.
    }
}

/** The answer in a line. Null if the runtime itself printed it. */
function answerIn(line: string): HostAnswer | null {
  try {
    const answer = JSON.parse(line)
    return typeof answer?.asked === 'number' || answer?.denied ? answer : null
  } catch {
    return null
  }
}

type Host = {
  ask(request: HostRequest): Promise<{ argv?: string[] }>
  close(): Promise<void>
}

function startHost(
  { program, env, answerMs = ANSWER_MS }: SrtOptions,
  { empty, temp, folder }: { empty: string; temp: string; folder: string },
  onDenied: (denial: Denial) => void,
): Host {
  const child = spawn(process.execPath, [program], {
    cwd: empty,
    // The runtime has its sockets in the one, and makes the other the temporary folder of what is inside.
    env: { ...env, TMPDIR: folder, CLAUDE_CODE_TMPDIR: temp },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  const open = new Map<number, { resolve(value: { argv?: string[] }): void; reject(error: Error): void }>()
  let asked = 0
  let complaint = ''
  const fail = (why: string) => {
    for (const { reject } of open.values()) reject(new CannotGoOn(why))
    open.clear()
  }
  const note = (text: string) => {
    complaint = `${complaint}${text}`.slice(-2000)
  }
  child.stderr.setEncoding('utf8').on('data', note)
  const exited = new Promise<void>(resolve => {
    child.once('error', error => {
      fail(error.message)
      resolve()
    })
    child.once('exit', () => {
      fail(
        `the process of the sandbox has ended: ${complaint.trim().split('\n').at(-1) || 'no reason given'}`,
      )
      resolve()
    })
  })
  child.stdin.on('error', () => {})
  createInterface({ input: child.stdout }).on('line', line => {
    const answer = answerIn(line)
    if (answer === null) return note(`${line}\n`)
    if ('denied' in answer) return onDenied(answer.denied)
    const waiting = open.get(answer.asked)
    open.delete(answer.asked)
    if (answer.error !== undefined) waiting?.reject(new Error(answer.error))
    else waiting?.resolve(answer.argv ? { argv: answer.argv } : {})
  })
  const giveUp = () => {
    complaint = `it did not answer within ${answerMs / 1000}s`
    child.kill('SIGKILL')
  }
  return {
    async ask(request) {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new CannotGoOn('the process of the sandbox has ended')
      const late = setTimeout(giveUp, answerMs)
      const answered = new Promise<{ argv?: string[] }>((resolve, reject) => {
        open.set(asked++, { resolve, reject })
        child.stdin.write(`${JSON.stringify(request)}\n`)
      })
      return answered.finally(() => clearTimeout(late))
    },
    async close() {
      child.stdin.end()
      const late = setTimeout(() => child.kill('SIGKILL'), SOON_MS)
      await exited
      clearTimeout(late)
    },
  }
}

/** What ralph asks of the process that hosts the sandbox runtime, as lines of JSON. Each gets one answer. */
export type HostRequest =
  | { type: 'open'; runtime: string; config: SandboxRuntimeConfig }
  /** `filesystem`: the borders as they are now. `domains`: more hosts, for this command only. */
  | {
      type: 'wrap'
      command: string
      call: string
      filesystem: SandboxRuntimeConfig['filesystem']
      domains: readonly string[]
    }
  | { type: 'allow'; host: string }

/** `asked`: the number of the request, counted from 0. */
export type HostAnswer =
  | { asked: number; argv?: string[]; error?: string }
  /** Something inside tried what is not allowed. */
  | { denied: Denial }
