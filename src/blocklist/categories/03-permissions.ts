import { type Call, has, operands, verbs } from '../call.ts'
import { placeOf, plainPath } from '../paths.ts'
import { type Category, onCall, programs, writes } from '../rule.ts'

/** chmod and chown have their mode or owner first; a mode such as `-w` looks like an option. */
function changed(call: Call): { what: string; places: string[] } {
  const [what = '', ...paths] = operands(call.args, ['--reference'])
  return { what, places: paths.map(path => placeOf(path, call.cwd)) }
}

const opensToAll = (mode: string): boolean =>
  /^[0-7]?[0-7]{2}[2367]$/.test(mode) ||
  /(?:^|,)[ugo]*[oa][ugo]*[+=][rxX]*w/.test(mode) ||
  /(?:^|,)\+[rxX]*w[rxX]*$/.test(mode)

const setsId = (mode: string): boolean => /^[2467][0-7]{3}$/.test(mode) || /[ug]*[+=][rwxX]*s/.test(mode)

export const permissionsCategory: Category = {
  number: 3,
  title: 'permissions',
  programs: programs(
    'chmod chown chgrp setfacl chattr chflags chcon useradd adduser userdel deluser usermod groupadd groupmod gpasswd passwd chpasswd visudo dscl chsh su sudo doas setenforce csrutil spctl ufw iptables ip6tables nft',
  ),
  rules: [
    {
      name: 'open-to-all',
      denies: onCall(call => {
        const { what, places } = changed(call)
        return (
          call.name === 'chmod' &&
          opensToAll(what) &&
          (has(call, 'R', 'recursive') || places.some(place => place !== 'elsewhere'))
        )
      }),
      reason:
        'This lets everyone write there. Give only what is needed to only the files that need it, such as `chmod u+rwX FOLDER`.',
    },
    {
      name: 'set-user-id',
      denies: onCall(call => call.name === 'chmod' && setsId(changed(call).what)),
      reason:
        'A set-user-ID or set-group-ID program runs with rights of another. Use plain modes such as 755.',
    },
    {
      name: 'change-tree',
      denies: onCall(
        call =>
          /^(?:chmod|chown|chgrp|setfacl|chattr|chflags|chcon)$/.test(call.name) &&
          has(call, 'R', 'recursive') &&
          changed(call).places.some(place => place !== 'elsewhere' && place !== 'project'),
      ),
      reason: 'This changes the rights of a tree outside the project. Change only files of the project.',
    },
    {
      name: 'change-system',
      denies: onCall(
        call =>
          /^(?:chmod|chown|chgrp|chattr)$/.test(call.name) &&
          changed(call).places.some(p => p === 'system' || p === 'root' || p === 'unset'),
      ),
      reason: 'This changes the rights of a file of the system. Change only files of the project.',
    },
    {
      name: 'accounts',
      denies: onCall(
        call =>
          /^(?:useradd|adduser|userdel|deluser|usermod|groupadd|groupmod|gpasswd|passwd|chpasswd|visudo|dscl|chsh)$/.test(
            call.name,
          ) && !(call.name === 'dscl' && /^-?(?:read|list|search)$/.test(operands(call.args)[1] ?? '')),
      ),
      reason:
        'This changes the accounts of the machine. Only a person may do that; say in your answer why it is needed.',
    },
    {
      name: 'root-shell',
      denies: onCall(call => {
        if (call.name === 'su') return !has(call, 'c', 'command')
        if (call.name !== 'sudo' && call.name !== 'doas') return false
        return (
          has(call, 'i', 's', 'login', 'shell') && operands(call.words.slice(1), ['-u', '-g']).length === 0
        )
      }),
      reason:
        'This opens a shell with the rights of another. Run the one command that needs them, if you must.',
    },
    {
      name: 'write-rights',
      any: true,
      denies: onCall(call =>
        writes(call).some(path =>
          /^\/etc\/(?:sudoers|passwd|shadow|group|gshadow|pam\.d|doas\.conf)/.test(plainPath(path, call.cwd)),
        ),
      ),
      reason:
        'This changes who may do what on the machine. Only a person may do that; say in your answer why it is needed.',
    },
    {
      name: 'switch-off-protection',
      denies: onCall(
        call =>
          (call.name === 'setenforce' && call.args[0] === '0') ||
          (call.name === 'csrutil' && call.args[0] === 'disable') ||
          (call.name === 'spctl' && has(call, 'master-disable', 'global-disable')) ||
          (call.name === 'ufw' && /^(?:disable|reset)$/.test(verbs(call).verb)) ||
          (/^(?:ip6?tables|nft)$/.test(call.name) && (has(call, 'F', 'flush') || call.args[0] === 'flush')),
      ),
      reason:
        'This switches a protection of the machine off. Leave it on, and say in your answer what it kept you from.',
    },
  ],
}
