import { SESSION, type TmuxServer } from './server.ts'

/** The exact name of a worker's window; `=`: not one that only begins like it. */
const windowTarget = (name: string): string => `=${SESSION}:=${name}`

/** How people name it. */
export const windowName = (name: string): string => `${SESSION}:${name}`

export const hasWindow = (server: TmuxServer, name: string): Promise<boolean> =>
  server.run('list-windows', '-t', `=${SESSION}`, '-F', '#{window_name}').then(
    names => names.split('\n').includes(name),
    () => false,
  )

/** By name, so that it goes on in a new file; what `tail` says about that is left out. */
const SHOW = 'exec tail -n 5000 -F "$0" 2>/dev/null'

/** Opens a window that shows a file as it grows. Closing it harms nothing. */
export async function openView(server: TmuxServer, name: string, file: string): Promise<void> {
  await closeWindow(server, name)
  await server.runInSession(create => [
    ...create,
    ...['-n', name, 'sh', '-c', SHOW, file, ';'],
    ...keepName(name),
  ])
}

/** The name is the worker's, whatever its program calls itself. */
const keepName = (name: string): string[] =>
  ['automatic-rename', 'allow-rename']
    .flatMap(option => ['set-option', '-w', '-t', windowTarget(name), option, 'off', ';'])
    .slice(0, -1)

export async function closeWindow(server: TmuxServer, name: string): Promise<void> {
  await server.run('kill-window', '-t', windowTarget(name)).catch(() => {})
}
