import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import type { RunCommand } from '../../runners/run-command.ts'
import type { Settings } from '../../settings/schema.ts'

/** A worktree and the repository that it belongs to. */
type Place = { path: string; root: string }

type FillOptions = {
  settings: Pick<Settings, 'worktree'>
  env: Record<string, string>
  /** What earlier tasks wrote may be part of what a command does, so a run gives one that uses its sandbox. */
  run: RunCommand
}

/** How long `worktree.setup` and `worktree.teardown` may take. */
const COMMAND_MS = 900_000

/** Makes a new worktree fit to work in: `worktree.copy`, then `worktree.setup`. Returns what failed, or null. */
export async function fillWorktree(place: Place, options: FillOptions): Promise<string | null> {
  const { copy, setup } = options.settings.worktree
  const wrong = copyInto(place, copy)
  if (wrong !== null) return wrong
  const failed = await runHook(setup, place, options)
  return failed && `worktree.setup ${failed}`
}

/** Runs `worktree.teardown`. Returns what failed, or null. */
export async function emptyWorktree(place: Place, options: FillOptions): Promise<string | null> {
  const failed = await runHook(options.settings.worktree.teardown, place, options)
  return failed && `worktree.teardown ${failed}`
}

/** Files that git ignores, such as `.env`. One that is missing is left out. */
function copyInto({ root, path }: Place, wanted: readonly string[]): string | null {
  for (const name of wanted) {
    const from = resolve(root, name)
    const inside = relative(root, from)
    if (inside === '' || inside.startsWith('..'))
      return `worktree.copy: "${name}" is not inside the repository`
    if (!existsSync(from)) continue
    mkdirSync(dirname(join(path, inside)), { recursive: true })
    cpSync(from, join(path, inside), { recursive: true, verbatimSymlinks: true })
  }
  return null
}

/** Runs a command of the settings. Returns what failed, or null if there is no command or it succeeded. */
async function runHook(
  command: string | null,
  { path, root }: Place,
  { env, run }: FillOptions,
): Promise<string | null> {
  if (command === null) return null
  const ran = await run(['/bin/sh', '-c', command], {
    cwd: path,
    env: { ...env, RALPH_WORKTREE: path, RALPH_ROOT: root },
    timeoutMs: COMMAND_MS,
  })
  if (ran.end === 'unstartable') return `cannot be started: ${ran.why}`
  if (ran.end === 'interrupted') return 'was interrupted'
  if (ran.end !== 'exited') return `took longer than ${COMMAND_MS / 1000}s`
  if (ran.exit.code === 0) return null
  const last = `${ran.stdout}\n${ran.stderr}`.trim().split('\n').at(-1)
  return `failed (${ran.exit.signal ?? `exit code ${ran.exit.code}`}${last ? `): ${last}` : ')'}`
}
