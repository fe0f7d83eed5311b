import type { Call } from '../call.ts'
import { plainPath } from '../paths.ts'
import type { Category } from '../rule.ts'

/** Files that hold keys. A pattern in the folder of ssh means the keys in it; public keys are none. */
const SECRET = new RegExp(
  [
    String.raw`^~/\.(?:aws/(?:credentials|sso/|cli/cache)|netrc$|git-credentials$|docker/config\.json|kube/config)`,
    String.raw`^~/\.(?:gnupg/(?:private|secring)|npmrc$|pypirc$|pgpass$|my\.cnf$|vault-token|password-store/|mozilla/)`,
    String.raw`^~/\.(?:claude/\.credentials|codex/auth|azure/(?:accessTokens|msal)|(?:cargo|gem|terraform\.d)/credentials)`,
    String.raw`^~/\.config/(?:gh/hosts|git/credentials|gcloud/(?:credentials|access_tokens|application_default)|op/|google-chrome)`,
    '^~/Library/(?:Keychains|Application Support/Google/Chrome)',
    String.raw`^~/\.ssh(?:$|/(?!.*\.pub$)(?:.*[\uE000\uE001]|id_[^.]+$|.*\.pem$|.*_key$))`,
    String.raw`^/etc/(?:shadow|gshadow|master\.passwd)`,
    '^/proc/[^/]+/environ$',
  ].join('|'),
)

const isSecret = (path: string, call: Call): boolean => SECRET.test(plainPath(path, call))

/** Programs that only name a file, or show no more than that it is there. */
const HARMLESS =
  /^(?:ls|test|\[|stat|file|echo|printf|cd|mkdir|chmod|ssh|ssh-add|ssh-keygen|git|find|dirname|basename)$/

const readsSecret = (call: Call): boolean =>
  (!HARMLESS.test(call.name) &&
    call.args.some(arg => isSecret(arg.replace(/^(?:if=|@|--?[\w-]+=@?)/, ''), call))) ||
  call.redirects.some(({ op, target }) => !op.startsWith('<<') && isSecret(target, call))

export const credentialsCategory: Category = {
  number: 5,
  title: 'keys and credentials',
  rules: {
    'read-secret': [
      "This touches the user's keys or passwords. No task needs them: use the tools that are signed in already, or say in your answer which access is missing.",
      { when: readsSecret },
    ],
    'print-secret': [
      'This prints a key, password or token. Use the tool that is signed in already; it needs no key from you.',
      { program: 'security', operand: /^(?:find-(?:generic|internet)-password|dump-keychain|export)\b/ },
      { program: 'gh', operand: /^auth token\b/ },
      { program: 'gh', operand: /^auth status\b/, flags: 't show-token' },
      { program: 'gcloud', operand: /^auth (?:application-default )?print-\w+-token\b/ },
      { program: 'az', operand: /^account get-access-token\b/ },
      { program: 'aws', operand: /^(?:configure (?:get|export-credentials)|sts get-session-token)\b/ },
      { program: 'aws', operand: /^secretsmanager get-secret-value\b/ },
      { program: 'aws', operand: /^ssm get-parameters?\b/, flags: 'with-decryption' },
      { program: 'op', operand: /^(?:read|item get|signin)\b/ },
      { program: 'pass', operand: /^(?:show\b|[\w-]+\/)/ },
      { program: 'vault', operand: /^(?:read|kv get|token)\b/ },
      { program: 'kubectl', operand: /^get secrets?\b/, flags: 'o output' },
      { program: 'secret-tool', operand: /^(?:lookup|search)\b/ },
      { program: 'heroku', operand: /^(?:auth:token|config)\b/ },
      { program: 'doctl', operand: /^auth token\b/ },
      { program: 'npm', operand: /^token\b/ },
      { program: 'git', operand: /^credential(?:-\w+)? (?:fill|get)\b/ },
    ],
    'export-key': [
      'This hands out or deletes a private key. No task needs that.',
      { program: 'gpg', text: /(?:^| )--(?:export|delete)-secret/ },
    ],
    'replace-key': [
      "This replaces or removes the user's keys. Make keys for tests inside the project.",
      {
        program: 'ssh-keygen',
        unless: 'l y F R',
        when: call =>
          call.args.some((arg, i) => call.args[i - 1] === '-f' && plainPath(arg, call).startsWith('~/.ssh/')),
      },
      { program: 'ssh-add', flags: 'D' },
    ],
  },
}
