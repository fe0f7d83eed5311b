import { QUIET } from '../../../git/git.ts'
import { findProgram } from '../../../runners/find-program.ts'
import type { ToolFacts } from './facts.ts'
import { type ExamineOptions, examineProgram, printedBy } from './programs.ts'

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
  printedBy(options, 'git', ...QUIET, 'rev-parse', '--show-toplevel')

/** The daemon's version. A client on PATH does not mean that there is a daemon. */
const askDaemon = (options: ExamineOptions): Promise<string | null> =>
  printedBy(options, 'docker', 'version', '--format', '{{.Server.Version}}')
