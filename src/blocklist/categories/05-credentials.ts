import { type Call, has, operands } from '../call.ts'
import { couldBe, plainPath } from '../paths.ts'
import { type Category, onCall, programs } from '../rule.ts'

/** Files that hold keys, in home. Public keys and known hosts are none. */
const SECRET =
  /^~\/(?:\.aws\/(?:credentials|sso\/|cli\/cache)|\.netrc$|\.git-credentials$|\.config\/(?:gh\/hosts|git\/credentials|gcloud\/(?:credentials|access_tokens|application_default)|op\/)|\.docker\/config\.json|\.kube\/config|\.gnupg\/(?:private|secring)|\.npmrc$|\.pypirc$|\.pgpass$|\.my\.cnf$|\.vault-token|\.claude\/\.credentials|\.codex\/auth|\.azure\/(?:accessTokens|msal)|\.cargo\/credentials|\.gem\/credentials|\.terraform\.d\/credentials|\.password-store\/|Library\/Keychains|\.mozilla\/|\.config\/google-chrome|Library\/Application Support\/Google\/Chrome)/

const KEYS = ['id_rsa', 'id_ed25519', 'id_ecdsa', 'id_dsa']

function isSecret(path: string, cwd: string): boolean {
  const plain = plainPath(path, cwd)
  if (/^\/etc\/(?:shadow|gshadow|master\.passwd)/.test(plain)) return true
  if (/^\/proc\/[^/]+\/environ$/.test(plain)) return true
  const key = /^~\/\.ssh(?:\/([^/]+))?$/.exec(plain)
  if (key === null) return SECRET.test(plain)
  const [, name] = key
  // The folder as a whole is all of its keys.
  return (
    name === undefined ||
    (!name.endsWith('.pub') && KEYS.some(known => couldBe(name, known))) ||
    /\.pem$|_key$|^id_[^.]+$/.test(name)
  )
}

/** Calls that only name a file, or tell no more than that it is there. */
const HARMLESS =
  /^(?:ls|test|\[|\[\[|stat|file|echo|printf|cd|mkdir|chmod|ssh|ssh-add|ssh-keygen|git|find|dirname|basename|case)$/

const PRINTS: Record<string, RegExp> = {
  security: /^(?:find-generic-password|find-internet-password|dump-keychain|export)\b/,
  gh: /^auth (?:token|status.* (?:-t|--show-token))\b/,
  gcloud: /^auth (?:application-default )?print-\w+-token\b/,
  az: /^account get-access-token\b/,
  aws: /^(?:configure (?:get|export-credentials)|sts get-session-token|secretsmanager get-secret-value|ssm get-parameters? .*--with-decryption)\b/,
  op: /^(?:read|item get|signin)\b/,
  pass: /^(?:show\b|[\w-]+\/)/,
  vault: /^(?:read|kv get|token)\b/,
  kubectl: /^get secrets? .*(?:-o|--output)/,
  'secret-tool': /^(?:lookup|search)\b/,
  heroku: /^(?:auth:token|config)\b/,
  doctl: /^auth token\b/,
  npm: /^token\b/,
  git: /^credential(?:-\w+)? (?:fill|get)\b/,
}

const argsOf = (call: Call): string => operands(call.args).join(' ')

export const credentialsCategory: Category = {
  number: 5,
  title: 'keys and credentials',
  programs: programs('gpg ssh-keygen ssh-add', PRINTS),
  rules: [
    {
      name: 'read-secret',
      any: true,
      denies: onCall(
        call =>
          (!HARMLESS.test(call.name) &&
            call.args.some(arg => isSecret(arg.replace(/^(?:if=|@|--?[\w-]+=@?)/, ''), call.cwd))) ||
          call.redirects.some(({ op, target }) => !op.startsWith('<<') && isSecret(target, call.cwd)),
      ),
      reason:
        "This touches the user's keys or passwords. No task needs them: use the tools that are signed in already, or say in your answer which access is missing.",
    },
    {
      name: 'print-secret',
      denies: onCall(call => {
        const pattern = Object.hasOwn(PRINTS, call.name) ? PRINTS[call.name]! : null
        return pattern !== null && (pattern.test(argsOf(call)) || pattern.test(call.args.join(' ')))
      }),
      reason:
        'This prints a key, password or token. Use the tool that is signed in already; it needs no key from you.',
    },
    {
      name: 'export-key',
      denies: onCall(
        call =>
          /^gpg2?$/.test(call.name) && call.args.some(arg => /^--export-secret|^--delete-secret/.test(arg)),
      ),
      reason: 'This hands out or deletes a private key. No task needs that.',
    },
    {
      name: 'replace-key',
      denies: onCall(
        call =>
          (call.name === 'ssh-keygen' &&
            call.args.some(
              (arg, i) => call.args[i - 1] === '-f' && plainPath(arg, call.cwd).startsWith('~/.ssh/'),
            ) &&
            !has(call, 'l', 'y', 'F', 'R')) ||
          (call.name === 'ssh-add' && has(call, 'D')),
      ),
      reason: "This replaces or removes the user's keys. Make keys for tests inside the project.",
    },
  ],
}
