import { type Call, has, operands } from '../call.ts'
import { writes } from '../effects.ts'
import { plainPath } from '../paths.ts'
import type { Category } from '../rule.ts'

const STARTUP =
  /^~\/(?:\.(?:bashrc|bash_profile|bash_login|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|xinitrc|xprofile|inputrc)$|\.config\/(?:autostart|systemd|fish\/config|fish\/conf\.d)|Library\/Launch(?:Agents|Daemons)|\.ssh\/(?:authorized_keys|config|rc)|\.gitconfig$|\.config\/git\/)|^\/etc\/(?:cron|systemd|init|rc|profile|bash\.bashrc|zsh|environment|ld\.so\.preload|hosts$|sudoers)|^\/Library\/Launch|^\/var\/spool\/cron|^\/usr\/local\/bin\//

/** What tells agents and git what to do: a change outlasts the session that made it. */
const ORDERS =
  /^(?:~\/)?\.claude\/(?:settings[\w.]*\.json|hooks\/)|^~\/\.codex\/config|^(?:~\/)?\.git\/(?:hooks\/|config$)|^\.ralph\/settings|^~\/\.ralph\//

/** Git runs their values, or reads more of its configuration from elsewhere. */
const GIT_RUNS =
  /^(?:core\.(?:hookspath|fsmonitor|sshcommand|editor|pager|askpass|gitproxy|worktree|attributesfile)|sequence\.editor|alias\.|filter\.|credential\.|include\.|includeif\.|extensions\.worktreeconfig|gpg\.(?:\w+\.)?program|(?:diff|merge|difftool|mergetool)\..*(?:command|textconv|driver|cmd|external))/i

/** What only the person at the keyboard may tell ralph; looking (`status`, `report`, `diff`) is free. */
const STEERING = /^(?:trust|cancel|pause|resume|tell|approve|reject|todo|undo|gc)(?: |$)/

const isWritten =
  (pattern: RegExp) =>
  (call: Call): boolean =>
    writes(call).some(path => pattern.test(plainPath(path, call)))

/** `git config` that writes a key for all projects, or one that git runs. */
function changesGit(call: Call): boolean {
  const [, first = '', second] = operands(call.args, '--file -f --type -C -c')
  if (first === 'get' || first === 'list') return false
  const isWrite = second !== undefined || has(call, 'unset add replace-all edit e unset-all')
  return isWrite && (has(call, 'global system') || GIT_RUNS.test(first))
}

/** A cleared environment and a session of its own, in either order. */
const HIDES = /(?:^| )(?:\S*\/)?env (?:-(?=\w*i)\w+|-|--ignore-environment)(?: |$)/
const LEAVES = /(?:^| )(?:setsid|nohup|daemonize|daemon)(?: |$)/

const hidesProcess = ({ words }: Call): boolean => HIDES.test(words.join(' ')) && LEAVES.test(words.join(' '))

export const persistenceCategory: Category = {
  number: 11,
  title: 'persistence',
  rules: {
    'startup-file': [
      'This changes what runs when the user signs in or the machine starts. Put what the project needs into the project.',
      { when: isWritten(STARTUP) },
    ],
    'standing-orders': [
      'This changes hooks or settings that rule later sessions. Leave them to the user; say in your answer what should change.',
      { when: isWritten(ORDERS) },
    ],
    schedule: [
      'This makes something run later, when nobody looks. Run it now, or leave it to a person.',
      {
        program: 'crontab',
        unless: 'l help',
        when: call => call.args.length + call.input.calls.length > 0,
      },
      { program: 'at batch', unless: 'l V' },
    ],
    service: [
      'This installs something that runs from now on. Start it for this session only, in the background.',
      { program: 'systemctl', operand: /^(?:enable|mask|link|edit|set-default|reenable)\b/ },
      { program: 'launchctl', text: /^(?:load|bootstrap|enable|submit)\b/ },
      { program: 'loginctl', text: /^enable-linger\b/ },
      { program: 'pm2', text: /^(?:startup|save)\b/ },
      { program: 'brew', text: /^services (?:start|restart)\b/ },
      { program: 'systemd-run update-rc.d chkconfig' },
    ],
    'hide-process': [
      'This starts a process with a cleared environment in a session of its own, where ralph cannot find it to end it. Start it in the background, and end it by its process id.',
      { program: 'env setsid nohup daemonize daemon', when: hidesProcess },
    ],
    'steer-ralph': [
      'Only the person who started the run steers ralph. Say in your answer what should be done.',
      { program: 'ralph', operand: STEERING },
    ],
    'let-in': [
      'This lets a key into a machine from now on. Only a person may do that.',
      { program: 'ssh-copy-id' },
    ],
    'global-git': [
      'This changes git for all projects, or makes it run something. Set what the project needs with `git config KEY VALUE`.',
      { program: 'git', operand: /^config\b/, unless: 'get get-all get-regexp list l', when: changesGit },
    ],
  },
}
