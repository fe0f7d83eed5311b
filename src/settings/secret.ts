import { matchesAny } from './name-pattern.ts'

/** Words that mark a secret anywhere in a name: `DEPLOY_KEY`, `KEY_FILE`, `npm_config__auth`. */
const PARTS: ReadonlySet<string> = new Set(
  `KEY KEYS TOKEN SECRET SECRETS PASSWORD PASSWORDS PASSWD PASSPHRASE PASS PWD CREDENTIAL CREDENTIALS CRED CREDS
   PRIVATE AUTH OAUTH AUTHORIZATION BEARER COOKIE COOKIES SESSION JWT PAT WEBHOOK`.split(/\s+/),
)

/** The same at the end of a longer word: `APIKEY`, `PGPASSWORD`. */
const ENDINGS = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)$/

/**
 * Names that only look like secrets: desktop and terminal sessions, the socket of an SSH agent
 * (a path, and `git push` needs it), the working directory, the key bindings of less.
 */
const HARMLESS = [
  'PWD',
  'LESSKEY',
  'SSH_AUTH_SOCK',
  'SESSION_MANAGER',
  'DESKTOP_SESSION',
  'GNOME_DESKTOP_SESSION_ID',
  'KDE_FULL_SESSION',
  'KDE_SESSION_*',
  'XDG_SESSION_*',
  'DBUS_SESSION_*',
  '*TERM_SESSION_ID',
  'WT_SESSION',
  'ZELLIJ_SESSION_NAME',
]

/** Whether the name of an environment variable suggests that its value is a secret. */
export function looksSecret(name: string): boolean {
  if (matchesAny(name, HARMLESS)) return false
  return partsOf(name).some(part => PARTS.has(part) || ENDINGS.test(part))
}

/** `npm_config__authToken2` → NPM, CONFIG, AUTH, TOKEN */
const partsOf = (name: string): string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .split(/[^A-Z\d]+/)
    .map(part => part.replace(/\d+$/, ''))
