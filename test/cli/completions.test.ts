import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Argument, Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { known } from '../../src/agents/index.ts'
import { findCompletions } from '../../src/cli/commands/completions/find-completions.ts'
import { makeRunDir } from '../../src/runs/find.ts'
import { RALPH } from '../support/ralph.ts'
import { setStage } from './scene.ts'

const SOURCES = {
  agents: () => [{ value: 'claude', about: '' }],
  runs: (command: string) => [{ value: `run-to-${command}`, about: '' }],
  workers: () => [{ value: 'night', about: '' }],
}

function makeProgram(): Command {
  const program = new Command('ralph').version('1', '-v, --version')
  program
    .command('run')
    .option('-a, --agent <name>')
    .option('-f, --prompt-file <file>')
    .option('-C, --project-dir <dir>')
    .option('-m, --max-iterations <n>')
    .option('-q, --quiet')
    .option('--sandbox [mode]')
    .addOption(new Command().createOption('--proof <kind>').choices(['red', 'green']))
    .addOption(new Command().createOption('-n, --maximum-iterations <n>').hideHelp())
  program.command('resume').argument('[run]').option('-q, --quiet')
  program.command('show').argument('<FILE...>')
  program.command('attach').argument('<worker>')
  program.command('wait').argument('[workers...]')
  const task = program.command('task').alias('t')
  task.command('list')
  task
    .command('edit')
    .argument('<id>')
    .addArgument(new Argument('<field>').choices(['title', 'text']))
  program.command('secret', { hidden: true })
  return program
}

/** The last word is the one being typed. */
function offered(...words: string[]): string[] | string {
  const offers = findCompletions(makeProgram(), words, SOURCES)
  return offers.type === 'values' ? offers.values.map(offer => offer.value) : offers.type
}

describe('what is offered', () => {
  it.each<[string[], string[] | string]>([
    [[''], ['run', 'resume', 'show', 'attach', 'wait', 'task', 'help']],
    [['r'], ['run', 'resume']],
    [['s'], ['show']],
    [['-'], ['--version', '--help']],
    [['-v'], ['-v']],
    [['help', 'ru'], ['run']],
    [['run', ''], []],
    [['run', '--m'], ['--max-iterations']],
    [['run', '-q'], ['-q']],
    [['run', '-a', 'c'], ['claude']],
    [['run', '-a', 'x'], []],
    [['run', '--agent', ''], ['claude']],
    [['run', '--agent=c'], ['--agent=claude']],
    [['run', '--agent', '=', 'c'], ['claude']],
    [['run', '-qa', ''], ['claude']],
    [['run', '-aclaude', '--q'], ['--quiet']],
    [['run', '-a', 'run', '--q'], ['--quiet']],
    [['run', '-f', 'P'], 'files'],
    [['run', '--prompt-file=P'], 'files'],
    [['run', '-C', ''], 'folders'],
    [['run', '-m', ''], []],
    [['run', '-n', '--q'], []],
    [['run', '-n', '5', '--q'], ['--quiet']],
    [['run', '--sandbox', '--q'], ['--quiet']],
    [
      ['run', '--proof', ''],
      ['red', 'green'],
    ],
    [['run', '--unknown', '--q'], ['--quiet']],
    [['run', '--unknown=x'], []],
    [['run', '--', ''], 'files'],
    [['run', '--', 'agent', '--q'], 'files'],
    [['resume', ''], ['run-to-resume']],
    [['resume', '-q', 'run-'], ['run-to-resume']],
    [['resume', 'x', ''], []],
    [['attach', ''], ['night']],
    [['wait', 'night', 'n'], ['night']],
    [['show', 'a', 'b', ''], 'files'],
    [
      ['task', ''],
      ['list', 'edit', 'help'],
    ],
    [['t', 'l'], ['list']],
    [
      ['task', 'edit', 'x', 't'],
      ['title', 'text'],
    ],
    [[], ['run', 'resume', 'show', 'attach', 'wait', 'task', 'help']],
  ])('%j → %j', (words, expected) => {
    expect(offered(...words)).toEqual(expected)
  })
})

const FIRST = '20260301-100000-aaa'
const SECOND = '20260301-110000-bbb'

/** A stage with the built `ralph` on its PATH, a prompt file, and two runs, the second of them finished. */
function setUp() {
  const stage = setStage()
  writeFileSync(join(stage.bin, 'ralph'), `#!/bin/sh\nexec "${process.execPath}" "${RALPH}" "$@"\n`)
  chmodSync(join(stage.bin, 'ralph'), 0o755)
  stage.write('PROMPT one.md', '')
  mkdirSync(join(stage.project, 'Parts'))
  for (const id of [FIRST, SECOND]) {
    const events = [
      {
        type: 'began',
        at: 1,
        v: 2,
        id,
        project: stage.project,
        workflow: 'run',
        tasks: [],
        limits: {},
        pins: {},
      },
      ...(id === SECOND ? [{ type: 'finished', at: 2, result: 'complete', proof: 'verified', why: '' }] : []),
    ]
    const text = events.map(event => `${JSON.stringify(event)}\n`).join('')
    writeFileSync(join(makeRunDir(stage.ralphHome, id), 'journal.ndjson'), text)
  }
  return stage
}

const agentsWith = (letter: string) =>
  [...known.keys(), 'demo'].filter(name => name.startsWith(letter)).sort()

/** What must come of these in every shell: the words, the last one half typed. */
const ASKED: [string, string[], string[]][] = [
  ['a command', ['r'], ['reject', 'report', 'resume', 'rm', 'run']],
  ['a hidden command', ['demo-'], []],
  ['an option', ['run', '--max-it'], ['--max-iterations']],
  ['an agent', ['run', '-a', 'c'], agentsWith('c')],
  ['an unfinished run', ['resume', ''], [FIRST]],
  ['a build to go on with', ['build', '--resume', ''], [FIRST]],
  ['how to refine', ['build', '--refine', 'a'], ['ask', 'auto']],
  ['what to do to a list', ['todo', FIRST, ''], ['add', 'done', 'edit', 'skip']],
  ['a demo', ['demo', ''], ['build', 'pipeline', 'run', 'stories']],
  ['a shell', ['completions', ''], ['bash', 'fish', 'zsh']],
  ['a prompt that is being typed', ['run', '-p', 'c'], []],
  ['a file', ['run', '-f', 'PRO'], ['PROMPT one.md']],
  ['a folder', ['run', '-C', 'Par'], ['Parts']],
]

const isInstalled = (shell: string) => spawnSync(shell, ['-c', 'exit 0']).status === 0

for (const shell of ['bash', 'zsh', 'fish'])
  if (!isInstalled(shell)) console.warn(`SKIPPED: completions in ${shell}, which is not installed here`)

function execute(shell: string, args: string[], stage: ReturnType<typeof setUp>): string[] {
  const text = execFileSync(shell, args, { cwd: stage.project, env: stage.env, encoding: 'utf8' })
  return text.split('\n').filter(Boolean).sort()
}

const quote = (word: string) => `'${word.replaceAll("'", "'\\''")}'`

describe.skipIf(!isInstalled('bash'))('in bash', () => {
  const EVALUATED = 'eval "$(ralph completions bash)"'
  /** Read twice, as by who has it in two files. */
  const ask = async (stage: ReturnType<typeof setUp>, words: string[], read = '. ../bash-completions') => {
    stage.write('../bash-completions', (await stage.ralph('completions', 'bash')).stdout)
    const script = `
      ${read}; ${read}
      COMP_WORDS=(ralph ${words.map(quote).join(' ')}); COMP_CWORD=${words.length}
      _ralph ralph ${quote(words.at(-1)!)} x
      for offer in "\${COMPREPLY[@]}"; do echo "$offer"; done`
    return execute('bash', ['--norc', '--noprofile', '-c', script], stage)
  }

  it.each(ASKED)('%s: %j', async (_, words, expected) => {
    expect(await ask(setUp(), words)).toEqual(expected)
  })

  it('all of `ralph run --max`', async () => {
    const offers = await ask(setUp(), ['run', '--max'], EVALUATED)
    expect(offers).toContain('--max-iterations')
    expect(offers.filter(offer => !offer.startsWith('--max'))).toEqual([])
  })

  it('a value after =, which bash takes for a word', async () => {
    expect(await ask(setUp(), ['run', '--agent', '=', 'cl'])).toEqual(['claude'])
  })

  it('nothing of what is typed is run', async () => {
    const stage = setUp()
    expect(await ask(stage, ['run', '-p', '"$(touch ran)`touch ran`"; touch ran', '-a', 'cl'])).toEqual([
      'claude',
    ])
    expect(execute('ls', [], stage)).not.toContain('ran')
  })
})

describe.skipIf(!isInstalled('zsh'))('in zsh', () => {
  it.each(ASKED)('%s: %j', (_, words, expected) => {
    const script = `
      compdef() { :; }; compset() { :; }
      _describe() { print -l -- "\${(@)\${(@P)2}%%:*}"; }
      _files() { if [[ $1 == -/ ]]; then print -l -- $words[CURRENT]*(N/); else print -l -- $words[CURRENT]*(N); fi; }
      eval "$(ralph completions zsh)"
      words=(ralph ${words.map(quote).join(' ')}); CURRENT=${words.length + 1}
      _ralph`
    expect(execute('zsh', ['-f', '-c', script], setUp())).toEqual(expected)
  })
})

describe.skipIf(!isInstalled('fish'))('in fish', () => {
  it.each(ASKED)('%s: %j', (_, words, expected) => {
    const script = `ralph completions fish | source; complete -C ${quote(['ralph', ...words].join(' '))}`
    const offers = execute('fish', ['--no-config', '-c', script], setUp())
    expect(offers.map(offer => offer.replace(/\t.*/, '').replace(/\/$/, '').replaceAll('\\', ''))).toEqual(
      expected,
    )
  })
})

describe('ralph completions', () => {
  it.each(['bash', 'zsh', 'fish'])('%s prints a script and nothing else', async shell => {
    const ran = await setStage().ralph('completions', shell)
    expect([ran.code, ran.stderr]).toEqual([0, ''])
    expect(ran.stdout).toContain('ralph complete ')
  })

  it.each([[['tcsh']], [[]]])('with %j is refused, and the three are named', async args => {
    const ran = await setStage().ralph('completions', ...args)
    expect([ran.code, ran.stdout]).toEqual([2, ''])
    expect(ran.stderr).toMatch(/^ralph: error: .*\bbash\b.*\bzsh\b.*\bfish\b/)
  })

  it('says in its help how to install each', async () => {
    const { stdout } = await setStage().spawn('completions', '--help')
    for (const words of ['~/.bashrc', '_ralph', '~/.config/fish/completions/ralph.fish', 'Examples:'])
      expect(stdout).toContain(words)
  })

  it.each([
    [['spawn', 'b'], ['build']],
    [['spawn', '--foreg'], ['--foreground']],
    [['spawn', '--name', 'x', '--done-'], ['--done-pattern']],
    [['spawn', 'build', '--plan-'], ['--plan-only']],
    [['spawn', 'pipeline', '--plan-'], []],
  ])('offers for a worker what its workflow takes: %j', async (words, expected) => {
    const { stdout } = await setStage().ralph('complete', ...words)
    expect(stdout.split('\n').flatMap(line => line.split('\t')[0] || [])).toEqual(expected)
  })

  it('offers what the program itself has, with what it is', async () => {
    const ran = await setStage().ralph('complete', 'doc')
    expect(ran).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/^doctor\tShow which agents [^\n]*\n$/),
    })
  })
})
