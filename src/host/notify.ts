import { basename } from 'node:path'
import { findProgram } from '../runners/find-program.ts'
import { commandRunner } from '../runners/run-command.ts'
import type { Settings } from '../settings/schema.ts'
import { type Notice, noticeReader } from '../view/notices.ts'
import type { Asked } from '../view/report/ending.ts'
import { gitEnvironment } from '../workflows/spec.ts'
import type { Frontend, Listener } from './frontend.ts'
import type { HostOptions } from './host.ts'

type NotifierOptions = {
  settings: Settings['notify']
  run: { id: string; project: string; command: string; asked: Asked }
  /** For finding programs and the desktop. */
  env: NodeJS.ProcessEnv
  /** For what is started: without the keys of agents. */
  childEnv: Record<string, string>
  /** Gets the attention of somebody at the terminal; says whether it shows a notification on the desktop. */
  alert?: Frontend['alert']
  warn(note: string): void
  timeoutMs?: number
}

type NotifyOptions = Pick<HostOptions, 'id' | 'spec' | 'limits' | 'workflow' | 'env' | 'frontend'>

/** The notifier of a run that is hosted here. */
export const openNotifier = (
  { id, spec, limits, workflow, env, frontend }: NotifyOptions,
  warn: (note: string) => void,
): Listener =>
  notifier({
    settings: spec.settings.notify,
    run: {
      id,
      project: spec.project,
      command: workflow.command,
      asked: { condition: workflow.describe(spec, limits).condition !== null, once: spec.once },
    },
    env,
    childEnv: gitEnvironment(spec.settings, env),
    alert: frontend.alert?.bind(frontend),
    warn,
  })

/** No channel may hold up a run, or its end, for longer. */
const TIMEOUT_MS = 10_000

/**
 * Tells people who do not watch that a run has ended, has a question or waits for a limit, on every channel of the settings.
 * Whatever goes wrong is a warning, once for each channel.
 */
export function notifier({
  settings,
  run,
  env,
  childEnv,
  alert,
  warn,
  timeoutMs = TIMEOUT_MS,
}: NotifierOptions): Listener {
  const { id, project, command, asked } = run
  const title = `ralph ${command} in ${basename(project) || project}`
  const read = noticeReader({ title, run: id, project }, asked)
  const start = commandRunner(new AbortController().signal)
  const pending = new Set<Promise<void>>()
  const failed = new Set<string>()

  function send(channel: string, act: () => Promise<string | null>): void {
    const sending = act()
      .catch((error: Error) => error.message)
      .then(why => {
        if (why !== null && !failed.has(channel)) warn(`${channel} did not work: ${why}`)
        if (why !== null) failed.add(channel)
      })
      .finally(() => pending.delete(sending))
    pending.add(sending)
  }
  async function call(argv: string[], more: Record<string, string>): Promise<string | null> {
    const ran = await start(argv, { cwd: project, env: { ...childEnv, ...more }, timeoutMs })
    if (ran.end === 'unstartable') return ran.why
    if (ran.end !== 'exited') return `it took longer than ${timeoutMs / 1000} s and was ended`
    return ran.exit.code === 0 ? null : `exit code ${ran.exit.code ?? ran.exit.signal}`
  }
  return {
    onEvent(event) {
      const notice = read(event)
      if (!notice) return
      const isShown = alert?.(notice, settings) ?? false
      const program = settings.desktop && !isShown ? desktopProgram(notice, env) : null
      if (program) send('notify.desktop', () => call(program, {}))
      if (settings.command !== null)
        send('notify.command', () => call(['/bin/sh', '-c', settings.command!], variablesOf(notice)))
      if (settings.webhook !== null) send('notify.webhook', () => post(settings.webhook!, notice, timeoutMs))
    },
    async close() {
      await Promise.all(pending)
    },
  }
}

const variablesOf = ({ kind, title, text, run, project }: Notice): Record<string, string> => ({
  RALPH_NOTIFY_KIND: kind,
  RALPH_NOTIFY_TITLE: title,
  RALPH_NOTIFY_TEXT: text,
  RALPH_NOTIFY_RUN: run,
  RALPH_NOTIFY_PROJECT: project,
})

/** The command line that shows a notification on this desktop. Null if there is none. */
function desktopProgram({ title, text }: Notice, env: NodeJS.ProcessEnv): string[] | null {
  if (process.platform === 'darwin') {
    const script = `display notification ${JSON.stringify(text)} with title ${JSON.stringify(title)}`
    return ['/usr/bin/osascript', '-e', script]
  }
  const program = env.DISPLAY || env.WAYLAND_DISPLAY ? findProgram('notify-send', env.PATH ?? '') : null
  return program === null ? null : [program, '--app-name=ralph', '--', title, text]
}

/** Slack reads `text`, Discord `content`. The address itself may be a secret, so no message names it. */
async function post(url: string, notice: Notice, timeoutMs: number): Promise<string | null> {
  const line = `${notice.title}: ${notice.text}`
  const body = JSON.stringify({ ...notice, text: line, content: line })
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'ralph' },
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    await response.body?.cancel()
    return response.ok ? null : `it answered with status ${response.status}`
  } catch (error) {
    const { name, cause } = error as Error & { cause?: { code?: string } }
    return name === 'TimeoutError'
      ? `it did not answer within ${timeoutMs / 1000} s`
      : `no answer (${cause?.code ?? 'the request failed'})`
  }
}
