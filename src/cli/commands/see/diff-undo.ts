import { spawn } from 'node:child_process'
import { UsageError } from '../../../core/usage-error.ts'
import { gitProgram } from '../../../git/git.ts'
import { type DiffOptions, diffRun as diff, type GitCall } from '../../../runs/diff.ts'
import { type Io, say } from '../../../runs/io.ts'
import { type UndoOptions, undoRun as undo } from '../../../runs/undo.ts'
import { askConfirmation } from '../../../terminal/question.ts'
import { workflows } from '../../../workflows/index.ts'

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

/** Undoes a run, once the user at the terminal has seen the plan and agrees. */
export async function undoRun(
  name: string | undefined,
  options: UndoOptions,
  { stdout, env }: Io,
): Promise<number> {
  const { code, lines, revert } = await undo(workflows, name, options, env, async plan => {
    for (const line of plan) say(stdout, line)
    if (options.yes) return true
    if (!process.stdin.isTTY || !process.stderr.isTTY)
      throw new UsageError('undo asks first and needs a terminal; without one use --yes')
    return askConfirmation('Undo it?')
  })
  for (const line of lines) say(stdout, line)
  if (revert !== undefined) stdout.write(`  ${revert}\n`)
  return code
}
