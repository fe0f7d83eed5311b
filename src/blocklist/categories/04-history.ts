import { type Call, operands } from '../call.ts'
import { placeOf } from '../paths.ts'
import type { Category } from '../rule.ts'
import { STAR } from '../shell/shell.ts'

const TO_MAIN = /^push .*[ :](?:refs\/heads\/)?(?:main|master|trunk|develop)(?: |$)/
const BRANCH_MAIN = /^branch (?:.* )?(?:main|master|trunk|develop)(?: |$)/

/** All files at once: `.`, `*`, the top of the repository. */
const touchesAll = (call: Call): boolean =>
  operands(call.args, '-C -c').some(
    path => path === ':/' || path === STAR || ['project', 'above'].includes(placeOf(path, call)),
  )

export const historyCategory: Category = {
  number: 4,
  title: 'history rewriting and force push',
  rules: {
    'force-push': [
      'This overwrites what others may have pushed. Push without force; if your own branch was rebased, use `git push --force-with-lease`.',
      { program: 'git', operand: /^push\b/, flags: 'f force mirror prune' },
      { program: 'git', operand: /^push .* \+/ },
    ],
    'force-main': [
      'This rewrites a branch that everyone builds on. Push to a branch of your own.',
      { program: 'git', operand: TO_MAIN, flags: 'force-with-lease force-if-includes' },
    ],
    'delete-remote': [
      'This deletes a branch or tag for everyone. Leave it, and say in your answer that it can go.',
      { program: 'git', operand: /^push\b/, flags: 'd delete' },
      { program: 'git', operand: /^push .* :\S/ },
    ],
    'rewrite-history': [
      'This rewrites the whole history. Make a new commit that changes what is wrong.',
      { program: 'git-filter-repo bfg' },
      { program: 'git', operand: /^(?:filter-branch|filter-repo|replace)\b/ },
    ],
    'forget-history': [
      'This takes away what git keeps for bringing lost work back. Leave it: it costs nothing.',
      { program: 'git', operand: /^(?:reflog (?:expire|delete)|stash clear)\b/ },
      { program: 'git', operand: /^gc\b/, text: /--prune=(?:now|all)/ },
      { program: 'git', operand: /^prune\b/, unless: 'n dry-run' },
      { program: 'git', operand: /^update-ref\b/, flags: 'd' },
    ],
    'discard-work': [
      "This throws away all uncommitted work, the user's too. Restore the files that you changed by name (`git restore FILE`), or put them aside with `git stash`.",
      { program: 'git', operand: /^reset\b/, flags: 'hard' },
      { program: 'git', operand: /^restore\b/, unless: 'S staged', when: touchesAll },
      { program: 'git', operand: /^restore\b/, flags: 'W worktree', when: touchesAll },
      { program: 'git', operand: /^(?:checkout|switch)\b/, flags: 'f force discard-changes' },
      { program: 'git', operand: /^checkout\b/, when: touchesAll },
    ],
    'discard-worktree': [
      'This throws away uncommitted work in another working tree. Commit it or copy it, then remove the tree without force.',
      { program: 'git', operand: /^worktree remove\b/, flags: 'f force' },
    ],
    'delete-main': [
      'This deletes a branch that everyone builds on. Delete only branches that you made.',
      { program: 'git', operand: BRANCH_MAIN, flags: 'd D delete' },
    ],
  },
}
