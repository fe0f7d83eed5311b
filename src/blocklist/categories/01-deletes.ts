import { type Call, has, operands, verbs } from '../call.ts'
import { placeOf } from '../paths.ts'
import { type Category, onCall, programs } from '../rule.ts'
import { GIT_VALUES } from './git.ts'

const isRecursive = (call: Call): boolean =>
  (call.name === 'rm' && has(call, 'r', 'R', 'recursive')) || call.name === 'rimraf' || call.name === 'srm'

const targets = (call: Call) => operands(call.args).map(path => placeOf(path, call.cwd))

const deletes = (...places: string[]) =>
  onCall(call => isRecursive(call) && targets(call).some(place => places.includes(place)))

/** `find` without a test that chooses: all of it. */
function findsAll({ name, args, cwd }: Call): boolean {
  if (name !== 'find') return false
  const first = args.findIndex(arg => /^[-(!]/.test(arg))
  const from = args.slice(0, first < 0 ? undefined : first)
  const rest = args.slice(first < 0 ? args.length : first)
  const removes =
    rest.includes('-delete') ||
    rest.some((arg, i) => /^-exec(?:dir)?$/.test(arg) && /(?:^|\/)rm$/.test(rest[i + 1] ?? ''))
  if (!removes) return false
  const chooses = rest.some(arg =>
    /^-(?:i?name|i?path|i?regex|newer\w*|[acm]time|[acm]min|size|empty|user|perm|inum)$/.test(arg),
  )
  const places = (from.length > 0 ? from : ['.']).map(path => placeOf(path, cwd))
  return places.some(
    place => place !== 'elsewhere' && (!chooses || (place !== 'project' && place !== 'above')),
  )
}

export const deletesCategory: Category = {
  number: 1,
  title: 'destructive deletes',
  programs: programs('rm rimraf srm find git shred'),
  rules: [
    {
      name: 'delete-system',
      denies: deletes('root', 'system'),
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
      denies: deletes('project', 'above', 'git'),
      reason:
        'This deletes the whole project, what is above it, or its git history. Name the files or folders to delete, one by one.',
    },
    {
      name: 'delete-found',
      denies: onCall(findsAll),
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
      name: 'shred',
      denies: onCall(
        call => call.name === 'shred' && !operands(call.args).every(path => path.startsWith('/dev/')),
      ),
      reason: 'shred leaves nothing to bring back. Use rm on a file that you made.',
    },
  ],
}
