import { type Call, has, operands, verbs } from '../call.ts'
import { placeOf, plainPath } from '../paths.ts'
import { type Category, onCall, programs } from '../rule.ts'
import { STAR } from '../shell/shell.ts'
import { GIT_VALUES } from './git.ts'

const isRecursive = (call: Call): boolean =>
  (call.name === 'rm' && has(call, 'r', 'R', 'recursive')) || call.name === 'rimraf' || call.name === 'srm'

const targets = (call: Call) => operands(call.args).map(path => placeOf(path, call.cwd))

const deletes = (...places: string[]) =>
  onCall(call => isRecursive(call) && targets(call).some(place => places.includes(place)))

/** Files without which nobody can sign in, or the machine does not start. */
const VITAL = /^\/etc\/(?:passwd|shadow|group|gshadow|sudoers|fstab|hosts|ssh\/|pam\.d\/)/

/** What ralph keeps in the project: settings, and the sessions that tell what was done. */
const OWN = /^\.ralph(?:\/(?:sessions|settings[\w.]*))?$/

const plainTargets = (call: Call) => operands(call.args).map(path => plainPath(path, call.cwd))

/** A whole tree that others rely on, by its own name; `mv * src/` moves files, and moves them back. */
function movesTree({ name, args, cwd }: Call): boolean {
  if (name !== 'mv') return false
  const from = operands(args, ['-t', '--target-directory', '-S', '--suffix'])
  return (has({ args }, 't', 'target-directory') ? from : from.slice(0, -1)).some(path => {
    const plain = plainPath(path, cwd)
    return !path.includes(STAR) && (/^(?:\/\w*|~\/|\.git|\.ralph)?$/.test(plain) || /^[./]+$/.test(plain))
  })
}

/** `rsync --delete` makes a folder like another one: what only it has is gone. */
const mirrors = ({ name, args, cwd }: Call): boolean =>
  name === 'rsync' &&
  args.some(arg => /^--del(?:ete(?:-\w+)*)?$/.test(arg)) &&
  !has({ args }, 'n', 'dry-run') &&
  operands(args, ['-e', '--rsh', '--exclude', '--include', '--filter', '-f'])
    .slice(1)
    .slice(-1)
    .some(path => !path.includes(':') && placeOf(path, cwd) !== 'elsewhere')

const CODE = /^(?:python[\d.]*|node|perl|ruby|php|deno|bun)$/

/** What a line of another language removes, where it is written out. */
function removedInCode({ name, args, cwd }: Call): boolean {
  if (!CODE.test(name) || !has({ args }, 'c', 'e', 'r', 'eval', 'print', 'p')) return false
  return args.some(arg =>
    [
      ...arg.matchAll(
        /\b(?:rmtree|rmSync|rmdirSync|rm_rf|rm_r|remove_tree|rimraf)\s{0,9}\(?\s{0,9}(?:(['"])([^'"]{0,200})\1|([\w.]{0,40}(?:home|Home|expanduser)))/g,
      ),
    ].some(
      ([, , path, home]) => home !== undefined || (path !== undefined && placeOf(path, cwd) !== 'elsewhere'),
    ),
  )
}

/** `find / … | xargs rm`: the names of everything there, handed over. */
const removesListed = (call: Call): boolean =>
  (call.name === 'rm' || isRecursive(call)) && call.input.calls.some(listsTree)

function listsTree(call: Call): boolean {
  if (!/^(?:find|fd|fdfind|ls|du|tree)$/.test(call.name)) return false
  if (call.name === 'find') return reachesAll(call)
  return operands(call.args).some(path => ['root', 'system', 'home'].includes(placeOf(path, call.cwd)))
}

/** `find` without a test that chooses: all of it. */
function findsAll(call: Call): boolean {
  const { name, args } = call
  if (name !== 'find') return false
  const first = args.findIndex(arg => /^[-(!]/.test(arg))
  const rest = args.slice(first < 0 ? args.length : first)
  const removes =
    rest.includes('-delete') ||
    rest.some((arg, i) => /^-exec(?:dir)?$/.test(arg) && /(?:^|\/)rm$/.test(rest[i + 1] ?? ''))
  return removes && reachesAll(call)
}

function reachesAll({ args, cwd }: Call): boolean {
  const first = args.findIndex(arg => /^[-(!]/.test(arg))
  const from = args.slice(0, first < 0 ? undefined : first)
  const rest = args.slice(first < 0 ? args.length : first)
  const chooses = rest.some(
    (arg, i) =>
      /^-(?:i?name|i?path|i?regex|newer\w*|[acm]time|[acm]min|size|empty|user|perm|inum)$/.test(arg) &&
      // A name of any kind chooses nothing.
      !(/^-i?(?:name|path|regex)$/.test(arg) && /^[*.?\uE000\uE001]*$/.test(rest[i + 1] ?? '')),
  )
  const places = (from.length > 0 ? from : ['.']).map(path => placeOf(path, cwd))
  return places.some(
    place => place !== 'elsewhere' && (!chooses || (place !== 'project' && place !== 'above')),
  )
}

export const deletesCategory: Category = {
  number: 1,
  title: 'destructive deletes',
  programs: programs('rm rimraf srm find git shred unlink mv rsync python node perl ruby php deno bun'),
  rules: [
    {
      name: 'delete-system',
      denies: onCall(
        call =>
          (isRecursive(call) && targets(call).some(place => place === 'root' || place === 'system')) ||
          (/^(?:rm|unlink)$/.test(call.name) && plainTargets(call).some(path => VITAL.test(path))),
      ),
      reason:
        'This deletes a folder of the system, not of the project. Delete only what you made, by its path inside the project or /tmp.',
    },
    {
      name: 'delete-home',
      denies: deletes('home'),
      reason:
        "This deletes the user's home or one of its folders. Delete only what you made, by its path inside the project.",
    },
    {
      name: 'delete-unset',
      denies: deletes('unset'),
      reason: `If the variable is empty, this deletes from the root of the disk. Write the path out, or use "\${NAME:?}", which stops where it is empty.`,
    },
    {
      name: 'delete-project',
      denies: onCall(
        call =>
          isRecursive(call) &&
          (targets(call).some(place => place === 'project' || place === 'above' || place === 'git') ||
            plainTargets(call).some(path => OWN.test(path))),
      ),
      reason:
        'This deletes the whole project, what is above it, its git history, or what ralph keeps in it. Name the files or folders to delete, one by one.',
    },
    {
      name: 'delete-found',
      denies: onCall(call => findsAll(call) || removesListed(call)),
      reason:
        'This deletes everything that find meets. Narrow it: begin in a folder that you made, and choose with -name or -path.',
    },
    {
      name: 'clean-untracked',
      denies: onCall(call => {
        const { verb, args } = verbs(call, GIT_VALUES)
        if (call.name !== 'git' || verb !== 'clean' || !has({ args }, 'f', 'force')) return false
        const paths = operands(args, ['-e', '--exclude'])
        return (
          !has({ args }, 'n', 'dry-run') &&
          (paths.length === 0 || paths.some(path => placeOf(path, call.cwd) !== 'elsewhere'))
        )
      }),
      reason:
        "git clean deletes untracked files for good, the user's among them. Look with `git clean -nd`, then remove what is yours by its path.",
    },
    {
      name: 'move-tree',
      denies: onCall(movesTree),
      reason:
        'This moves away a whole tree that others rely on: home, the system, the project or its git history. Move the files that you made, by name.',
    },
    {
      name: 'mirror',
      denies: onCall(mirrors),
      reason:
        'With --delete this removes everything in the target that the source does not have. Copy without it, or into a folder that you made.',
    },
    {
      name: 'delete-in-code',
      denies: onCall(removedInCode),
      reason:
        "This deletes the user's home, a folder of the system, or the whole project. Delete only what you made, by its path inside the project.",
    },
    {
      name: 'shred',
      denies: onCall(
        call => call.name === 'shred' && !operands(call.args).every(path => path.startsWith('/dev/')),
      ),
      reason: 'shred leaves nothing to bring back. Use rm on a file that you made.',
    },
  ],
}
