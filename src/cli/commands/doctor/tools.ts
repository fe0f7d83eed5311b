import { findProgram } from '../../../runners/find-program.ts'
import type { ToolFacts } from './facts.ts'
import { type Asking, examineProgram } from './programs.ts'

const TIMEOUT_MS = 3000

/** The programs that ralph itself uses, all asked at once. */
export async function examineTools(asking: Asking): Promise<ToolFacts> {
  const ask = (name: string, ...question: string[]) =>
    examineProgram(name, asking, question.length > 0 ? question : undefined)
  const [git, repository, tmux, docker, server, srt, bwrap] = await Promise.all([
    ask('git'),
    findRepository(asking),
    ask('tmux', '-V'),
    ask('docker'),
    askDaemon(asking),
    ask('srt'),
    ask('bwrap'),
  ])
  const sh = { name: 'sh', path: findProgram('sh', asking.env.PATH ?? ''), version: null, trouble: null }
  return { git: { ...git, repository }, sh, tmux, docker: { ...docker, server }, srt, bwrap }
}

const findRepository = (asking: Asking): Promise<string | null> =>
  read(asking, 'git', '--no-optional-locks', '-c', 'core.fsmonitor=false', 'rev-parse', '--show-toplevel')

/** The daemon's version: a client on PATH says nothing about an engine. */
const askDaemon = (asking: Asking): Promise<string | null> =>
  read(asking, 'docker', 'version', '--format', '{{.Server.Version}}')

/** What a program prints when all is well; null otherwise. */
async function read({ run, cwd, env }: Asking, name: string, ...words: string[]): Promise<string | null> {
  const path = findProgram(name, env.PATH ?? '')
  if (path === null) return null
  const ran = await run([path, ...words], { cwd, env, timeoutMs: TIMEOUT_MS })
  return ran.end === 'exited' && ran.exit.code === 0 ? ran.stdout.trim() || null : null
}
