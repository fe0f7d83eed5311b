// Which keys of a git configuration an agent may set. Everything else could make git run something, read or send other
// files, or look away, and git learns new keys with every version: so this lists what is harmless, not what is not.

/** `value` undefined: any value. Names of sections and keys are in lower case, as git lists them. */
const HARMLESS: readonly { key: RegExp; value?: RegExp }[] = [
  { key: /^user\.(name|email)$/ },
  { key: /^branch\..+\.merge$/s, value: /^refs\// },
  { key: /^branch\..+\.rebase$/s, value: /^(true|false|merges|interactive)$/ },
  { key: /^branch\..+\.(description|base|gh-merge-base|vscode-merge-base|github-pr-[\w-]+)$/s },
  { key: /^remote\..+\.gh-resolved$/s, value: /^base$/ },
  { key: /^submodule\..+\.active$/s, value: /^(true|false)$/ },
  { key: /^submodule\..+\.url$/s, value: /^(https:\/\/|ssh:\/\/|git@|\.{0,2}\/)(?!.*::)[^\s-][^\s]*$/ },
  // Docker's sandbox serves the clone inside as a remote, at another port each time it starts.
  {
    key: /^remote\.sandbox-ralph-[\da-f]{12}\.url$/,
    value: /^git:\/\/(127\.0\.0\.1|\[::1\]|localhost):\d+\/[^\s]*$/,
  },
  {
    key: /^remote\.sandbox-ralph-[\da-f]{12}\.fetch$/,
    value: /^\+refs\/heads\/\*:refs\/(remotes\/sandbox-|sandboxes\/)ralph-[\da-f]{12}\/\*$/,
  },
  { key: /^init\.defaultbranch$/ },
  { key: /^(pull\.(rebase|ff)|rebase\.autostash|push\.autosetupremote|merge\.conflictstyle)$/ },
  { key: /^push\.default$/, value: /^(simple|current|upstream|nothing)$/ },
  { key: /^(color|advice)\.[\w.]+$/ },
  { key: /^core\.(autocrlf|eol|safecrlf|quotepath|abbrev)$/ },
]

/** What `git init` and `git submodule` write into a new repository. */
const NEW_REPOSITORY: readonly { key: RegExp; value?: RegExp }[] = [
  {
    key: /^core\.(repositoryformatversion|filemode|logallrefupdates|ignorecase|precomposeunicode|symlinks)$/,
  },
  { key: /^core\.bare$/, value: /^false$/ },
  // A submodule's folder for git lies elsewhere, and leads back.
  { key: /^core\.worktree$/, value: /^(\.\.\/)+[^/]/ },
  { key: /^extensions\.objectformat$/ },
  { key: /^remote\..+\.url$/s, value: /^(https:\/\/|ssh:\/\/|git@|\.{0,2}\/)(?!.*::)[^\s-][^\s]*$/ },
  { key: /^remote\..+\.fetch$/s, value: /^\+?refs\// },
  { key: /^branch\..+\.remote$/s, value: /^origin$/ },
]

export type ConfigEntry = { key: string; value: string }

const isIn = (list: typeof HARMLESS, { key, value }: ConfigEntry): boolean =>
  list.some(entry => entry.key.test(key) && (entry.value?.test(value) ?? true))

const isHarmless = (entry: ConfigEntry): boolean => isIn(HARMLESS, entry)

/** Whether a repository that an agent made may have this. */
export const isHarmlessInNew = (entry: ConfigEntry): boolean =>
  isHarmless(entry) || isIn(NEW_REPOSITORY, entry)

export type ConfigChange = {
  /** Keys that changed and are not harmless. */
  refused: string[]
  /** The harmless keys that changed, with all the values that they have now. */
  harmless: { key: string; values: string[] }[]
}

/** A removed key counts as changed; a key is harmless only if each of its values is, before and after. */
export function compareConfig(before: readonly ConfigEntry[], after: readonly ConfigEntry[]): ConfigChange {
  const valuesOf = (entries: readonly ConfigEntry[], key: string) =>
    entries.filter(e => e.key === key).map(e => e.value)
  const keys = [...new Set([...before, ...after].map(e => e.key))]
  const changed = keys
    .map(key => ({ key, was: valuesOf(before, key), values: valuesOf(after, key) }))
    .filter(({ was, values }) => JSON.stringify(was) !== JSON.stringify(values))
  // A remote that is not configured would be taken for a path, or an address.
  const remotes = new Set(before.flatMap(({ key }) => /^remote\.(.+)\.url$/s.exec(key)?.[1] ?? []))
  const isFine = ({ key, was, values }: (typeof changed)[number]) =>
    /^branch\..+\.(push)?remote$/s.test(key)
      ? values.every(value => value === '.' || remotes.has(value))
      : [...was, ...values].every(value => isHarmless({ key, value }))
  return {
    refused: changed.filter(change => !isFine(change)).map(({ key }) => key),
    harmless: changed.filter(isFine).map(({ key, values }) => ({ key, values })),
  }
}
