/** Variables as people have them, with values of the usual shape; none of the secrets is real. */
export const TYPICAL: Readonly<Record<string, string>> = {
  // Who and where.
  USER: 'me',
  SHELL: '/bin/bash',
  LANG: 'C.UTF-8',
  LC_ALL: 'C.UTF-8',
  TZ: 'UTC',
  TERM: 'xterm-256color',
  EDITOR: 'vi',
  SSH_AUTH_SOCK: '/tmp/agent.sock',
  DISPLAY: ':0',
  DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/user/1000/bus',
  XDG_CONFIG_HOME: '/tmp/config',
  // Proxies.
  HTTPS_PROXY: 'http://proxy.example:3128',
  HTTP_PROXY: 'http://me:pass-word-1@proxy.example:3128',
  NO_PROXY: 'localhost',
  // Toolchains.
  NODE_OPTIONS: '--max-old-space-size=512',
  NODE_EXTRA_CA_CERTS: '/dev/null',
  npm_config_cache: '/tmp/npm-cache',
  GOPATH: '/tmp/go',
  CARGO_HOME: '/tmp/cargo',
  JAVA_HOME: '/usr/lib/jvm/java-21',
  PYTHONPATH: '/tmp/python',
  VIRTUAL_ENV: '/tmp/venv',
  // Keys of agents.
  ANTHROPIC_API_KEY: 'sk-ant-of-the-user-1234567890',
  ANTHROPIC_MODEL: 'opus',
  CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat-1234567890',
  OPENAI_API_KEY: 'sk-of-the-user-1234567890',
  CODEX_HOME: '/tmp/codex',
  GEMINI_API_KEY: 'AIza-1234567890',
  AMP_API_KEY: 'amp-1234567890',
  // Secrets of others.
  AWS_ACCESS_KEY_ID: 'AKIA1234567890',
  AWS_SECRET_ACCESS_KEY: 'aws-secret-1234567890',
  AWS_PROFILE: 'work',
  GITHUB_TOKEN: 'ghp_123456789012345678901234567890123456',
  NPM_TOKEN: 'npm_1234567890',
  DATABASE_URL: 'postgres://me:pass-word-2@db.example/shop',
  STRIPE_SECRET_KEY: 'stripe-1234567890',
  // The project's own.
  DEPLOY_ENVIRONMENT: 'staging',
  PORT: '8080',
  // The user's settings name these.
  PASSED_TOKEN: 'passed-1234567890',
  DROPPED: 'x',
}
