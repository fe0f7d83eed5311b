import { holdsSecret, looksSecret } from '../core/secrets.ts'
import { matchesAny } from './names.ts'

/** The variables that are set. */
export const present = (env: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined))

export type EnvironmentRules = {
  /** Names that the agent needs itself, its API keys for example. */
  own: readonly string[]
  /** The user's names and patterns to pass and to drop; `drop` wins. */
  pass: readonly string[]
  drop: readonly string[]
}

/**
 * The environment for a child process, without variables that look like a secret, by name or value, and that the agent
 * does not need. Marks of an outer run are dropped, because its sweep would end the children of this run.
 */
export function filterEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  { own, pass, drop }: EnvironmentRules,
): { env: Record<string, string>; leftOut: string[] } {
  const isKept = ([name, value]: [string, string]): boolean => {
    if (matchesAny(name, drop)) return false
    if (SETTINGS.includes(name) || matchesAny(name, own) || matchesAny(name, pass)) return true
    return !looksSecret(name) && !holdsSecret(value)
  }
  const unmarked = Object.entries(present(env)).filter(([name]) => !isMark(name))
  return {
    env: Object.fromEntries(unmarked.filter(isKept)),
    leftOut: unmarked
      .filter(entry => !isKept(entry))
      .map(([name]) => name)
      .sort(),
  }
}

/** Variables without secrets that programs in a sandbox need: who and where they are, and where their tools are. */
const PLAIN: readonly string[] =
  `PATH HOME USER LOGNAME SHELL PWD LANG LANGUAGE LC_* TZ TERM COLORTERM NO_COLOR FORCE_COLOR CI TMPDIR XDG_* RALPH_*
   HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy SSL_CERT_FILE SSL_CERT_DIR
   GIT_* CC CXX CFLAGS CXXFLAGS CPPFLAGS LDFLAGS MAKEFLAGS PKG_CONFIG_PATH LD_LIBRARY_PATH
   NODE_* npm_config_* NPM_CONFIG_* NVM_* FNM_* VOLTA_* PNPM_* YARN_* BUN_* DENO_* COREPACK_*
   JAVA_* JDK_* GRADLE_* MAVEN_* KOTLIN_* ANDROID_* GO* CARGO_* RUSTUP_* RUST* PYTHON* PYENV_* VIRTUAL_ENV CONDA_*
   PIP_* UV_* POETRY_* RBENV_* GEM_* RUBY* BUNDLE_* DOTNET_* NUGET_* PHP* COMPOSER_* MIX_* HEX_* SWIFT_* ASDF_* MISE_*`.split(
    /\s+/,
  )

/**
 * Whether a program in a sandbox gets this variable, of an environment that was filtered already. What a sandbox keeps in
 * must not leave through a variable whose name nobody thought of, so this is a list of what is kept.
 */
export const isKeptInside = (name: string, { own, pass }: Pick<EnvironmentRules, 'own' | 'pass'>): boolean =>
  matchesAny(name, PLAIN) || matchesAny(name, own) || matchesAny(name, pass)

/** Variables without secrets that mean the same on another machine, which has its own users, folders, tools and proxies. */
const PORTABLE: readonly string[] =
  'LANG LANGUAGE LC_* TZ TERM COLORTERM NO_COLOR FORCE_COLOR CI RALPH_* GIT_AUTHOR_* GIT_COMMITTER_*'.split(
    ' ',
  )

/** The same as `isKeptInside` for a sandbox that is a virtual machine. */
export const isKeptElsewhere = (
  name: string,
  { own, pass }: Pick<EnvironmentRules, 'own' | 'pass'>,
): boolean =>
  name !== 'RALPH_HOME' && (matchesAny(name, PORTABLE) || matchesAny(name, own) || matchesAny(name, pass))

/** Set by the user, for nested runs of ralph and for the plugin's hooks. */
const SETTINGS = ['RALPH_HOME', 'RALPH_CHARS_PER_TOKEN']

const isMark = (name: string): boolean => name.startsWith('RALPH_') && !SETTINGS.includes(name)
