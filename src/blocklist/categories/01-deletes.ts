import { type Call, has, operands } from '../call.ts'
import { type Place, placeOf, plainPath } from '../paths.ts'
import type { Category } from '../rule.ts'
import { STAR } from '../shell/shell.ts'

type Test = (call: Call) => boolean

/** The rows of a rule about programs that remove whole trees. */
const removing = (when: Test) => [
  { program: 'rm', flags: 'r R recursive', when },
  { program: 'rimraf srm', when },
]

const reaches =
  (...places: Place[]): Test =>
  call =>
    operands(call.args).some(path => places.includes(placeOf(path, call)))

const names =
  (pattern: RegExp): Test =>
  call =>
    operands(call.args).some(path => pattern.test(plainPath(path, call)))

/** Files without which nobody can sign in, or the machine does not start. */
const VITAL = /^\/etc\/(?:passwd|shadow|group|gshadow|sudoers|fstab|hosts|ssh\/|pam\.d\/)/

/** What ralph keeps in the project: settings, and the sessions with the history of the runs. */
const OWN = /^\.ralph(?:\/(?:sessions|settings[\w.]*))?$/

/** A whole tree that others rely on, by its own name. `mv * src/` moves files, and can be undone. */
const movesTree: Test = call => {
  const from = operands(call.args, '-t --target-directory -S --suffix')
  return (has(call, 't target-directory') ? from : from.slice(0, -1)).some(
    path =>
      !path.includes(STAR) &&
      (/^(?:\/\w*|~\/|\.git|\.ralph)?$/.test(plainPath(path, call)) || placeOf(path, call) === 'above'),
  )
}

/** `rsync --delete` makes a folder like another one: what only it has is gone. */
const mirrors: Test = call => {
  const [, ...targets] = operands(call.args, '-e --rsh --exclude --include --filter -f')
  return targets.slice(-1).some(path => !path.includes(':') && placeOf(path, call) !== 'elsewhere')
}

/** `find / … | xargs rm`: the names of everything there, handed over. */
const removesListed: Test = call =>
  call.input.calls.some(
    lister =>
      (lister.name === 'find' && findsAll(lister)) ||
      (/^(?:fd|fdfind|ls|du|tree)$/.test(lister.name) && reaches('root', 'system', 'home')(lister)),
  )

/** `find` without a test that chooses: all of it. */
const findsAll: Test = call => {
  const first = call.args.findIndex(arg => /^[-(!]/.test(arg))
  const from = call.args.slice(0, first < 0 ? undefined : first)
  const tests = call.args.slice(from.length)
  const chooses = tests.some(
    (test, i) =>
      /^-(?:i?name|i?path|i?regex|newer\w*|[acm]time|[acm]min|size|empty|user|perm|inum)$/.test(test) &&
      // A name of any kind chooses nothing.
      !(/^-i?(?:name|path|regex)$/.test(test) && /^[*.?\uE000\uE001]*$/.test(tests[i + 1] ?? '')),
  )
  const places = (from.length > 0 ? from : ['.']).map(path => placeOf(path, call))
  return places.some(
    place => place !== 'elsewhere' && !(chooses && (place === 'project' || place === 'above')),
  )
}

const cleansAll: Test = call => {
  const [, ...paths] = operands(call.args, '-e --exclude -C -c')
  return paths.length === 0 || paths.some(path => placeOf(path, call) !== 'elsewhere')
}

export const deletesCategory: Category = {
  number: 1,
  title: 'destructive deletes',
  rules: {
    'delete-system': [
      'This deletes a folder of the system, not of the project. Delete only what you made, by its path inside the project or /tmp.',
      ...removing(reaches('root', 'system')),
      { program: 'rm unlink', when: names(VITAL) },
    ],
    'delete-home': [
      "This deletes the user's home or one of its folders. Delete only what you made, by its path inside the project.",
      ...removing(reaches('home')),
    ],
    'delete-unset': [
      `If the variable is empty, this deletes from the root of the disk. Write the path out, or use "\${NAME:?}", which stops where it is empty.`,
      ...removing(reaches('unset')),
    ],
    'delete-project': [
      'This deletes the whole project, what is above it, its git history, or what ralph keeps in it. Name the files or folders to delete, one by one.',
      ...removing(reaches('project', 'above', 'git')),
      ...removing(names(OWN)),
    ],
    'delete-found': [
      'This deletes everything that find meets. Narrow it: begin in a folder that you made, and choose with -name or -path.',
      { program: 'find', text: /(?:^| )-(?:delete|exec(?:dir)? (?:\S*\/)?rm)(?: |$)/, when: findsAll },
      { program: 'rm rimraf srm', when: removesListed },
    ],
    'clean-untracked': [
      "git clean deletes untracked files for good, the user's among them. Look with `git clean -nd`, then remove what is yours by its path.",
      { program: 'git', operand: /^clean\b/, flags: 'f force', unless: 'n dry-run', when: cleansAll },
    ],
    'move-tree': [
      'This moves away a whole tree that others rely on: home, the system, the project or its git history. Move the files that you made, by name.',
      { program: 'mv', when: movesTree },
    ],
    mirror: [
      'With --delete this removes everything in the target that the source does not have. Copy without it, or into a folder that you made.',
      {
        program: 'rsync',
        text: /(?:^| )--del(?:ete\S*)?(?: |$)/,
        unless: 'n dry-run',
        when: mirrors,
      },
    ],
    shred: [
      'shred leaves nothing to bring back. Use rm on a file that you made.',
      { program: 'shred', when: call => !operands(call.args).every(path => path.startsWith('/dev/')) },
    ],
  },
}
