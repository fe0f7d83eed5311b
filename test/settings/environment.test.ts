import { expect, test } from 'vitest'
import { type EnvironmentRules, filterEnvironment } from '../../src/settings/environment.ts'

const RULES: EnvironmentRules = { own: [], pass: [], drop: [] }

const kept = (names: string[], rules: Partial<EnvironmentRules> = {}) =>
  Object.keys(
    filterEnvironment(Object.fromEntries(names.map(name => [name, 'x'])), { ...RULES, ...rules }).env,
  )

const ORDINARY = `
  PATH HOME USER LOGNAME SHELL PWD OLDPWD LANG LC_ALL TZ TERM TERM_PROGRAM COLORTERM EDITOR PAGER TMPDIR DISPLAY
  XAUTHORITY ICEAUTHORITY WAYLAND_DISPLAY SSH_AUTH_SOCK SSH_AGENT_PID SSH_ASKPASS GIT_ASKPASS SUDO_ASKPASS GPG_TTY
  XDG_SESSION_ID XDG_SESSION_TYPE XDG_RUNTIME_DIR TERM_SESSION_ID ITERM_SESSION_ID DBUS_SESSION_BUS_ADDRESS
  SESSION_MANAGER DESKTOP_SESSION GDMSESSION GNOME_DESKTOP_SESSION_ID KDE_FULL_SESSION KDE_SESSION_VERSION WT_SESSION
  ZELLIJ_SESSION_NAME SECURITYSESSIONID TMUX KEYBOARD KEYBOARD_LAYOUT KEYMAP KEYTIMEOUT LESSKEY XKB_DEFAULT_LAYOUT
  GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME NODE_ENV NODE_OPTIONS NODE_EXTRA_CA_CERTS SSL_CERT_FILE
  NPM_CONFIG_REGISTRY npm_config_cache npm_package_keywords GOPATH GOPRIVATE GO111MODULE JAVA_HOME CARGO_HOME
  VIRTUAL_ENV PYTHONPATH CI GITHUB_ACTIONS GITHUB_REPOSITORY HTTP_PROXY HTTPS_PROXY no_proxy PORT DEBUG DATABASE_URL
  TOKENIZERS_PARALLELISM MAX_THINKING_TOKENS COMPASS PASSENGER_ENV PATCH PATTERN MONITOR RALPH_HOME
`
  .trim()
  .split(/\s+/)

const SECRET = `
  API_KEY APIKEY API_KEYS OPENAI_API_KEY ANTHROPIC_API_KEY GEMINI_API_KEY DEPLOY_KEY SSH_KEY KEY_FILE SIGNING_KEY_ID
  API_KEY_2 KEY1 ENCRYPTION_KEY SECRETKEY TOKEN GITHUB_TOKEN GH_TOKEN NPM_TOKEN NODE_AUTH_TOKEN npm_config__authToken
  npm_config__auth HF_TOKEN SLACK_BOT_TOKEN CLAUDE_CODE_OAUTH_TOKEN ACCESSTOKEN TOKEN_FILE AWS_ACCESS_KEY_ID
  AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN SECRET CLIENT_SECRET DJANGO_SECRET_KEY APP_SECRETS SESSION_SECRET PASSWORD
  DB_PASSWORD PGPASSWORD MYSQL_PWD REDIS_PASSWD DB_PASS GPG_PASSPHRASE GOOGLE_APPLICATION_CREDENTIALS
  AWS_SHARED_CREDENTIALS_FILE DB_CREDENTIAL GIT_CREDS PRIVATE_KEY PRIVATE_PEM BASIC_AUTH DOCKER_AUTH_CONFIG
  HTTP_AUTHORIZATION OAUTH_STATE SESSION_COOKIE COOKIE COOKIES BW_SESSION OP_SESSION_team CI_JOB_JWT GITHUB_PAT
  API_BEARER SLACK_WEBHOOK_URL clientSecret
`
  .trim()
  .split(/\s+/)

test.each(ORDINARY)('%s goes on', name => {
  expect(kept([name])).toEqual([name])
})

test.each(SECRET)('%s stays here', name => {
  expect(kept([name])).toEqual([])
})

test('values go on as they are, and a variable without one does not exist', () => {
  const { env } = filterEnvironment({ PATH: '/bin', EMPTY: '', NONE: undefined, ODD: 'a=b\nc' }, RULES)
  expect(env).toEqual({ PATH: '/bin', EMPTY: '', ODD: 'a=b\nc' })
})

test('what was left out is listed by name, in order', () => {
  const env = { Z_TOKEN: 'x', PATH: '/bin', A_KEY: 'x', LANG: 'C', RALPH_RUN: 'r1', NO_TOKEN: undefined }
  expect(filterEnvironment(env, { ...RULES, drop: ['LANG'] }).leftOut).toEqual(['A_KEY', 'LANG', 'Z_TOKEN'])
})

test('the environment that is filtered is not changed', () => {
  const env = { A_KEY: 'x', PATH: '/bin' }
  filterEnvironment(env, RULES)
  expect(env).toEqual({ A_KEY: 'x', PATH: '/bin' })
})

test.each<[string, string[], string[]]>([
  ['a name', ['NPM_TOKEN'], ['NPM_TOKEN']],
  ['a pattern', ['AWS_*'], ['AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN']],
  ['a pattern with its star first', ['*_TOKEN'], ['AWS_SESSION_TOKEN', 'NPM_TOKEN']],
  ['a pattern with two stars', ['A*_*_KEY'], ['AWS_SECRET_ACCESS_KEY']],
  ['a pattern with a question mark', ['NP?_TOKEN'], ['NPM_TOKEN']],
  ['everything', ['*'], ['AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'NPM_TOKEN']],
  ['the beginning of a name only', ['NPM'], []],
  ['the end of a name only', ['TOKEN'], []],
  ['another case', ['npm_token'], []],
  ['a dot, which is no pattern', ['NPM.TOKEN'], []],
  ['one character too many', ['NPM_TOKEN?'], []],
])('pass with %s', (_, pass, names) => {
  expect(kept(['AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'NPM_TOKEN'], { pass }).sort()).toEqual(names)
})

test('drop takes ordinary names away, too, and wins over pass and over what is the agent’s own', () => {
  const names = ['LANG', 'NPM_TOKEN', 'ANTHROPIC_API_KEY', 'PATH', 'RALPH_HOME']
  expect(
    kept(names, { own: ['ANTHROPIC_*'], pass: ['*'], drop: ['LANG', 'NPM_*', 'ANTHROPIC_API_KEY'] }),
  ).toEqual(['PATH', 'RALPH_HOME'])
})

test('marks of an outer run never go on, whatever the rules say', () => {
  const marks = ['RALPH_RUN', 'RALPH_STEP', 'RALPH_ANYTHING', 'RALPH_HOME', 'RALPHIE']
  expect(kept(marks, { pass: ['RALPH_*'], own: ['RALPH_*'] })).toEqual(['RALPH_HOME', 'RALPHIE'])
})

test('what the user tells the hooks of the plugin goes on, for all that it looks like', () => {
  expect(kept(['RALPH_CHARS_PER_TOKEN', 'CLAUDE_CONTEXT_WINDOW'])).toEqual([
    'RALPH_CHARS_PER_TOKEN',
    'CLAUDE_CONTEXT_WINDOW',
  ])
})

test('a value that holds a secret stays here, whatever its name, unless it is the agent’s own or the user passes it', () => {
  const env = {
    DATABASE_URL: 'postgres://u:p@db/x',
    HTTPS_PROXY: 'http://u:p@proxy:1',
    ANTHROPIC_BASE_URL: 'https://u:p@gateway',
    PLAIN_URL: 'https://gateway',
  }
  const { env: given, leftOut } = filterEnvironment(env, {
    own: ['ANTHROPIC_*'],
    pass: ['HTTPS_*'],
    drop: [],
  })
  expect(Object.keys(given)).toEqual(['HTTPS_PROXY', 'ANTHROPIC_BASE_URL', 'PLAIN_URL'])
  expect(leftOut).toEqual(['DATABASE_URL'])
})
