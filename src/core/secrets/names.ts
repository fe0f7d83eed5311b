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
export const namesSecret = (name: string): boolean =>
  partsOf(name).some(part => PARTS.has(part) || ENDINGS.test(part))

/** `npm_config__authToken2` → NPM, CONFIG, AUTH, TOKEN */
const partsOf = (name: string): string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .split(/[^A-Z\d]+/)
    .map(part => part.replace(/\d+$/, ''))
