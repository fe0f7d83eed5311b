import { describe, expect, it } from 'vitest'
import { holdsSecret, redactAll, redactWords } from '../../src/core/secrets.ts'

/** What must never be seen. */
const S = 'hunter2'

const ARGUMENTS: [string[], string][] = [
  [['env', `MY_API_TOKEN=${S}`, 'x'], 'env MY_API_TOKEN=… x'],
  [[`PGPASSWORD=${S}`], 'PGPASSWORD=…'],
  [['--header', `Authorization: Bearer ${S}`], '--header Authorization: …'],
  [['-H', `X-Api-Key: ${S}`], '-H X-Api-Key: …'],
  [['-H', `Cookie: a=${S}; b=c`], '-H Cookie: …'],
  [['--auth', `u:${S}`], '--auth …'],
  [['--api-key', S], '--api-key …'],
  [[`--apiKey=${S}`], '--apiKey=…'],
  [[`--token=${S}`, '-v'], '--token=… -v'],
  [['--github-token', S], '--github-token …'],
  [['--pat', S], '--pat …'],
  [['-k', S], '-k …'],
  [['-u', `me:${S}`], '-u …'],
  [[`https://u:${S}@x/y`], 'https://…@x/y'],
  [[`--remote=https://${S}@github.com/a/b`], '--remote=https://…@github.com/a/b'],
  [[`postgres://u:${S}@db:5432/x?sslmode=require`], 'postgres://…@db:5432/x?sslmode=require'],
  [[`https://x/y?access_token=${S}&a=b`], 'https://x/y?access_token=…&a=b'],
  [[`{"env":{"API_KEY":"${S}","A":"b"}}`], '{"env":{"API_KEY":"…","A":"b"}}'],
  [
    ['sh', '-c', `TOKEN=${S} curl -H "Authorization: Bearer ${S}" --password '${S}' x`],
    'sh -c TOKEN=… curl -H "Authorization: …" --password … x',
  ],
  [['ghp_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'sk-ant-api03-aaaaaaaaaaaaaaaaaaaa'], '… …'],
]

describe('a secret in the arguments of a command', () => {
  it.each(ARGUMENTS)('%j is left out', (argv, shown) => {
    expect(redactWords(argv).join(' ')).toBe(shown)
  })

  it.each([
    ['claude', '-p', '--output-format', 'stream-json', '--verbose', '--dangerously-skip-permissions'],
    ['claude', '--max-budget-usd', '1.00', '--max-tokens', '100', '--settings', '{"env":{"RALPH_RUN":"a"}}'],
    ['codex', 'exec', '--json', '-m', 'gpt-5.5', '-c', 'sandbox_mode="x"', '-'],
    ['npm', 'test', '--', '--reporter=dot', 'src/token.test.ts'],
    ['ssh://git@github.com/a/b', 'http://localhost:3000/a@b', 'git@github.com:a/b.git'],
    ['--no-session-persistence', '-x', 'Note: all is well', 'a=b', 'KEYBOARD=us'],
  ])('%s %s %s: what is none stays', (...argv) => {
    expect(redactWords(argv)).toEqual(argv)
  })

  it('is left out of every text in some data', () => {
    expect(redactAll({ a: [`--token ${S}`, 3, null], b: { c: `x://u:${S}@y` } })).toEqual({
      a: ['--token …', 3, null],
      b: { c: 'x://…@y' },
    })
  })
})

describe('the value of a variable', () => {
  it.each([
    `postgres://u:${S}@db/x`,
    `redis://:${S}@r:6379`,
    `mongodb+srv://u:${S}@m/x?retryWrites=true`,
    `amqps://u:${S}@q`,
    `https://${S}@o1.ingest.example.com/1`,
    `http://u:${S}@proxy:3128`,
    `AccountKey=${S}`,
    `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${S}==;EndpointSuffix=x`,
    `Server=tcp:db,1433;Initial Catalog=x;User ID=u;Password=${S};`,
    `Pwd=${S}`,
    `host=db user=u password=${S}`,
    `jdbc:postgresql://db/x?user=u&password=${S}`,
    `https://hooks.example.com/x?token=${S}`,
    'sk_live_1',
    'ghp_aaaaaaaaaaaaaaaaaaaa',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc',
    'Bearer abcdefgh',
    '-----BEGIN OPENSSH PRIVATE KEY-----\nabc',
  ])('%s is a secret', value => {
    expect(holdsSecret(value)).toBe(true)
  })

  it.each([
    '',
    '/usr/local/bin:/usr/bin:/home/me/key=x',
    'http://proxy:3128',
    'https://registry.npmjs.org/',
    'postgres://localhost:5432/test',
    'ssh://git@github.com/a/b.git',
    'unix:path=/run/user/1000/bus,guid=abc',
    'rs=0:di=01;34:ln=01;36:*.key=01;31',
    '--max-old-space-size=4096 --import=./x.mjs',
    'a=b\nc',
    '() {  local key=$1; echo "$key"\n}',
    'mt=01;31',
    'C.UTF-8',
    '42',
  ])('%j is none', value => {
    expect(holdsSecret(value)).toBe(false)
  })
})
