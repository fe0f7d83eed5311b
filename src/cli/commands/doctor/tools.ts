import { QUIET } from '../../../git/git.ts'
import { findProgram } from '../../../runners/find-program.ts'
import type { ToolFacts } from './facts.ts'
import { type ExamineOptions, examineProgram } from './programs.ts'

const TIMEOUT_MS = 3000

/** The programs that ralph itself uses, all examined at once. */
export async function examineTools(options: ExamineOptions): Promise<ToolFacts> {
  const ask = (name: string, ...question: string[]) =>
    examineProgram(name, options, question.length > 0 ? question : undefined)
  const [git, repository, tmux, docker, server, sbx, srt, bwrap, socat, rg] = await Promise.all([
    ask('git'),
    findRepository(options),
    ask('tmux', '-V'),
    ask('docker'),
    askDaemon(options),
    ask('sbx', 'version', '--json'),
    ask('srt'),
    ask('bwrap'),
    ask('socat', '-V'),
    ask('rg'),
  ])
  const sh = { name: 'sh', path: findProgram('/bin/sh', ''), version: null, trouble: null }
  return { git: { ...git, repository }, sh, tmux, docker: { ...docker, server }, sbx, srt, bwrap, socat, rg }
}

const findRepository = (options: ExamineOptions): Promise<string | null> =>
  read(options, 'git', ...QUIET, 'rev-parse', '--show-toplevel')

/** The daemon's version. A client on PATH does not mean that there is a daemon. */
const askDaemon = (options: ExamineOptions): Promise<string | null> =>
  read(options, 'docker', 'version', '--format', '{{.Server.Version}}')

/** What a program prints if it succeeds; null otherwise. */
async function read(
  { run, cwd, env }: ExamineOptions,
  name: string,
  ...words: string[]
): Promise<string | null> {
  const path = findProgram(name, env.PATH ?? '')
  if (path === null) return null
  const ran = await run([path, ...words], { cwd, env, timeoutMs: TIMEOUT_MS })
  return ran.end === 'exited' && ran.exit.code === 0 ? ran.stdout.trim() || null : null
}
