import { spawn } from 'node:child_process'
import { gitProgram } from '../../../git/program.ts'
import { type DiffOptions, diffRun as diff, type GitCall } from '../../../runs/diff.ts'
import type { Io } from '../../../runs/io.ts'

/** Shows what a run changed, in the user's own colours and pager if this is a terminal. */
export async function diffRun(name: string | undefined, options: DiffOptions, io: Io): Promise<number> {
  // Ctrl+C is meant for the pager.
  const ignore = () => {}
  process.on('SIGINT', ignore)
  try {
    return await diff(name, options, io, runGit)
  } finally {
    process.off('SIGINT', ignore)
  }
}

function runGit({ args, cwd, env }: GitCall): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(gitProgram(cwd, env.PATH) ?? 'git', args, { cwd, env, stdio: 'inherit' })
    child.on('error', reject)
    child.on('close', code => resolve(code === 0 ? 0 : 1))
  })
}
