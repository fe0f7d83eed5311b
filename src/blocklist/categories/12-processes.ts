import { type Call, has, operands, verbs } from '../call.ts'
import { type Category, onCall, programs } from '../rule.ts'

const FINDERS = /^(?:pgrep|pidof|lsof|ps|fuser|netstat|ss)$/

const isKill = (call: Call): boolean => call.name === 'kill' && !has(call, 'l', 'L') && call.args[0] !== '-0'

/** The ids, without the signal before them. */
function ids({ args }: Call): string[] {
  const rest = /^-(?:s|n|-signal)$/.test(args[0] ?? '')
    ? args.slice(2)
    : /^-[A-Z\d]/i.test(args[0] ?? '') && args.length > 1
      ? args.slice(1)
      : args
  return rest.filter(arg => arg !== '--')
}

export const processesCategory: Category = {
  number: 12,
  title: 'other processes',
  programs: programs(
    'kill killall killall5 pkill skill xkill taskkill fuser kill-port systemctl service launchctl brew tmux screen loginctl docker podman',
  ),
  rules: [
    {
      name: 'kill-all',
      denies: onCall(
        call => isKill(call) && ids(call).some(id => ['-1', '1', '0', 'PPID', '-PPID'].includes(id)),
      ),
      reason:
        'This ends everything that the user runs, you among it. End a process that you started, by its id: `kill $PID`.',
    },
    {
      name: 'kill-by-name',
      denies: onCall(
        call =>
          /^(?:killall5?|pkill|skill|xkill|taskkill)$/.test(call.name) &&
          !has(call, 'P', 'parent', 'l', 'list') &&
          !call.args.includes('-0'),
      ),
      reason:
        'This ends every process of that name, whoever started it. Keep the id when you start something (`server & PID=$!`), and end that: `kill $PID`.',
    },
    {
      name: 'kill-found',
      denies: onCall(
        call =>
          isKill(call) &&
          (call.within.some(inner => FINDERS.test(inner.name)) ||
            call.input.calls.some(inner => FINDERS.test(inner.name))),
      ),
      reason:
        'This ends processes that it looked up, whoever started them. Keep the id when you start something (`server & PID=$!`), or use another port.',
    },
    {
      name: 'kill-port',
      denies: onCall(call => (call.name === 'fuser' && has(call, 'k', 'kill')) || call.name === 'kill-port'),
      reason:
        'This ends whatever uses the port or file, whoever started it. Use another port, or end what you started by its id.',
    },
    {
      name: 'stop-service',
      denies: onCall(
        call =>
          (call.name === 'systemctl' &&
            /^(?:stop|restart|kill|disable|isolate|try-restart)$/.test(
              verbs(call, ['-H', '-M', '-t']).verb,
            )) ||
          (call.name === 'service' && /^(?:stop|restart)$/.test(call.args[1] ?? '')) ||
          (call.name === 'launchctl' &&
            /^(?:unload|bootout|kill|stop|remove|disable)$/.test(call.args[0] ?? '')) ||
          (call.name === 'brew' && call.args[0] === 'services' && call.args[1] === 'stop'),
      ),
      reason: 'This stops a service that others may use. Start one of your own on another port.',
    },
    {
      name: 'stop-sessions',
      denies: onCall(
        call =>
          (call.name === 'tmux' &&
            verbs(call, ['-L', '-S', '-f']).verb === 'kill-server' &&
            !has(call, 'L', 'S')) ||
          (call.name === 'screen' && has(call, 'wipe')) ||
          (call.name === 'loginctl' && /^(?:terminate|kill)-/.test(call.args[0] ?? '')),
      ),
      reason: "This ends the user's sessions. End the session that you started, by its name.",
    },
    {
      name: 'stop-containers',
      denies: onCall(
        call =>
          /^(?:docker|podman)$/.test(call.name) &&
          /^(?:kill|stop|rm)$/.test(operands(call.args).filter(word => word !== 'container')[0] ?? '') &&
          (has(call, 'a', 'all') ||
            [...call.within, ...call.input.calls].some(
              inner =>
                /^(?:docker|podman)$/.test(inner.name) &&
                /^(?:ps|container)$/.test(inner.args[0] ?? '') &&
                !has(inner, 'f', 'filter'),
            )),
      ),
      reason: 'This ends all containers of the machine. Name the ones that you started.',
    },
  ],
}
