import { expect, test } from 'vitest'
import { claude } from '../../src/agents/claude.ts'
import { codex } from '../../src/agents/codex.ts'
import type { Ask, Capabilities } from '../../src/core/ports.ts'

const ask: Ask = { prompt: 'Do it', model: null, flags: [], mode: 'stream', budgetUsd: null, root: false }
const unread: Capabilities = { version: null, flags: null }
const text = { mode: 'text' } as const
const flags = (...words: string[]) => ({ flags: words })

type Row = [what: string, asked: Partial<Ask>, argv: string, able?: Capabilities]

const STREAM = 'claude -p --output-format stream-json --verbose'
const BYPASS = '--dangerously-skip-permissions'

const claudeRows: Row[] = [
  ['streams without asking for permission', {}, `${STREAM} ${BYPASS}`],
  ['gives its final answer only', text, `claude -p --output-format text ${BYPASS}`],
  ['takes a model', { model: 'opus' }, `${STREAM} ${BYPASS} --model opus`],
  [
    'leaves the model to the flags',
    { model: 'opus', ...flags('--model', 'x') },
    `${STREAM} ${BYPASS} --model x`,
  ],
  [
    'knows a flag by its other spelling',
    { model: 'opus', ...flags('--model=x') },
    `${STREAM} ${BYPASS} --model=x`,
  ],
  ['adds the flags last', flags('--add-dir', '/a b'), `${STREAM} ${BYPASS} --add-dir /a b`],
  [
    'is not fooled by a longer flag',
    { model: 'a', ...flags('--models') },
    `${STREAM} ${BYPASS} --model a --models`,
  ],
  ['holds itself to a budget', { budgetUsd: 1.5 }, `${STREAM} ${BYPASS} --max-budget-usd 1.50`],
  ['has a cent at least', { budgetUsd: 0.0001 }, `${STREAM} ${BYPASS} --max-budget-usd 0.01`],
  [
    'leaves the budget to the flags',
    { budgetUsd: 1.5, ...flags('--max-budget-usd', '9') },
    `${STREAM} ${BYPASS} --max-budget-usd 9`,
  ],
  [
    'names a budget to a version that knows it',
    { budgetUsd: 2 },
    `${STREAM} ${BYPASS} --max-budget-usd 2.00`,
    { version: '2', flags: new Set(['--max-budget-usd']) },
  ],
  [
    'names none to one that does not',
    { budgetUsd: 2 },
    `${STREAM} ${BYPASS}`,
    { version: '1', flags: new Set() },
  ],
  ...[
    '--permission-mode plan',
    '--permission-mode=plan',
    '--allowedTools Bash',
    '--allowed-tools Bash',
    BYPASS,
  ].map((words): Row => [`leaves permissions to ${words}`, flags(...words.split(' ')), `${STREAM} ${words}`]),
]

test.each(claudeRows)('claude %s', (_, asked, argv, able = unread) => {
  expect(
    claude()
      .command({ ...ask, ...asked }, able)
      .argv.join(' '),
  ).toBe(argv)
})

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
    `codex exec --json ${YOLO} -`,
    { version: '0', flags: new Set(['--json']) },
  ],
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

test.each(codexRows)('codex %s', (_, asked, argv, able = unread) => {
  expect(
    codex()
      .command({ ...ask, ...asked }, able)
      .argv.join(' '),
  ).toBe(argv)
})

test.each([claude, codex])('a path is run as given and a word with spaces stays one word', make => {
  const { argv } = make('/opt/my bin/it').command({ ...ask, flags: ['--x', 'a b'] }, unread)
  expect(argv[0]).toBe('/opt/my bin/it')
  expect(argv).toContain('a b')
})

test.each([claude, codex])('the prompt goes to standard input and never into the arguments', make => {
  const { argv, stdin } = make().command({ ...ask, prompt: '-- a\nprompt' }, unread)
  expect(stdin).toBe('-- a\nprompt')
  expect(argv.join(' ')).not.toContain('prompt')
})

test('claude is told that it is in a sandbox only as root', () => {
  expect(claude().command({ ...ask, root: true }, unread).env).toEqual({ IS_SANDBOX: '1' })
  expect(claude().command(ask, unread).env).toEqual({})
  expect(codex().command({ ...ask, root: true }, unread).env).toEqual({})
})
