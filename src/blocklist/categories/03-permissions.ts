import { type Call, operands } from '../call.ts'
import { writes } from '../effects.ts'
import { type Place, placeOf, plainPath } from '../paths.ts'
import type { Category } from '../rule.ts'

const OPENS =
  /(?:^| )[0-7]?[0-7]{2}[2367](?: |$)|(?:^|[ ,])(?=[ugo]*[oa])[ugoa]+[+=][rxX]*w|(?:^|[ ,])\+[rxX]*w[rxX]*(?: |$)/
const SETS_ID = /(?:^| )(?:[2467][0-7]{3}|\S*[+=][rwxX]*s\S*)(?: |$)/

/** What belongs to the machine, or may. */
const SYSTEM: readonly Place[] = ['root', 'system', 'unset']

/** The first operand of chmod and chown is a mode or an owner. */
const changes =
  (isMeant: (place: Place) => boolean) =>
  (call: Call): boolean =>
    operands(call.args, '--reference')
      .slice(1)
      .some(path => isMeant(placeOf(path, call)))

const opensShell = (call: Call): boolean => operands(call.words.slice(1), '-u -g').length === 0

const isAccountFile = (path: string, call: Call): boolean =>
  /^\/etc\/(?:sudoers|passwd|shadow|group|gshadow|pam\.d|doas\.conf)/.test(plainPath(path, call))

export const permissionsCategory: Category = {
  number: 3,
  title: 'permissions',
  rules: {
    'open-to-all': [
      'This lets everyone write there. Give only what is needed to only the files that need it, such as `chmod u+rwX FOLDER`.',
      { program: 'chmod', text: OPENS, flags: 'R recursive' },
      { program: 'chmod', text: OPENS, when: changes(place => place !== 'elsewhere') },
    ],
    'set-user-id': [
      'A set-user-ID or set-group-ID program runs with rights of another. Use plain modes such as 755.',
      { program: 'chmod', text: SETS_ID },
    ],
    'change-tree': [
      'This changes the rights of a tree outside the project. Change only files of the project.',
      {
        program: 'chmod chown chgrp setfacl chattr chflags chcon',
        flags: 'R recursive',
        when: changes(place => place !== 'elsewhere' && place !== 'project'),
      },
    ],
    'change-system': [
      'This changes the rights of a file of the system. Change only files of the project.',
      { program: 'chmod chown chgrp chattr', when: changes(place => SYSTEM.includes(place)) },
    ],
    accounts: [
      'This changes the accounts of the machine. Only a person may do that; say in your answer why it is needed.',
      { program: 'useradd adduser userdel deluser usermod groupadd groupmod' },
      { program: 'gpasswd passwd chpasswd visudo chsh' },
      { program: 'dscl', text: /^(?!\S+ -?(?:read|list|search)\b)/ },
    ],
    'root-shell': [
      'This opens a shell with the rights of another. Run the one command that needs them, if you must.',
      { program: 'su', unless: 'c command' },
      { program: 'sudo doas', flags: 'i s login shell', when: opensShell },
    ],
    'write-rights': [
      'This changes who may do what on the machine. Only a person may do that; say in your answer why it is needed.',
      { when: call => writes(call).some(path => isAccountFile(path, call)) },
    ],
    'switch-off-protection': [
      'This switches a protection of the machine off. Leave it on, and say in your answer what it kept you from.',
      { program: 'setenforce', text: /^0/ },
      { program: 'csrutil', text: /^disable\b/ },
      { program: 'spctl', flags: 'master-disable global-disable' },
      { program: 'ufw', operand: /^(?:disable|reset)\b/ },
      { program: 'iptables ip6tables nft', flags: 'F flush' },
      { program: 'iptables ip6tables nft', text: /^flush\b/ },
    ],
  },
}
