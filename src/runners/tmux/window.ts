import { SESSION, type TmuxServer } from './server.ts'

/** A worker's window: its name, and the log that it shows while no agent runs in it. */
export type WorkerWindow = { server: TmuxServer; name: string; view: string }

/** The exact name of a worker's window. With `=`, tmux takes none that only begins like it. */
const windowTarget = (name: string): string => `=${SESSION}:=${name}`

/** How people name it. */
export const windowName = (name: string): string => `${SESSION}:${name}`

/** Marks the panes that ralph opened: a person may have split the window. */
const OWN = '@ralph'

export const hasWindow = (server: TmuxServer, name: string): Promise<boolean> =>
  server.run('list-windows', '-t', `=${SESSION}`, '-F', '#{window_name}').then(
    names => names.split('\n').includes(name),
    () => false,
  )

/** By name, so that it goes on in a new file. What `tail` says about that is left out. */
const SHOW = 'exec tail -n 5000 -F "$0" 2>/dev/null'

/** Opens a window that shows a file as it grows. Closing it harms nothing. */
export async function openView({ server, name, view }: WorkerWindow): Promise<void> {
  await openWindow(server, name, ['sh', '-c', SHOW, view], [])
}

/**
 * Runs a program in the worker's window, in place of what it shows. Opens the window if it is gone. What the program
 * prints goes to a shell command, too: all in one call, or the first output would be lost. Returns the id of the pane.
 */
export async function runInWindow(
  { server, name }: WorkerWindow,
  argv: string[],
  outputTo: string,
): Promise<string> {
  const more = (pane: string): string[] => [
    ...[';', 'set-option', '-p', '-t', pane, 'remain-on-exit', 'on'],
    ...[';', 'pipe-pane', '-t', pane, literal(outputTo)],
  ]
  const pane = await ownPane(server, name)
  if (pane !== null) {
    const words = ['respawn-pane', '-k', '-t', pane, ...argv, ...more(pane)]
    const isRunning = await server.run(...words).then(
      () => true,
      () => false,
    )
    if (isRunning) return pane
  }
  return openWindow(server, name, argv, more(windowTarget(name)))
}

async function openWindow(
  server: TmuxServer,
  name: string,
  argv: readonly string[],
  more: readonly string[],
): Promise<string> {
  await closeWindow(server, name)
  return server.runInSession(create => [
    ...create,
    ...['-n', name, '-P', '-F', '#{pane_id}', ...argv],
    ...more,
    ...[';', 'set-option', '-p', '-t', windowTarget(name), OWN, name],
    // The name is the worker's, whatever its program calls itself.
    ...['automatic-rename', 'allow-rename'].flatMap(option => [
      ...[';', 'set-option', '-w', '-t', windowTarget(name), option, 'off'],
    ]),
  ])
}

/** The pane of the worker's window that ralph opened. Null if it is gone. */
async function ownPane(server: TmuxServer, name: string): Promise<string | null> {
  const format = `#{pane_id} #{${OWN}} #{window_name}`
  const panes = await server.run('list-panes', '-s', '-t', `=${SESSION}`, '-F', format).catch(() => '')
  const own = panes.split('\n').find(line => line.endsWith(` ${name} ${name}`))
  return own?.split(' ', 1)[0] ?? null
}

/** The text that a pane shows. Null if it is gone. */
export const captureScreen = (server: TmuxServer, pane: string): Promise<string | null> =>
  server.run('capture-pane', '-p', '-t', pane).catch(() => null)

/** A text that tmux would expand, so that it stays as it is. */
const literal = (text: string): string => text.replaceAll('#', '##').replaceAll('%', '%%')

export async function closeWindow(server: TmuxServer, name: string): Promise<void> {
  await server.run('kill-window', '-t', windowTarget(name)).catch(() => {})
}
