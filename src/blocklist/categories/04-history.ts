import { type Call, has, operands, verbs } from '../call.ts'
import { placeOf } from '../paths.ts'
import { type Category, onCall, programs } from '../rule.ts'
import { STAR } from '../shell/shell.ts'
import { GIT_VALUES } from './git.ts'

type Git = { verb: string; args: string[]; cwd: string }

const onGit = (denies: (git: Git) => boolean) =>
  onCall((call: Call) => {
    if (call.name !== 'git') return false
    const { verb, args } = verbs(call, GIT_VALUES)
    return denies({ verb, args: args.map(inFull), cwd: call.cwd })
  })

const LONG = ['--hard', '--force', '--mirror', '--prune', '--delete', '--worktree', '--discard-changes']

/** Git takes the beginning of a long option for the whole: `--har`. */
const inFull = (arg: string): string =>
  /^--[a-z-]{2,}$/.test(arg) ? (LONG.find(option => option.startsWith(arg)) ?? arg) : arg

const PUSH_VALUES = ['-o', '--push-option', '--repo', '--receive-pack', '--exec']
const MAIN = /^(?:.*:)?(?:refs\/heads\/)?(?:main|master|trunk|develop)$/

function refsOf({ args }: Git): string[] {
  return operands(args, PUSH_VALUES).slice(1)
}

/** All files at once: `.`, `*`, the top of the repository. */
const isAll = (path: string, cwd: string): boolean =>
  path === ':/' || path === STAR || ['project', 'above'].includes(placeOf(path, cwd))

export const historyCategory: Category = {
  number: 4,
  title: 'history rewriting and force push',
  programs: programs('git git-filter-repo bfg'),
  rules: [
    {
      name: 'force-push',
      denies: onGit(
        git =>
          git.verb === 'push' &&
          (has(git, 'f', 'force', 'mirror', 'prune') || refsOf(git).some(ref => ref.startsWith('+'))),
      ),
      reason:
        'This overwrites what others may have pushed. Push without force; if your own branch was rebased, use `git push --force-with-lease`.',
    },
    {
      name: 'force-main',
      denies: onGit(
        git =>
          git.verb === 'push' &&
          has(git, 'force-with-lease', 'force-if-includes') &&
          refsOf(git).some(ref => MAIN.test(ref)),
      ),
      reason: 'This rewrites a branch that everyone builds on. Push to a branch of your own.',
    },
    {
      name: 'delete-remote',
      denies: onGit(
        git => git.verb === 'push' && (has(git, 'd', 'delete') || refsOf(git).some(ref => /^:./.test(ref))),
      ),
      reason: 'This deletes a branch or tag for everyone. Leave it, and say in your answer that it can go.',
    },
    {
      name: 'rewrite-history',
      denies: onCall(
        call =>
          /^(?:git-filter-repo|bfg)$/.test(call.name) ||
          (call.name === 'git' &&
            /^(?:filter-branch|filter-repo|replace)$/.test(verbs(call, GIT_VALUES).verb)),
      ),
      reason: 'This rewrites the whole history. Make a new commit that changes what is wrong.',
    },
    {
      name: 'forget-history',
      denies: onGit(
        ({ verb, args }) =>
          (verb === 'reflog' && /^(?:expire|delete)$/.test(args[0] ?? '')) ||
          (verb === 'gc' && args.some(arg => /^--prune=(?:now|all)/.test(arg))) ||
          (verb === 'prune' && !has({ args }, 'n', 'dry-run')) ||
          (verb === 'update-ref' && has({ args }, 'd')) ||
          (verb === 'stash' && args[0] === 'clear'),
      ),
      reason: 'This takes away what git keeps for bringing lost work back. Leave it: it costs nothing.',
    },
    {
      name: 'discard-work',
      denies: onGit(git => {
        const { verb, args, cwd } = git
        if (verb === 'reset') return has(git, 'hard')
        if (verb === 'restore')
          return (
            !(has(git, 'S', 'staged') && !has(git, 'W', 'worktree')) &&
            operands(args, ['-s', '--source']).some(path => isAll(path, cwd))
          )
        if (verb !== 'checkout' && verb !== 'switch') return false
        const end = args.indexOf('--')
        const paths = end < 0 ? args.filter(arg => arg === '.' || arg === ':/') : args.slice(end + 1)
        return has(git, 'f', 'force', 'discard-changes') || paths.some(path => isAll(path, cwd))
      }),
      reason:
        "This throws away all uncommitted work, the user's too. Restore the files that you changed by name (`git restore FILE`), or put them aside with `git stash`.",
    },
    {
      name: 'discard-worktree',
      denies: onGit(git => git.verb === 'worktree' && git.args[0] === 'remove' && has(git, 'f', 'force')),
      reason:
        'This throws away uncommitted work in another working tree. Commit it or copy it, then remove the tree without force.',
    },
    {
      name: 'delete-main',
      denies: onGit(
        git =>
          git.verb === 'branch' &&
          has(git, 'd', 'D', 'delete') &&
          operands(git.args).some(name => MAIN.test(name)),
      ),
      reason: 'This deletes a branch that everyone builds on. Delete only branches that you made.',
    },
  ],
}
