import { expect, test } from 'vitest'
import { quote } from '../../src/core/visible.ts'
import { loadSettings } from '../../src/settings/load.ts'
import { HOSTILE } from '../view/hostile.ts'
import { project, refusal } from './project.ts'

const BAD_GROUP =
  'must have one of ? * + @ before a group (a|b), or "\\" before each "(", "|" and ")" of a name'
const BAD_BRACKETS =
  'must have matching brackets and braces, or "\\" before those of a name, and ranges in order'
const BAD_RANGE =
  'must have ranges of single letters or digits, such as {1..9}, and others written out: {9,10}'

const HERE = '(.ralph/settings.json)'
const unknown = (key: string, help: string) => `unknown key "${key}" in .ralph/settings.json; ${help}`
const misspelt = (key: string, meant: string) => unknown(key, `did you mean "${meant}"?`)
const RENAME = 'correct its name or remove it'

const refused = (settings: unknown) => refusal(() => loadSettings(project({ 'settings.json': settings })))

const guardrail = (rest: object) => ({
  guardrails: [{ command: 'npm test' }, { command: 'npm run lint', ...rest }],
})

test.each<[unknown, string]>([
  // unknown keys
  [{ guardrail: [] }, misspelt('guardrail', 'guardrails')],
  [{ agent: { comand: 'x' } }, misspelt('agent.comand', 'agent.command')],
  [{ maxIterations: 3 }, misspelt('maxIterations', 'maximumIterations')],
  [{ maximum_iterations: 3 }, misspelt('maximum_iterations', 'maximumIterations')],
  [{ Baseline: true }, misspelt('Baseline', 'baseline')],
  [{ MAXIMUMITERATIONS: 3 }, misspelt('MAXIMUMITERATIONS', 'maximumIterations')],
  [{ evn: {} }, misspelt('evn', 'env')],
  [{ budget: { dollars: 3 } }, unknown('budget.dollars', 'known there: usd, tokens, minutes')],
  [{ somethingElse: 3 }, unknown('somethingElse', RENAME)],
  [
    guardrail({ fail: 'x' }),
    unknown('guardrails[1].fail', 'known there: verify, command, failAction, hint, timeout, config'),
  ],
  [guardrail({ failaction: 'APPEND' }), misspelt('guardrails[1].failaction', 'guardrails[1].failAction')],
  ['{"__proto__": {"polluted": 1}}', unknown('__proto__', RENAME)],
  ['{"agent": {"__proto__": {}}}', unknown('agent.__proto__', 'known there: command, flags, model')],
  ['{"constructor": {}}', unknown('constructor', RENAME)],
  ['{"prototype": {}}', unknown('prototype', RENAME)],
  [{ 'a\n\u001b[31m\u009b\u202e': 1 }, unknown('a\\n\\u001b[31m\\u009b\\u202e', RENAME)],
  [{ env: { 'a b': 1 } }, unknown('env[\\"a b\\"]', 'known there: pass, drop')],
  // wrong types
  [[], '.ralph/settings.json must hold an object, { … }, not a list'],
  ['"x"', '.ralph/settings.json must hold an object, { … }, not a string'],
  ['null', '.ralph/settings.json must hold an object, { … }, not null'],
  [{ $schema: 1 }, `$schema must be a string, not 1 ${HERE}`],
  [{ maximumIterations: '10' }, `maximumIterations must be a whole number, not a string ${HERE}`],
  [{ maximumIterations: null }, `maximumIterations must be a whole number, not null ${HERE}`],
  [{ completionResponse: 5 }, `completionResponse must be a string, not 5 ${HERE}`],
  [{ streamAgentOutput: 'yes' }, `streamAgentOutput must be true or false, not a string ${HERE}`],
  [
    { includeIterationCountInPrompt: 0 },
    `includeIterationCountInPrompt must be true or false, not 0 ${HERE}`,
  ],
  [{ agent: 'claude' }, `agent must be an object, not a string ${HERE}`],
  [{ agent: ['claude'] }, `agent must be an object, not a list ${HERE}`],
  [{ agent: null }, `agent must be an object, not null ${HERE}`],
  [{ agent: { command: {} } }, `agent.command must be a string or null, not an object ${HERE}`],
  [{ agent: { flags: '--model opus' } }, `agent.flags must be a list of strings, not a string ${HERE}`],
  [{ agent: { flags: ['a', 1] } }, `agent.flags[1] must be a string, not 1 ${HERE}`],
  [{ agent: { model: false } }, `agent.model must be a string or null, not false ${HERE}`],
  [{ guardrails: {} }, `guardrails must be a list of guardrails, not an object ${HERE}`],
  [{ guardrails: ['npm test'] }, `guardrails[0] must be an object, not a string ${HERE}`],
  [{ guardrails: [{}] }, `guardrails[0].command is missing ${HERE}`],
  [guardrail({ timeout: '5m' }), `guardrails[1].timeout must be a number of seconds, not a string ${HERE}`],
  [guardrail({ hint: 1 }), `guardrails[1].hint must be a string, not 1 ${HERE}`],
  [{ baseline: [] }, `baseline must be true or false, not a list ${HERE}`],
  [{ killGrace: true }, `killGrace must be a number of seconds, not true ${HERE}`],
  ['{"iterationTimeout": 1e999}', `iterationTimeout must be a number of seconds, not Infinity ${HERE}`],
  [{ budget: { usd: '5' } }, `budget.usd must be a number or null, not a string ${HERE}`],
  [{ output: null }, `output must be an object, not null ${HERE}`],
  [{ output: { emoji: 'yes' } }, `output.emoji must be true or false, not a string ${HERE}`],
  [{ output: { colour: 'auto' } }, misspelt('output.colour', 'output.color')],
  [{ output: { color: 'on' } }, `output.color must be "auto", "always" or "never", not "on" ${HERE}`],
  [{ output: { maxLines: 0 } }, `output.maxLines must be at least 1, not 0 ${HERE}`],
  [{ env: { pass: 'AWS_*' } }, `env.pass must be a list of strings, not a string ${HERE}`],
  // out of bounds
  [{ maximumIterations: 0 }, `maximumIterations must be at least 1, not 0 ${HERE}`],
  [{ maximumIterations: -3 }, `maximumIterations must be at least 1, not -3 ${HERE}`],
  [{ maximumIterations: 1.5 }, `maximumIterations must be a whole number, not 1.5 ${HERE}`],
  [{ completionResponse: 'a\nb' }, `completionResponse must be one line, not "a\\nb" ${HERE}`],
  [{ outputTruncateChars: 1e9 }, `outputTruncateChars must be at most 10000000, not 1000000000 ${HERE}`],
  [
    { protect: ['test/**', '/home/me/project/test/**'] },
    `protect[1] must be relative to the project, such as "test/**", not "/home/me/project/test/**" ${HERE}`,
  ],
  [{ protect: ['  '] }, `protect[0] must be a non-empty string, not "  " ${HERE}`],
  [{ protect: [''] }, `protect[0] must be a non-empty string, not "" ${HERE}`],
  [{ protect: [7] }, `protect[0] must be a string, not 7 ${HERE}`],
  [{ outputTruncateChars: -1 }, `outputTruncateChars must be at least 0, not -1 ${HERE}`],
  [{ agent: { command: ' ' } }, `agent.command must be a non-empty string or null, not " " ${HERE}`],
  [
    { agent: { command: 'a\0b' } },
    `agent.command must be text without invisible characters (U+0000 at character 2), not "a\\u0000b" ${HERE}`,
  ],
  [{ agent: { model: 'a\0b' } }, `agent.model must be text without NUL characters, not "a\\u0000b" ${HERE}`],
  [
    { fallbackAgents: ['./co\u200bdex'] },
    `fallbackAgents[0].command must be text without invisible characters (U+200B at character 5), not "./co\\u200bdex" ${HERE}`,
  ],
  [{ agent: { flags: ["--x 'a"] } }, `agent.flags[0] must close every quote, not "--x 'a" ${HERE}`],
  ...['-x', '--oss', '--attach=http://x', ' --x', '\n-x', '-'].flatMap((model): [object, string][] => {
    const why = `model must not begin with a dash, as an option does, not ${JSON.stringify(model)} ${HERE}`
    return [
      [{ agent: { model } }, `agent.${why}`],
      [{ fallbackAgents: [{ command: 'codex', model }] }, `fallbackAgents[0].${why}`],
    ]
  }),
  [{ agent: { model: '' } }, `agent.model must be a non-empty string or null, not "" ${HERE}`],
  [guardrail({ command: '' }), `guardrails[1].command must be a non-empty string, not "" ${HERE}`],
  [
    guardrail({ failAction: 'ignore' }),
    `guardrails[1].failAction must be "APPEND", "PREPEND" or "REPLACE", not "ignore" ${HERE}`,
  ],
  [guardrail({ timeout: 0 }), `guardrails[1].timeout must be greater than 0, not 0 ${HERE}`],
  [{ inactivityTimeout: 0 }, `inactivityTimeout must be greater than 0, not 0 ${HERE}`],
  [{ iterationTimeout: -1 }, `iterationTimeout must be greater than 0, not -1 ${HERE}`],
  [{ iterationTimeout: 2_147_484 }, `iterationTimeout must be at most 2147483, not 2147484 ${HERE}`],
  [{ killGrace: -1 }, `killGrace must be at least 0, not -1 ${HERE}`],
  [{ maxConsecutiveFailures: 0 }, `maxConsecutiveFailures must be at least 1, not 0 ${HERE}`],
  [{ stuckAfter: 0 }, `stuckAfter must be at least 1, not 0 ${HERE}`],
  [{ maxLimitWait: -1 }, `maxLimitWait must be at least 0, not -1 ${HERE}`],
  ...[true, '6 hours', '30m1h', '', '500ms'].map((maxLimitWait): [unknown, string] => [
    { maxLimitWait },
    `maxLimitWait must be a duration such as "6h", "30m" or "90s", or a number of seconds, not ${JSON.stringify(maxLimitWait)} ${HERE}`,
  ]),
  [{ maxLimitWait: '9999h' }, `maxLimitWait must be at most 2147483, not "9999h" ${HERE}`],
  [{ budget: { usd: 0 } }, `budget.usd must be greater than 0, or null, not 0 ${HERE}`],
  [{ budget: { tokens: -5 } }, `budget.tokens must be greater than 0, or null, not -5 ${HERE}`],
  [{ budget: { minutes: 0 } }, `budget.minutes must be greater than 0, or null, not 0 ${HERE}`],
  [
    { notify: { webhook: 'example.com' } },
    `notify.webhook must be an address that begins with https:// or http://, or null, not "example.com" ${HERE}`,
  ],
  ...['{AWS,GCP}_*', '[AB]_KEY', '@(A|B)', '!AWS_*', 'A=B'].map((pattern): [unknown, string] => [
    { env: { drop: [pattern] } },
    `env.drop[0] must be the name of an environment variable or a pattern such as "AWS_*", not "${pattern}" ${HERE}`,
  ]),
  [
    { completionResponse: `${'x'.repeat(200)}\n` },
    `completionResponse must be one line, not "${'x'.repeat(60)}…" ${HERE}`,
  ],
])('%j is refused: %s', (settings, sentence) => {
  expect(refused(settings)).toBe(sentence)
})

/** Every key whose value is run, or is an argument of what is. */
const RUN: [string, (command: string) => object][] = [
  ['agent.command', command => ({ agent: { command } })],
  ['agent.flags[1]', flag => ({ agent: { flags: ['-x', flag] } })],
  ['fallbackAgents[0].command', command => ({ fallbackAgents: [{ command }] })],
  ['fallbackAgents[0].flags[0]', flag => ({ fallbackAgents: [{ command: 'codex', flags: [flag] }] })],
  ['guardrails[1].command', command => guardrail({ command })],
  ['scm.command', command => ({ scm: { command } })],
  ['scm.tasks[0]', task => ({ scm: { tasks: [task] } })],
]

test.each(RUN)('%s is refused with anything in it that cannot be seen', (place, settings) => {
  const hidden = HOSTILE.filter(([, text]) =>
    /[^\t\n\P{C}]|\p{Default_Ignorable_Code_Point}|\p{Zl}/u.test(text),
  )
  expect(hidden.length).toBeGreaterThan(70)
  for (const char of ['\xa0', '\u3000', '\u2800', ...hidden.map(([, text]) => text)]) {
    const sentence = refused(settings(`npm test ${char}`))
    const found =
      /^(\S+) must be text without invisible characters \(U\+[0-9A-F]{4,6} at character \d+\), not "[\x20-\x7e…\p{Extended_Pictographic}]*" \(\.ralph\/settings\.json\)$/u.exec(
        sentence,
      )
    expect(found?.[1], sentence).toBe(place)
  }
})

test.each(RUN)('%s may have several lines', (_, settings) => {
  expect(refused(settings('set -e\n\tnpm test\n'))).toBe('nothing was refused')
})

test('of several problems the first is named, and how many more there are', () => {
  expect(refused({ maximumIterations: 0, killGrace: -1 })).toBe(
    `maximumIterations must be at least 1, not 0 ${HERE} (and 1 more problem)`,
  )
  expect(refused({ maximumIterations: 0, killGrace: -1, nonsenseOne: 1, nonsenseTwo: 2 })).toBe(
    `maximumIterations must be at least 1, not 0 ${HERE} (and 3 more problems)`,
  )
})

test('problems of both files and of the flags count together, and each names its source', () => {
  const path = project({ 'settings.json': { baseline: 1 }, 'settings.local.json': { killGrace: -1 } })
  expect(refusal(() => loadSettings(path, { maximumIterations: 0 }))).toBe(
    `baseline must be true or false, not 1 ${HERE} (and 2 more problems)`,
  )
  expect(refusal(() => loadSettings(project({ 'settings.local.json': { killGrace: -1 } })))).toBe(
    'killGrace must be at least 0, not -1 (.ralph/settings.local.json)',
  )
  expect(refusal(() => loadSettings(project({}), { maximumIterations: 0 }))).toBe(
    'maximumIterations must be at least 1, not 0 (command line)',
  )
})

test('what one file has wrong is refused even where the other would override it', () => {
  const path = project({ 'settings.json': { killGrace: 'x' }, 'settings.local.json': { killGrace: 1 } })
  expect(refusal(() => loadSettings(path))).toBe(
    `killGrace must be a number of seconds, not a string ${HERE}`,
  )
})

test.each<[string, string]>([
  ['/etc/**', 'must be relative to the project, such as "test/**"'],
  ['./', 'must name files or folders of the project'],
  ['.', 'must name files or folders of the project'],
  ['../other/**', 'must stay within the project, without ".."'],
  ['src/../../other', 'must stay within the project, without ".."'],
  ['{..,src}/x', 'must stay within the project, without ".."'],
  ['!src/**', 'must say what to protect, not what to leave out with "!"'],
  ['src/!(generated)/**', 'must say what to protect, not what to leave out with "!"'],
  ['src\\test\\**', 'must have "/" between folders, and "\\" only before a special character of a name'],
  ['src/\\d*', 'must have "/" between folders, and "\\" only before a special character of a name'],
  ['src\\', 'must have "/" between folders, and "\\" only before a special character of a name'],
  ['a"b"', 'must have "\\" before a double quote'],
  ['app/(auth)/**', BAD_GROUP],
  ['(a+)+b', BAD_GROUP],
  ['src/a|b', BAD_GROUP],
  ['{a|b,c}', BAD_GROUP],
  ['@(a', BAD_GROUP],
  ['a)', BAD_GROUP],
  ['@(a|b)?', 'must not have "?" right after a parenthesis'],
  ['@(?:a)', 'must not have "?" right after a parenthesis'],
  ['src/[ab', BAD_BRACKETS],
  ['src/ab]', BAD_BRACKETS],
  ['*.{ts,tsx', BAD_BRACKETS],
  ['[z-a]', BAD_BRACKETS],
  ['{1..1000000}', BAD_RANGE],
  ['{1..10}', BAD_RANGE],
  ['{a..c,d}', BAD_RANGE],
  ['{a,'.repeat(400), 'must have at most 1000 characters'],
])('the pattern %j is refused: it %s', (pattern, why) => {
  expect(refused({ protect: [pattern] })).toBe(`protect[0] ${why}, not ${quote(pattern)} ${HERE}`)
})
