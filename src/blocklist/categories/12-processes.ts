import { type Call, has } from '../call.ts'
import type { Category } from '../rule.ts'

const FINDERS = /^(?:pgrep|pidof|lsof|ps|fuser|netstat|ss)$/

/** The calls whose output becomes words of this one: by substitution, or by `xargs`. */
const sources = ({ within, input }: Call): Call[] => [...within, ...input.calls]

/** `docker ps` without a filter. */
const listsAll = (call: Call): boolean =>
  /^(?:docker|podman)$/.test(call.name) &&
  /^(?:ps|container)$/.test(call.args[0] ?? '') &&
  !has(call, 'f filter')

const STOPS = /^(?:container )?(?:kill|stop|rm)\b/

export const processesCategory: Category = {
  number: 12,
  title: 'other processes',
  rules: {
    'kill-all': [
      'This ends everything that the user runs, you among it. End a process that you started, by its id: `kill $PID`.',
      {
        program: 'kill',
        // The ids, behind a signal if there is one: `-1` alone is no signal.
        text: /^(?:-(?:s|n|-signal) \S+ |-[A-Z\d]\S* (?=\S))?(?:.* )?(?:-1|1|0|-?PPID)(?: |$)/i,
        unless: 'l L',
        when: call => call.args[0] !== '-0',
      },
    ],
    'kill-by-name': [
      'This ends every process of that name, whoever started it. Keep the id when you start something (`server & PID=$!`), and end that: `kill $PID`.',
      {
        program: 'killall killall5 pkill skill xkill taskkill',
        unless: 'P parent l list',
        when: call => !call.args.includes('-0'),
      },
    ],
    'kill-found': [
      'This ends processes that it looked up, whoever started them. Keep the id when you start something (`server & PID=$!`), or use another port.',
      {
        program: 'kill',
        unless: 'l L',
        when: call => call.args[0] !== '-0' && sources(call).some(({ name }) => FINDERS.test(name)),
      },
    ],
    'kill-port': [
      'This ends whatever uses the port or file, whoever started it. Use another port, or end what you started by its id.',
      { program: 'fuser', flags: 'k kill' },
      { program: 'kill-port' },
    ],
    'stop-service': [
      'This stops a service that others may use. Start one of your own on another port.',
      { program: 'systemctl', operand: /^(?:stop|restart|kill|disable|isolate|try-restart)\b/ },
      { program: 'service', text: /^\S+ (?:stop|restart)\b/ },
      { program: 'launchctl', text: /^(?:unload|bootout|kill|stop|remove|disable)\b/ },
      { program: 'brew', text: /^services stop\b/ },
    ],
    'stop-sessions': [
      "This ends the user's sessions. End the session that you started, by its name.",
      { program: 'tmux', operand: /^kill-server\b/, unless: 'L S' },
      { program: 'screen', flags: 'wipe' },
      { program: 'loginctl', text: /^(?:terminate|kill)-/ },
    ],
    'stop-containers': [
      'This ends all containers of the machine. Name the ones that you started.',
      { program: 'docker podman', operand: STOPS, flags: 'a all' },
      { program: 'docker podman', operand: STOPS, when: call => sources(call).some(listsAll) },
    ],
  },
}
