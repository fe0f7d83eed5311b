/** Stands for what was left out. */
const GONE = '…'

/** A user and a password before a host; over HTTP a user alone is a token. */
const IN_URL = /\b(?:https?:\/\/[^\s/?#@"']+@|[a-z][a-z\d+.-]*:\/\/[^\s/?#@:"']*:[^\s/?#@"']+@)/gi

/** Keys and tokens that are known by how they begin. */
const TOKEN =
  /\b(?:(?:sk|rk)_(?:live|test)_\w+|sk-[\w-]{16,}|gh[opsur]_\w{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|xox[abeoprs]-[\w-]{10,}|(?:AKIA|ASIA)[A-Z\d]{16}|AIza[\w-]{30,}|npm_\w{30,}|hf_\w{20,}|eyJ[\w-]{8,}\.eyJ[\w-]{8,}[\w.-]*)|-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*-----)?/g

/** `Bearer x`, `Basic x`, wherever it stands. */
const SCHEME = /\b(bearer|basic)\s+[\w.~+/=-]{6,}/gi

/** A name and its value: `NAME=x`, `--name=x`, `"name": "x"`, `Name: x` at the beginning. */
const ASSIGNED = /(^|[\s;&|?'"(,])(-{0,2}[A-Za-z_][\w.-]*)=("[^"]*"|'[^']*'|[^\s;&|'"]+)/g
const IN_JSON = /("([\w.-]+)"\s*:\s*)"(?:\\.|[^"\\])*"/g
const HEADER = /((?:^|['"])([A-Za-z][\w-]*):\s*)([^'"]+)/g

/** An option and the word after it. */
const OPTION = /(^|\s)(--?[A-Za-z][\w-]*)\s+(?!-)("[^"]*"|'[^']*'|[^\s'"]+)/g

/** Every secret that a name, a scheme or a URL gives away has one of these in it. */
const SIGN = /[\s=:]/

/** A text without the secrets that ralph can recognise in it. Most texts are single words, so those are quick. */
export const redactText = (text: string): string =>
  (SIGN.test(text) ? redactNamed(text) : text).replace(TOKEN, GONE)

const redactNamed = (text: string): string =>
  text
    .replace(IN_URL, found => `${found.slice(0, found.indexOf('://'))}://${GONE}@`)
    .replace(HEADER, (all, head, name) => (namesSecret(name) ? `${head}${GONE}` : all))
    .replace(SCHEME, `$1 ${GONE}`)
    .replace(ASSIGNED, (all, before, name, value) =>
      isSecret(name, value) ? `${before}${name}=${GONE}` : all,
    )
    .replace(IN_JSON, (all, head, name) => (looksSecret(name) ? `${head}"${GONE}"` : all))
    .replace(OPTION, (all, before, name, value) => (isSecret(name, value) ? `${before}${name} ${GONE}` : all))

/** The same for every text in some data. */
export function redactAll<T>(value: T): T {
  if (typeof value === 'string') return redactText(value) as T
  if (Array.isArray(value)) return value.map(redactAll) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, redactAll(inner)])) as T
}

/** The words of a command without the secrets in them. */
export const redactWords = (argv: readonly string[]): string[] =>
  argv.map((word, index) => {
    const before = argv[index - 1] ?? ''
    const isValue = /^--?[A-Za-z]/.test(before) && !before.includes('=') && !word.startsWith('-')
    return isValue && (isSecret(before, word) || isLogin(before, word)) ? GONE : redactText(word)
  })

/** Whether an environment variable's value is a secret, whatever its name: a URL with a password, a connection string. */
export function holdsSecret(value: string): boolean {
  if ([IN_URL, TOKEN, SCHEME].some(pattern => value.search(pattern) >= 0)) return true
  const [, query = ''] = /^[a-z][\w+.:-]*:\/\/[^\s?]*\?(\S+)$/i.exec(value) ?? []
  const pairs = query === '' ? value.split(value.includes(';') ? /;\s*/ : /\s+/) : query.split('&')
  const named = pairs.filter(pair => pair !== '').map(pair => /^([A-Za-z][\w .-]*?)\s*=\s*\S/.exec(pair)?.[1])
  return named.length > 0 && named.every(Boolean) && named.some(name => namesSecret(name!))
}

/** A number or a yes and no after a name is not a secret: `--max-token 5`. */
const isSecret = (name: string, value: string): boolean =>
  looksSecret(name.replace(/^-+/, '')) && !/^(?:\d{1,9}|true|false)$/.test(value)

/** `curl -k` and its like take a key there, and `-u` a user and a password. */
const isLogin = (option: string, value: string): boolean =>
  option === '-k' || (['-u', '--user'].includes(option) && value.includes(':'))

/** Words that mark a secret anywhere in a name: `DEPLOY_KEY`, `KEY_FILE`, `npm_config__auth`. */
const PARTS: ReadonlySet<string> = new Set(
  `KEY KEYS TOKEN TOKENS SECRET SECRETS PASSWORD PASSWORDS PASSWD PASSPHRASE PASS PWD PW CREDENTIAL CREDENTIALS CRED CREDS
   PRIVATE AUTH OAUTH AUTHORIZATION BEARER COOKIE COOKIES SESSION JWT PAT WEBHOOK DSN CONNSTR MNEMONIC`.split(
    /\s+/,
  ),
)

/** The same at the end of a longer word: `APIKEY`, `PGPASSWORD`, `DBPASS`. */
const ENDINGS =
  /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|CONNSTR|(?:DB|SQL|ROOT|USER|ADMIN)(?:PASS|PW))$/

/**
 * Names that only look like secrets: desktop and terminal sessions, the socket of an SSH agent
 * (a path, and `git push` needs it), the working directory, the key bindings of less.
 */
const HARMLESS =
  /^(?:PWD|LESSKEY|SSH_AUTH_SOCK|SESSION_MANAGER|DESKTOP_SESSION|GNOME_DESKTOP_SESSION_ID|KDE_FULL_SESSION|KDE_SESSION_.*|XDG_SESSION_.*|DBUS_SESSION_.*|.*TERM_SESSION_ID|WT_SESSION|ZELLIJ_SESSION_NAME|.*MAX_.*TOKENS)$/

/** Whether a name suggests that its value is a secret: of a variable, an option, a header, a key. */
export const looksSecret = (name: string): boolean => !HARMLESS.test(name) && namesSecret(name)

/** The same for a name that is not an environment variable's. */
const namesSecret = (name: string): boolean =>
  partsOf(name).some(part => PARTS.has(part) || ENDINGS.test(part))

/** `npm_config__authToken2` → NPM, CONFIG, AUTH, TOKEN */
const partsOf = (name: string): string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .split(/[^A-Z\d]+/)
    .map(part => part.replace(/\d+$/, ''))
