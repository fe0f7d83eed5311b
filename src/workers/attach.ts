import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { UsageError } from '../core/usage-error.ts'
import { requireTmux, SESSION, tmuxServer } from '../runners/tmux/server.ts'
import { hasWindow, openView } from '../runners/tmux/window.ts'
import { ralphHome } from '../runs/find.ts'
import type { Io } from '../runs/io.ts'
import { workerDir } from '../runs/worker-record.ts'
import { FILES, workerNamed } from './folder.ts'

/** Shows a worker's window in this terminal. */
export async function attachWorker(name: string, io: Io): Promise<number> {
  const home = ralphHome(io.env)
  const { window } = workerNamed(home, name)
  if (window === null) throw new UsageError(`worker '${name}' runs in a terminal of its own, not in tmux`)
  requireTmux(io.env.PATH ?? '')
  if (!io.stdout.isTTY)
    throw new UsageError(`this is not a terminal; see it with: ralph logs ${name} --follow`)
  const server = tmuxServer(home, io.env)
  const view = join(workerDir(home, name), FILES.view)
  if (!(await hasWindow(server, name))) await openView({ server, name, view })
  // A session of this terminal's own: what others look at does not change with it, and it goes when it is left.
  const own = `${SESSION}-${process.pid}`
  const words = [
    ...['new-session', '-t', `=${SESSION}`, '-s', own, ';'],
    ...['select-window', '-t', `=${own}:=${name}`],
  ]
  const { TMUX: _, ...env } = io.env
  const child = spawn('tmux', ['-u', '-S', server.socket, ...words], { stdio: 'inherit', env })
  const [code] = await once(child, 'exit')
  await server.run('kill-session', '-t', `=${own}`).catch(() => {})
  return code === 0 ? 0 : 1
}
