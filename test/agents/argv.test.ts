import { describe, expect, test } from 'vitest'
import { amp } from '../../src/agents/amp/amp.ts'
import { claude } from '../../src/agents/claude/claude.ts'
import type { Cli } from '../../src/agents/cli.ts'
import { codex } from '../../src/agents/codex/codex.ts'
import { copilot } from '../../src/agents/copilot/copilot.ts'
import { gemini } from '../../src/agents/gemini/gemini.ts'
import { opencode } from '../../src/agents/opencode/opencode.ts'
import type { Ask, Capabilities } from '../../src/core/ports.ts'

const ask: Ask = { prompt: 'Do it', model: null, flags: [], mode: 'stream', budgetUsd: null, root: false }
const unread: Capabilities = { version: null, flags: null }
const text = { mode: 'text' } as const
const flags = (...words: string[]) => ({ flags: words })
/** A version whose help names these flags and no others. */
const knows = (...words: string[]): Capabilities => ({ version: '1', flags: new Set(words) })

type Row = [what: string, asked: Partial<Ask>, argv: string, able?: Capabilities]

const STREAM = 'claude -p --output-format stream-json --verbose'
const BYPASS = '--dangerously-skip-permissions'
const CLAUDE = `${STREAM} ${BYPASS}`
const CLAUDE_TEXT = `claude -p --output-format text ${BYPASS}`
const marks = { RALPH_RUN: 'r' }
/** A version that knows the flags of every run, and no others. */
const plain = knows('--output-format', '--verbose', BYPASS)

const claudeRows: Row[] = [
  ['streams without asking for permission', {}, CLAUDE],
  ['gives its final answer only', text, CLAUDE_TEXT],
  ['takes a model', { model: 'opus' }, `${CLAUDE} --model opus`],
  ['leaves the model to the flags', { model: 'opus', ...flags('--model', 'x') }, `${CLAUDE} --model x`],
  ['knows a flag by its other spelling', { model: 'opus', ...flags('--model=x') }, `${CLAUDE} --model=x`],
  ['adds the flags last', flags('--add-dir', '/a b'), `${CLAUDE} --add-dir /a b`],
  ['is not fooled by a longer flag', { model: 'a', ...flags('--models') }, `${CLAUDE} --model a --models`],
  [
    'goes without the tools that it must not have',
    { disallowedTools: ['CronCreate', 'EnterWorktree'], ...flags('--disallowedTools', 'WebFetch') },
    `${CLAUDE} --disallowedTools=CronCreate,EnterWorktree --disallowedTools WebFetch`,
  ],
  ['gets no flag for them where there are none', { disallowedTools: [] }, CLAUDE],
  ['gets no flag for them where its version has none', { disallowedTools: ['CronCreate'] }, CLAUDE, plain],
  [
    'goes without tools, and without what the project would start, where it can',
    { ...text, withoutTools: 'the facts' },
    'claude -p --output-format text --tools  --strict-mcp-config --setting-sources user',
    knows('--output-format', BYPASS, '--tools', '--strict-mcp-config', '--setting-sources'),
  ],
  [
    'keeps its tools where it cannot',
    { ...text, withoutTools: 'the facts' },
    CLAUDE_TEXT,
    knows('--output-format', BYPASS),
  ],
  ['brings the plugin', { plugin: '/r/plugin' }, `${CLAUDE} --plugin-dir /r/plugin`],
  [
    'brings it where only the answer is wanted, too',
    { ...text, plugin: '/r/plugin' },
    `${CLAUDE_TEXT} --plugin-dir /r/plugin`,
  ],
  [
    'leaves plugins to the flags',
    { plugin: '/r/plugin', ...flags('--plugin-dir', '/mine') },
    `${CLAUDE} --plugin-dir /mine`,
  ],
  ['brings no plugin to a version that takes none', { plugin: '/r/plugin' }, CLAUDE, plain],
  [
    'brings the marks, too, so that no file of the project changes them',
    { marks },
    `${CLAUDE} --settings {"env":{"RALPH_RUN":"r"}}`,
  ],
  [
    'turns its own sandbox off inside another',
    { marks, confined: true },
    `${CLAUDE} --settings {"env":{"RALPH_RUN":"r"},"sandbox":{"enabled":false}}`,
  ],
  ['leaves settings to the flags', { marks, ...flags('--settings', '/mine') }, `${CLAUDE} --settings /mine`],
  ['holds itself to a budget', { budgetUsd: 1.5 }, `${CLAUDE} --max-budget-usd 1.50`],
  ['has a cent at least', { budgetUsd: 0.0001 }, `${CLAUDE} --max-budget-usd 0.01`],
  [
    'leaves the budget to the flags',
    { budgetUsd: 1.5, ...flags('--max-budget-usd', '9') },
    `${CLAUDE} --max-budget-usd 9`,
  ],
  [
    'names a budget to a version that knows it',
    { budgetUsd: 2 },
    `${CLAUDE} --max-budget-usd 2.00`,
    knows('--output-format', '--verbose', BYPASS, '--max-budget-usd'),
  ],
  ['names none to one that does not', { budgetUsd: 2 }, CLAUDE, plain],
  ['leaves out what its version does not know', {}, 'claude -p --verbose', knows('--verbose')],
  ['leaves it out in text, too', text, `claude -p ${BYPASS}`, knows('--verbose', BYPASS)],
  ['never leaves out the model that was asked for', { model: 'a' }, 'claude -p --model a', knows()],
  ...[
    '--permission-mode plan',
    '--permission-mode=plan',
    '--allowedTools Bash',
    '--allowed-tools Bash',
    BYPASS,
  ].map((words): Row => [`leaves permissions to ${words}`, flags(...words.split(' ')), `${STREAM} ${words}`]),
]

const EXEC = 'codex exec --json --skip-git-repo-check'
const YOLO = '--dangerously-bypass-approvals-and-sandbox'

const codexRows: Row[] = [
  ['streams without asking for permission', {}, `${EXEC} ${YOLO} -`],
  ['gives its final answer only', text, `codex exec --skip-git-repo-check ${YOLO} -`],
  ['takes a model', { model: 'gpt-5.5' }, `${EXEC} ${YOLO} -m gpt-5.5 -`],
  ['leaves the model to -m', { model: 'a', ...flags('-m', 'b') }, `${EXEC} ${YOLO} -m b -`],
  ['leaves the model to -mb', { model: 'a', ...flags('-mb') }, `${EXEC} ${YOLO} -mb -`],
  ['leaves the model to --model', { model: 'a', ...flags('--model=b') }, `${EXEC} ${YOLO} --model=b -`],
  ['adds the flags before the dash', flags('-o', 'out file'), `${EXEC} ${YOLO} -o out file -`],
  ['has no use for a budget', { budgetUsd: 1 }, `${EXEC} ${YOLO} -`],
  [
    'leaves out what its version does not know',
    {},
    'codex exec --json --skip-git-repo-check -',
    knows('--json', '--skip-git-repo-check'),
  ],
  ['leaves out the stream, too', {}, `codex exec ${YOLO} -`, knows(YOLO)],
  ['says nothing twice', flags('--skip-git-repo-check'), `codex exec --json ${YOLO} --skip-git-repo-check -`],
  ...[
    '-s workspace-write',
    '-sread-only',
    '--sandbox=read-only',
    '--sandbox read-only',
    '--approve-for-me',
    '--full-auto',
    '--yolo',
    '-c sandbox_mode="read-only"',
    YOLO,
  ].map((words): Row => [`leaves permissions to ${words}`, flags(...words.split(' ')), `${EXEC} ${words} -`]),
]

const AMP = 'amp --stream-json --dangerously-allow-all'

const ampRows: Row[] = [
  ['streams without asking for permission', {}, `${AMP} -x`],
  ['gives its final answer only', text, 'amp --dangerously-allow-all -x'],
  ['takes a mode for a model', { model: 'high' }, `${AMP} --mode high -x`],
  ['leaves the mode to -m', { model: 'high', ...flags('-m', 'low') }, `${AMP} -m low -x`],
  ['leaves the mode to --mode', { model: 'high', ...flags('--mode=low') }, `${AMP} --mode=low -x`],
  ['keeps -x last, because it would swallow a flag', flags('--no-ide'), `${AMP} --no-ide -x`],
  [
    'says nothing twice',
    flags('--dangerously-allow-all', '-x'),
    'amp --stream-json --dangerously-allow-all -x',
  ],
  ['leaves out what its version does not know', {}, 'amp --dangerously-allow-all -x', knows('-x')],
  ['gives its bypass flag although no help lists it', {}, `${AMP} -x`, knows('-x', '--stream-json')],
]

const RUN = 'opencode run --format json'

const opencodeRows: Row[] = [
  ['streams without asking for permission', {}, `${RUN} --auto`],
  ['gives its words only', text, 'opencode run --format default --auto'],
  ['takes a model', { model: 'mock/m' }, `${RUN} --auto -m mock/m`],
  ['leaves the model to -m', { model: 'a/b', ...flags('-m', 'c/d') }, `${RUN} --auto -m c/d`],
  ['leaves the model to --model', { model: 'a/b', ...flags('--model=c/d') }, `${RUN} --auto --model=c/d`],
  ['adds the flags last', flags('--agent', 'plan'), `${RUN} --auto --agent plan`],
  ['leaves out what its version does not know', {}, 'opencode run --auto', knows('--auto')],
  ['leaves out its bypass flag, too', {}, RUN, knows('--format')],
  ...['--auto', '--no-auto', '--yolo', '--dangerously-skip-permissions'].map(
    (word): Row => [`leaves permissions to ${word}`, flags(word), `${RUN} ${word}`],
  ),
]

const GEMINI = 'gemini -o stream-json'

const geminiRows: Row[] = [
  ['streams without asking for permission', {}, `${GEMINI} --yolo --skip-trust`],
  ['gives its words only', text, 'gemini -o text --yolo --skip-trust'],
  ['takes a model', { model: 'pro' }, `${GEMINI} --yolo --skip-trust -m pro`],
  ['leaves the model to -m', { model: 'a', ...flags('-m', 'b') }, `${GEMINI} --yolo --skip-trust -m b`],
  [
    'leaves the model to --model',
    { model: 'a', ...flags('--model=b') },
    `${GEMINI} --yolo --skip-trust --model=b`,
  ],
  ['adds the flags last', flags('-s'), `${GEMINI} --yolo --skip-trust -s`],
  ['says nothing twice', flags('--skip-trust'), `${GEMINI} --yolo --skip-trust`],
  ['leaves out what its version does not know', {}, 'gemini --yolo', knows('--yolo')],
  ['leaves out its bypass flag, too', {}, `${GEMINI} --skip-trust`, knows('-o', '--skip-trust')],
  ...['-y', '--yolo', '--approval-mode plan', '--approval-mode=plan', '--allowed-tools read_file'].map(
    (words): Row => [
      `leaves permissions to ${words}`,
      flags(...words.split(' ')),
      `${GEMINI} --skip-trust ${words}`,
    ],
  ),
]

const COPILOT = 'copilot --output-format json'
const ALLOW = '--allow-all-tools --no-auto-update'

const copilotRows: Row[] = [
  ['streams without asking for permission', {}, `${COPILOT} ${ALLOW}`],
  ['gives its words only', text, `copilot -s ${ALLOW}`],
  ['is silent once', { ...text, ...flags('--silent') }, `copilot ${ALLOW} --silent`],
  ['takes a model', { model: 'gpt' }, `${COPILOT} ${ALLOW} --model gpt`],
  ['leaves the model to the flags', { model: 'a', ...flags('--model=b') }, `${COPILOT} ${ALLOW} --model=b`],
  ['adds the flags last', flags('--add-dir', '/a b'), `${COPILOT} ${ALLOW} --add-dir /a b`],
  ['says nothing twice', flags('--no-auto-update'), `${COPILOT} ${ALLOW}`],
  [
    'keeps its denials beside the bypass',
    flags('--deny-tool=write'),
    `${COPILOT} ${ALLOW} --deny-tool=write`,
  ],
  [
    'leaves out what its version does not know',
    {},
    `${COPILOT} --allow-all-tools`,
    knows('--output-format', '--allow-all-tools'),
  ],
  ['leaves out its bypass flag, too', {}, COPILOT, knows('--output-format')],
  ['leaves out the stream, too', {}, 'copilot --allow-all-tools', knows('--allow-all-tools')],
  ['leaves out silence, too', text, 'copilot --allow-all-tools', knows('--allow-all-tools')],
  ...['--allow-all', '--yolo', '--allow-tool shell(ls)', '--allow-tool=write', '--assisted-approval'].map(
    (words): Row => [
      `leaves permissions to ${words}`,
      flags(...words.split(' ')),
      `${COPILOT} --no-auto-update ${words}`,
    ],
  ),
]

const TABLES: [name: string, cli: Cli, rows: Row[]][] = [
  ['claude', claude, claudeRows],
  ['codex', codex, codexRows],
  ['amp', amp, ampRows],
  ['opencode', opencode, opencodeRows],
  ['gemini', gemini, geminiRows],
  ['copilot', copilot, copilotRows],
]

describe.each(TABLES)('%s', (_, { make }, rows) => {
  test.each(rows)('%s', (_, asked, argv, able = unread) => {
    expect(
      make()
        .command({ ...ask, ...asked }, able)
        .argv.join(' '),
    ).toBe(argv)
  })

  test('runs a path as given, and a word with spaces stays one word', () => {
    const { argv } = make('/opt/my bin/it').command({ ...ask, flags: ['--x', 'a b'] }, unread)
    expect(argv[0]).toBe('/opt/my bin/it')
    expect(argv).toContain('a b')
  })

  test.each(['stream', 'text'] as const)(
    'gets the prompt on standard input, never as an argument (%s)',
    mode => {
      const { argv, stdin } = make().command({ ...ask, mode, prompt: '-- a\nprompt' }, unread)
      expect(stdin).toBe('-- a\nprompt')
      expect(argv.join(' ')).not.toContain('prompt')
    },
  )
})

test('claude is told that it is in a sandbox only as root, the others never', () => {
  for (const [name, { make }] of TABLES) {
    const { env } = make().command({ ...ask, backgroundTasks: true }, unread)
    expect(env).toEqual({})
    const asRoot = make().command({ ...ask, backgroundTasks: true, root: true }, unread)
    expect(asRoot.env).toEqual(name === 'claude' ? { IS_SANDBOX: '1' } : {})
  }
})

test('claude is told what it would look up only where it goes without tools', () => {
  const asked = { ...ask, withoutTools: 'the facts' }
  expect(claude.make().command(asked, knows('--tools')).stdin).toBe('Do it\n\nthe facts')
  expect(claude.make().command(asked, knows()).stdin).toBe('Do it')
})

test('claude runs nothing in the background unless it may', () => {
  expect(claude.make().command(ask, unread).env).toEqual({ CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1' })
})
