import type { SandboxRuntimeConfig } from '@anthropic-ai/sandbox-runtime'
import type { Env, Needs } from '../../core/ports.ts'

/** All that decides where a run's processes may read, write and connect. Paths are absolute. */
export type Borders = {
  home: string
  /** Ralph's own folder, with the journals. */
  ralphHome: string
  /** Where the run works, and where its session is. */
  folders: readonly string[]
  /** The git folders of these: those of the working trees, and the common one. */
  git: readonly string[]
  /** Files in the worktrees of tasks that link them to the repository, as they are now. */
  links: readonly string[]
  /** A folder for temporary files, for this run only. */
  temp: string
  /** The CLIs that may work. */
  agents: readonly Needs[]
  /** The logins of all CLIs that ralph knows. */
  logins: readonly string[]
  /** The agents' own variables that hold secrets. */
  secrets: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  settings: {
    allowedDomains: readonly string[]
    allowWrite: readonly string[]
    denyRead: readonly string[]
  }
}

/** Names in the settings that stand for the hosts of a package registry. */
export const BUNDLES: Readonly<Record<string, readonly string[]>> = {
  npm: ['*.npmjs.org', '*.yarnpkg.com'],
  pypi: ['pypi.org', '*.pythonhosted.org'],
  crates: ['crates.io', '*.crates.io'],
  go: ['*.golang.org'],
}

/** The hosts that the names in a setting stand for. */
export const hostsNamed = (names: readonly string[]): string[] =>
  names.flatMap(name => BUNDLES[name] ?? [name])

/** What lets others act in the user's name, in the user's home. */
const KEYS = [
  '.ssh',
  '.aws',
  '.gnupg',
  '.azure',
  '.kube',
  '.config/gcloud',
  '.config/gh',
  '.config/git/credentials',
  '.config/op',
  '.docker/config.json',
  '.cargo/credentials.toml',
  '.cargo/credentials',
  '.gem/credentials',
  '.git-credentials',
  '.my.cnf',
  '.netrc',
  '.npmrc',
  '.password-store',
  '.pgpass',
  '.pypirc',
  '.terraform.d',
  '.vault-token',
  '.mozilla',
  '.config/google-chrome',
  'Library/Keychains',
]

/** What git obeys: it can run programs, or send a working tree elsewhere. */
const OBEYED_BY_GIT = ['hooks', 'config', 'config.worktree', 'info', 'commondir', 'gitdir']

/** The settings of the sandbox runtime. `exists`: whether there is something at a path. */
export function policyOf(borders: Borders, exists: (path: string) => boolean): SandboxRuntimeConfig {
  const { home, folders, git, agents, settings } = borders
  const inHome = (path: string) => `${home}/${path}`
  const fromHome = (path: string) => path.replace(/^~(?=\/|$)/, home)
  const own = new Set(agents.flatMap(({ logins }) => logins))
  const hosts = hostsOf(borders)
  const addresses = addressesOf(borders)
  return {
    network: {
      allowedDomains: reachableHosts(borders),
      deniedDomains: [],
      ...(borders.secrets.length > 0 && { tlsTerminate: {} }),
    },
    filesystem: {
      allowWrite: [
        ...folders,
        ...git,
        borders.temp,
        ...agents.flatMap(({ state }) => state.map(inHome)).filter(exists),
        ...settings.allowWrite.map(fromHome),
      ],
      denyWrite: [
        ...git.flatMap(folder => OBEYED_BY_GIT.map(name => `${folder}/${name}`)),
        // In a linked working tree this is a file that says where its repository is.
        ...folders.map(folder => `${folder}/.git`).filter(path => !git.includes(path)),
        ...borders.links,
      ].filter(exists),
      denyRead: [
        borders.ralphHome,
        ...KEYS.map(inHome),
        ...borders.logins.filter(path => !own.has(path)).map(inHome),
        ...settings.denyRead.map(fromHome),
      ].filter(exists),
    },
    ...(borders.secrets.length > 0 && {
      credentials: {
        envVars: borders.secrets.map(name => ({ name, mode: 'mask' as const, injectHosts: hosts })),
        // Only a model on this machine is spoken to without TLS.
        ...(addresses.some(isPlainLoopback) && { allowPlaintextInject: true }),
      },
    }),
  }
}

/** The hosts that may be reached: those of the models, and those that the user allows. */
export const reachableHosts = (
  borders: Pick<Borders, 'agents' | 'env'> & { settings: Pick<Borders['settings'], 'allowedDomains'> },
): string[] => [...new Set([...hostsOf(borders), ...hostsNamed(borders.settings.allowedDomains)])]

/** The hosts of the agents' models. */
function hostsOf(borders: Pick<Borders, 'agents' | 'env'>): string[] {
  const named = addressesOf(borders).map(({ hostname }) => hostname)
  return [...new Set([...borders.agents.flatMap(({ hosts }) => hosts), ...named])]
}

const addressesOf = ({ agents, env }: Pick<Borders, 'agents' | 'env'>): URL[] =>
  agents.flatMap(({ addresses }) =>
    addresses.flatMap(name => {
      const value = env[name]
      return value !== undefined && URL.canParse(value) ? [new URL(value)] : []
    }),
  )

const isPlainLoopback = ({ protocol, hostname }: URL): boolean => protocol === 'http:' && isLoopback(hostname)

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host)

/**
 * What the environment inside has in addition. What goes to this machine goes past the proxy, so a model on this machine
 * could not be reached from inside.
 */
export const environmentInside = ({ network }: SandboxRuntimeConfig): Env => ({
  // Node's own fetch uses the proxy only with this variable (22.21).
  NODE_USE_ENV_PROXY: '1',
  ...(network.allowedDomains.some(isLoopback) && { NO_PROXY: '', no_proxy: '' }),
})

const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY']

/** Variables that the runtime sets itself, whatever the user has. With keys, it also answers for the hosts of the model. */
export const setInside = (hasSecrets: boolean): string[] => [
  ...PROXIES.flatMap(name => [name, name.toLowerCase()]),
  ...['TMPDIR', 'GIT_SSH_COMMAND', 'JAVA_TOOL_OPTIONS'],
  ...(hasSecrets ? ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE'] : []),
]
