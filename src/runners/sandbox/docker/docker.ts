import { basename, dirname } from 'node:path'
import { CannotGoOn, type Command, type Env } from '../../../core/ports.ts'
import { INSIDE } from '../../process/marks.ts'
import type { Sandbox } from '../sandbox.ts'
import { openSbx, SBX_TIMES, type Sbx, SbxError, type SbxTimes, sandboxesIn } from './sbx.ts'
import { ELSEWHERE, END, PREPARE, PUT, TAKE } from './scripts.ts'

/** What the clone inside has to become. `bundle`: the commits that it lacks, in base64. */
type Parcel = { commit: string; head: string; branch: string | null; bundle: string }

/** What the clone inside has: a commit of all its files, its HEAD and its branch. */
type Taken = { work: string; head: string | null; branch: string | null }

/**
 * The outside half of the exchange of files between the project and the clone. Its methods reject with an error for the
 * user, in one line.
 */
type Exchange = {
  /** What to send so that the clone is as the project is now. Null if it is already. */
  pack(): Promise<Parcel | null>
  /** The clone is as it was told to be. */
  sent(parcel: Parcel): Promise<void>
  /** Fetches what was taken, and makes the project follow. Safe to repeat. */
  receive(taken: Taken): Promise<void>
  /** The first look at a clone that was there before: what it holds, of this run or of another, is not lost. */
  adopt(taken: Taken): Promise<void>
}

export type DockerOptions = {
  /** Where `sbx` is, and its environment. */
  program: string
  env: Env
  name: string
  /** Sbx's own name for the kind of agent. */
  agent: string
  /** The repository's top folder, here and inside. */
  root: string
  /** Folders that are to be read inside, at the same paths. */
  readable: readonly string[]
  /** The hosts that may be reached. Asked when it is opened. */
  hosts(): readonly string[]
  /** Keys that stay outside: the proxy of the sandbox puts them in. */
  secrets: readonly { service: string; value: string }[]
  /** Which variables of a command go inside, and which of these by name only, so that no list of processes shows them. */
  goesIn(name: string, value: string): 'value' | 'name' | null
  /** The author of commits inside. */
  author(): Promise<{ name: string; email: string }>
  /** Paths of ignored files that are exchanged all the same, relative to the root. */
  exchanged: readonly string[]
  exchange: Exchange
  /** It is about to be created: from now on it must be found again. */
  onCreate(): void
  /** It is open, and what it held is brought back. */
  onOpened(): void
  warn(note: string): void
  times?: SbxTimes
}

/** Ralph's own files, as git's patterns. */
const OWN_FILES = [
  '.ralph/sessions/',
  '.ralph/.gitignore',
  '.ralph/settings.local.json',
  '.ralph-active',
].map(path => `**/${path}`)

/** Docker's `sbx` for a run. It is opened when the first command needs it. One command at a time runs inside. */
export function dockerSandbox(options: DockerOptions): Sandbox {
  const { name, root, exchange, exchanged, times = SBX_TIMES } = options
  let opening: Promise<Sbx> | undefined
  /** The end of the command that is inside. */
  let last: Promise<void> = Promise.resolve()
  const leave = new Map<string, () => void>()
  /** The calls that work in the clone. */
  const inClone = new Set<string>()

  const open = (marks: Env): Promise<Sbx> => {
    opening ??= openDocker(options, openSbx(options.program, { ...options.env, ...marks }, { times }))
    return opening
  }
  const take = async (sbx: Sbx, call: string) =>
    takenIn(await sbx(...scriptCall(options, TAKE, 'take', [call, ...exchanged])))
  /** Waits for its turn, which `after` gives back. */
  const enter = async (call: string): Promise<void> => {
    const before = last
    last = new Promise(resolve => leave.set(call, resolve))
    await before
  }

  return {
    async wrap(command, call, marks) {
      await enter(call)
      const sbx = await cannotGoOn(open(marks))
      if (!isWithin(root, command.cwd)) return elsewhere(options, command, call)
      const parcel = await cannotGoOn(exchange.pack())
      if (parcel) {
        const { commit, head, branch, bundle } = parcel
        const words = [commit, head, branch ?? '', ...exchanged]
        await cannotGoOn(sbx(...scriptCall(options, PUT, 'put', words, bundle)))
        await cannotGoOn(exchange.sent(parcel))
      }
      inClone.add(call)
      return inside(options, command, call, ['-w', command.cwd], command.argv)
    },
    async end(call, graceMs) {
      const sbx = await opening
      const words = [call, String(Math.ceil(graceMs / 100))]
      // If it fails, the next look at the clone ends what is left.
      await sbx?.(...scriptCall({ ...options, user: 'root' }, END, 'end', words)).catch(() => {})
    },
    async after(call) {
      try {
        const sbx = await opening?.catch(() => undefined)
        if (sbx && inClone.delete(call))
          await cannotGoOn(
            take(sbx, call).then(exchange.receive),
            `what was done is still inside the sandbox ${name}`,
          )
      } finally {
        leave.get(call)?.()
        leave.delete(call)
      }
    },
    async recover(marks) {
      await cannotGoOn(open(marks))
    },
    allow(host) {
      opening
        ?.then(sbx => sbx(['policy', 'allow', 'network', '--sandbox', name, host]))
        .catch((error: Error) => options.warn(error.message))
    },
    async close() {
      const sbx = await opening?.catch(() => undefined)
      await sbx?.(['stop', name], { timeoutMs: times.stop }).catch((error: Error) =>
        options.warn(`${error.message}; the sandbox may still run: ralph sandbox stop`),
      )
    },
  }
}

async function openDocker(options: DockerOptions, sbx: Sbx): Promise<Sbx> {
  await readyDocker(options, sbx)
  await options.exchange.adopt(await takeAll(options, sbx))
  options.onOpened()
  return sbx
}

/** What the clone holds, no matter who worked in it. */
export const takeAll = async (
  options: ScriptOptions & Pick<DockerOptions, 'exchanged'>,
  sbx: Sbx,
): Promise<Taken> => takenIn(await sbx(...scriptCall(options, TAKE, 'take', ['none', ...options.exchanged])))

/** Makes the sandbox, or takes the one that is there, and sets it up. Every step may be repeated. */
export async function readyDocker(options: DockerOptions, sbx: Sbx): Promise<void> {
  const { name, agent, root, times = SBX_TIMES } = options
  const found = sandboxesIn(await sbx(['ls', '--json'])).find(listed => listed.name === name)
  if (found?.agent && found.agent !== agent)
    throw new SbxError(
      `the sandbox ${name} of this project was made for ${found.agent}, not for ${agent}; remove it with: ralph sandbox rm`,
    )
  // A restart reads the project's files again, and ends what an earlier run left in it.
  if (found && found.status !== 'stopped') await sbx(['stop', name], { timeoutMs: times.stop })
  if (!found) await create(options, sbx)
  const hosts = options.hosts()
  if (hosts.length > 0) await sbx(['policy', 'allow', 'network', '--sandbox', name, hosts.join(',')])
  for (const { service, value } of options.secrets)
    await sbx(['secret', 'set', service, '--sandbox', name], { stdin: value })
  const author = await options.author()
  const told = await sbx(
    ...scriptCall(options, PREPARE, 'prepare', [author.name, author.email, ...OWN_FILES]),
  )
  const place = told.trim().split('\n').at(-1)
  if (place !== root)
    throw new SbxError(`the clone in the sandbox ${name} is at ${place || 'no place'}, not at ${root}`)
}

async function create(options: DockerOptions, sbx: Sbx): Promise<void> {
  const { name, agent, root, readable, times = SBX_TIMES } = options
  // The user's own choice stays, if there is one.
  await sbx(['policy', 'init', 'deny-all']).catch((error: Error) => {
    if (!/already|initiali[sz]ed/i.test(error.message)) throw error
  })
  options.onCreate()
  const folders = readable.map(folder => `${folder}:ro`)
  await sbx(['create', '--name', name, '--clone', agent, root, ...folders], { timeoutMs: times.create })
}

type ScriptOptions = Pick<DockerOptions, 'name' | 'root' | 'times'> & { user?: string }

/** A script of ralph's own in the clone. */
function scriptCall(
  { name, root, user, times = SBX_TIMES }: ScriptOptions,
  script: string,
  title: string,
  words: readonly string[],
  stdin?: string,
): Parameters<Sbx> {
  const flags = [
    ...(stdin === undefined ? [] : ['-i']),
    ...(user === undefined ? [] : ['-u', user]),
    '-w',
    root,
  ]
  const args = ['exec', ...flags, name, 'sh', '-c', script, `ralph-${title}`, ...words]
  return [args, { timeoutMs: times.exec, ...(stdin !== undefined && { stdin }) }]
}

/**
 * A command in a folder that is not the project's: nothing is exchanged. The folder around it is one for temporary files,
 * and may be at a place where nothing can be made inside.
 */
function elsewhere(options: DockerOptions, command: Command, call: string): Command {
  const around = dirname(command.cwd)
  const there = (word: string) => word.replaceAll(around, `/tmp/${basename(around)}`)
  const files = Object.entries(command.files ?? {}).map(([path, text]) => [there(path), text])
  const words = [there(command.cwd), String(files.length), ...files.flat(), ...command.argv.map(there)]
  return inside(options, command, call, [], ['sh', '-c', ELSEWHERE, 'ralph-elsewhere', ...words])
}

function inside(
  { program, name, goesIn, env }: DockerOptions,
  command: Command,
  call: string,
  place: readonly string[],
  argv: readonly string[],
): Command {
  const variables = Object.entries({ ...command.env, [INSIDE]: call }).flatMap(([variable, value]) => {
    const how = variable === INSIDE ? 'value' : goesIn(variable, value)
    return how === null ? [] : ['-e', how === 'name' ? variable : `${variable}=${value}`]
  })
  const flags = [...(command.stdin === '' ? [] : ['-i']), ...place, ...variables]
  return {
    ...command,
    argv: [program, 'exec', ...flags, name, ...argv],
    // The folder need not be there any more when it starts; sbx does not use it.
    cwd: '/',
    env: { ...env, ...command.env },
  }
}

const isWithin = (root: string, path: string): boolean => path === root || path.startsWith(`${root}/`)

/** `WORK HEAD BRANCH` in the last line. */
function takenIn(output: string): Taken {
  const [work = '', head = '', branch = ''] = output.trim().split('\n').at(-1)!.split(' ')
  const isCommit = (word: string) => /^([\da-f]{40}|[\da-f]{64})$/.test(word)
  if (!isCommit(work) || !(head === '-' || isCommit(head)) || branch === '')
    throw new SbxError('the clone in the sandbox does not say what it holds')
  return { work, head: head === '-' ? null : head, branch: branch === '-' ? null : branch }
}

/** Trouble with the sandbox stops the run; it can be resumed. `so`: what that means. */
async function cannotGoOn<T>(promise: Promise<T>, so?: string): Promise<T> {
  try {
    return await promise
  } catch (error) {
    const { message } = error as Error
    throw new CannotGoOn(`sandbox docker: ${message}${so === undefined ? '' : `; ${so}`}`)
  }
}
