import { type Call, has, operands, verbs } from '../call.ts'
import { plainPath } from '../paths.ts'
import { type Category, onCall, programs, writes } from '../rule.ts'
import { GIT_VALUES } from './git.ts'

const STARTUP =
  /^~\/(?:\.(?:bashrc|bash_profile|bash_login|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|xinitrc|xprofile|inputrc)$|\.config\/(?:autostart|systemd|fish\/config|fish\/conf\.d)|Library\/Launch(?:Agents|Daemons)|\.ssh\/(?:authorized_keys|config|rc)|\.gitconfig$|\.config\/git\/)|^\/etc\/(?:cron|systemd|init|rc|profile|bash\.bashrc|zsh|environment|ld\.so\.preload|hosts$|sudoers)|^\/Library\/Launch|^\/var\/spool\/cron|^\/usr\/local\/bin\//

/** What tells agents and git what to do: a change outlasts the session that made it. */
const ORDERS =
  /^(?:~\/)?\.claude\/(?:settings[\w.]*\.json|hooks\/)|^~\/\.codex\/config|^\.git\/(?:hooks\/|config$)|^\.ralph\/settings|^~\/\.ralph\//

/** Git runs their values, or reads more of its configuration from elsewhere. */
const GIT_RUNS =
  /^(?:core\.(?:hookspath|fsmonitor|sshcommand|editor|pager|askpass|gitproxy|worktree|attributesfile)|sequence\.editor|alias\.|filter\.|credential\.|include\.|includeif\.|extensions\.worktreeconfig|gpg\.(?:\w+\.)?program|(?:diff|merge|difftool|mergetool)\..*(?:command|textconv|driver|cmd|external))/i

/** What only the person at the keyboard may tell ralph; looking (`status`, `report`, `diff`) is free. */
const STEERING = /^(?:trust|cancel|pause|resume|tell|approve|reject|todo|undo|gc)$/

const NEW_SESSION = ['setsid', 'nohup', 'daemonize', 'daemon']

const isWritten =
  (pattern: RegExp) =>
  (call: Call): boolean =>
    writes(call).some(path => pattern.test(plainPath(path, call.cwd)))

export const persistenceCategory: Category = {
  number: 11,
  title: 'persistence',
  programs: programs(
    'crontab at batch systemctl systemd-run launchctl loginctl update-rc.d chkconfig pm2 brew ssh-copy-id git ralph env setsid nohup daemonize daemon',
  ),
  rules: [
    {
      name: 'startup-file',
      any: true,
      denies: onCall(isWritten(STARTUP)),
      reason:
        'This changes what runs when the user signs in or the machine starts. Put what the project needs into the project.',
    },
    {
      name: 'standing-orders',
      any: true,
      denies: onCall(isWritten(ORDERS)),
      reason:
        'This changes hooks or settings that rule later sessions. Leave them to the user; say in your answer what should change.',
    },
    {
      name: 'schedule',
      denies: onCall(
        call =>
          (call.name === 'crontab' &&
            !has(call, 'l', 'help') &&
            (call.args.length > 0 || call.input.calls.length > 0)) ||
          (/^(?:at|batch)$/.test(call.name) && !has(call, 'l', 'V')),
      ),
      reason: 'This makes something run later, when nobody looks. Run it now, or leave it to a person.',
    },
    {
      name: 'service',
      denies: onCall(
        call =>
          (call.name === 'systemctl' &&
            /^(?:enable|mask|link|edit|set-default|reenable)$/.test(verbs(call).verb)) ||
          (call.name === 'launchctl' && /^(?:load|bootstrap|enable|submit)$/.test(call.args[0] ?? '')) ||
          (call.name === 'loginctl' && call.args[0] === 'enable-linger') ||
          call.name === 'systemd-run' ||
          call.name === 'update-rc.d' ||
          call.name === 'chkconfig' ||
          (call.name === 'pm2' && /^(?:startup|save)$/.test(call.args[0] ?? '')) ||
          (call.name === 'brew' &&
            call.args[0] === 'services' &&
            /^(?:start|restart)$/.test(call.args[1] ?? '')),
      ),
      reason:
        'This installs something that runs from now on. Start it for this session only, in the background.',
    },
    {
      name: 'hide-process',
      denies: onCall(({ name, words }) => {
        const clears = words.some(
          (word, i) =>
            /^(?:-\w*i\w*|-|--ignore-environment)$/.test(word) && /(?:^|\/)env$/.test(words[i - 1] ?? ''),
        )
        return (
          clears &&
          (name === 'env' || NEW_SESSION.includes(name)) &&
          words.some(word => NEW_SESSION.includes(word))
        )
      }),
      reason:
        'This starts a process with a cleared environment in a session of its own, where ralph cannot find it to end it. Start it in the background, and end it by its process id.',
    },
    {
      name: 'steer-ralph',
      denies: onCall(call => call.name === 'ralph' && STEERING.test(verbs(call).verb)),
      reason: 'Only the person who started the run steers ralph. Say in your answer what should be done.',
    },
    {
      name: 'let-in',
      denies: onCall(call => call.name === 'ssh-copy-id'),
      reason: 'This lets a key into a machine from now on. Only a person may do that.',
    },
    {
      name: 'global-git',
      denies: onCall(call => {
        const { verb, args } = verbs(call, GIT_VALUES)
        if (call.name !== 'git' || verb !== 'config') return false
        const [first = '', second] = operands(args, ['--file', '-f', '--type'])
        if (has({ args }, 'get', 'get-all', 'get-regexp', 'list', 'l') || first === 'get' || first === 'list')
          return false
        const isWrite =
          second !== undefined || has({ args }, 'unset', 'add', 'replace-all', 'edit', 'e', 'unset-all')
        return isWrite && (has({ args }, 'global', 'system') || GIT_RUNS.test(first))
      }),
      reason:
        'This changes git for all projects, or makes it run something. Set what the project needs with `git config KEY VALUE`.',
    },
  ],
}
