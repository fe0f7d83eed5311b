import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { RALPH } from '../support/ralph.ts'
import { refusal, setStage } from './scene.ts'

describe('bad input gets one clear line, exit 2, and leaves nothing behind', () => {
  it.each([
    [['run'], 'give exactly one of --prompt (-p) and --prompt-file (-f)'],
    [['run', '-p', 'x', '-f', 'y'], 'give exactly one of --prompt (-p) and --prompt-file (-f)'],
    [['run', '-p', ' '], '--prompt is empty'],
    [['run', '-p'], "option '-p, --prompt <text>' argument missing; see: ralph run --help"],
    [['qwertz'], "unknown command 'qwertz'; see: ralph --help"],
    [['run', '-f', 'missing.md'], 'prompt file not found: missing.md'],
    [['run', '-f', 'folder'], 'cannot read prompt file folder: is a folder, not a file'],
    [
      ['run', '-p', 'x', '-m', '0'],
      "'-m, --max-iterations <n>' argument '0' is invalid. It must be a whole number of at least 1.",
    ],
    [['run', '-p', 'x', '-m', '-3'], "argument '-3' is invalid"],
    [['run', '-p', 'x', '-m', '1e3'], "argument '1e3' is invalid"],
    [['run', '-p', 'x', '--inactivity-timeout', 'soon'], 'It must be a number of seconds above 0.'],
    ...[['run', '-p', 'x'], ['build', 'x'], ['stories']].map((words): [string[], string] => [
      [...words, '--once', '-m', '3'],
      '-m cannot be used with --once, which is one iteration',
    ]),
    [['run', '-p', 'x', '--modle', 'y'], "unknown option '--modle' (Did you mean --model?)"],
    [['run', '-p', 'x', 'stray'], 'ralph run takes its prompt with -p, in quotes: ralph run -p "x stray"'],
    [
      ['run', 'Fix', 'the tests'],
      'ralph run takes its prompt with -p, in quotes: ralph run -p "Fix the tests"',
    ],
    [
      ['run', '-f', 'P.md', 'stray'],
      'ralph run does not know what to do with "stray"; the prompt is in P.md',
    ],
    [['help', 'statuz'], "unknown command 'statuz' (Did you mean status?)"],
    [
      ['run', '-p', 'x', '-a', 'cluade'],
      'agent "cluade" is not on PATH; did you mean claude? Otherwise install it, or',
    ],
    [
      ['run', '-p', 'x', '-a', 'opencode'],
      'agent "opencode" is not on PATH; install it (npm install -g opencode-ai), or choose another with --agent',
    ],
    [
      ['run', '-p', 'x', '-a', 'nobody'],
      'agent "nobody" is not on PATH; install it, or choose another with --agent',
    ],
    [['run', '-p', 'x', '--', './nothing'], 'agent "./nothing" does not exist or cannot be executed'],
    [['run', '-p', 'x', '--model', 'm', '--', 'cat'], 'ralph does not know how to tell "cat" a model'],
    [
      ['run', '-p', 'x', '-a', 'claude', '--', 'cat'],
      '--agent claude and the command after -- both name the agent; give one of them',
    ],
    [
      ['build', 'x', '-a', 'claude', '--', 'cat'],
      '--agent claude and the command after -- both name the agent',
    ],
    [['stories', '-a', 'claude', '--', 'cat'], '--agent claude and the command after -- both name the agent'],
    [['run', '-p', 'x', '--done-pattern', '('], '--done-pattern: Invalid regular expression'],
    [['run', '-p', 'x', '-C', 'nowhere'], '--project-dir: nowhere does not exist'],
    [['rum'], "unknown command 'rum' (Did you mean one of rm, run?)"],
    [['resume'], 'no unfinished run in'],
    [['resume', '--', 'cat'], 'no run "cat" in'],
    [['status', 'x', '--', 'y'], "too many arguments for 'status'"],
    [['resume', 'abc'], 'no run "abc" in'],
  ])('%j', async (args, words) => {
    const stage = setStage()
    mkdirSync(join(stage.project, 'folder'))
    const ran = await (args[0] === 'help' ? stage.spawn(...args) : stage.ralph(...args))
    expect(ran.stderr).toMatch(/^ralph: error: /)
    expect(ran.stderr).toContain(words)
    expect(ran.stdout).toBe('')
    expect(ran.code).toBe(2)
    expect(existsSync(join(stage.project, '.ralph'))).toBe(false)
    expect(existsSync(stage.ralphHome)).toBe(false)
  })

  it.each([
    ['{"maximumIterations": "ten"}', 'maximumIterations'],
    ['{"maximumIteration": 10}', 'did you mean "maximumIterations"?'],
    ['{"guardrails": [}', '.ralph/settings.json:1:17'],
    ['[]', '.ralph/settings.json'],
  ])('settings %s', async (settings, words) => {
    const ran = await setStage({ settings }).ralph('run', '-p', 'x')
    expect(ran.stderr).toMatch(/^ralph: error: [^\n]+\n$/)
    expect(ran.stderr).toContain(words)
    expect(ran.code).toBe(2)
  })

  it('a home or a project that cannot be written to', async () => {
    const stage = setStage()
    const file = join(stage.root, 'file')
    writeFileSync(file, '')
    const home = await stage.withEnv({ ...stage.env, RALPH_HOME: join(file, 'home') }, 'run', '-p', 'x')
    expect([home.code, home.stdout]).toEqual([2, ''])
    expect(home.stderr).toBe(
      `ralph: error: cannot write to ${join(file, 'home')}: a part of that path is a file; set RALPH_HOME to a folder of yours\n`,
    )
    stage.write('.ralph', 'a file')
    expect(await stage.ralph('run', '-p', 'x')).toMatchObject(
      refusal(/^ralph: error: [^\n]*\.ralph[^\n]*\n$/),
    )
    expect(existsSync(join(stage.ralphHome, 'runs'))).toBe(false)
  })

  it.each(['', 'home'])(
    'a HOME that is no absolute path (%j) is not taken for a folder of the project',
    async HOME => {
      const stage = setStage()
      expect(await stage.withEnv({ ...stage.env, HOME, RALPH_HOME: '' }, 'status', 'none')).toMatchObject(
        refusal(`no run "none" in ${join(userInfo().homedir, '.ralph', 'runs')}`),
      )
    },
  )

  it.each([['status'], ['run', '-p', 'x'], ['ls', '--all']])(
    'a current folder that was removed: %s',
    async (...words) => {
      const stage = setStage()
      const script = `mkdir ../gone; cd ../gone; rmdir ../gone; exec "$0" "$@"`
      const argv = ['-c', script, process.execPath, RALPH, ...words]
      const { status, stdout, stderr } = spawnSync('sh', argv, {
        cwd: stage.project,
        env: stage.env,
        encoding: 'utf8',
      })
      expect([status, stdout, stderr]).toEqual([
        2,
        '',
        'ralph: error: the current folder is gone; go to another one, with cd\n',
      ])
    },
  )

  it('no agent at all names the way out', async () => {
    const stage = setStage()
    expect(await stage.withEnv({ ...stage.env, PATH: '/nowhere' }, 'run', '-p', 'x')).toMatchObject(
      refusal('see one at work with: ralph demo'),
    )
  })
})

describe('help', () => {
  it('is what bare ralph prints', async () => {
    const bare = await setStage().spawn()
    expect([bare.code, bare.stderr]).toEqual([0, ''])
    for (const word of ['run', 'resume', 'trust', 'demo', 'Examples:', 'Exit codes:'])
      expect(bare.stdout).toContain(word)
    expect(bare.stdout).not.toContain('demo-agent')
  })

  it.each([
    '',
    'run',
    'build',
    'stories',
    'undo',
    'gc',
    'todo',
    'task',
    'set',
    'init',
    'resume',
    'trust',
    'demo',
    'doctor',
  ])('of %s exits 0, fits 80 columns, and breaks no paragraph before it must', async command => {
    const ran = await setStage().spawn(...(command === '' ? [] : [command]), '--help')
    expect([ran.code, ran.stderr, ran.stdout]).toEqual([0, '', expect.stringMatching(/\nExamples?:\n/)])
    const lines = ran.stdout.split('\n')
    expect(lines.filter(line => line.length > 80)).toEqual([])
    const isText = (line = '') => /^[A-Za-z]/.test(line)
    const early = lines.filter((line, index) => {
      const next = lines[index + 1]
      return isText(line) && isText(next) && `${line} ${next?.split(' ')[0]}`.length <= 80
    })
    expect(early).toEqual([])
  })

  it('is pointed to for the command that was called, also for one of a group', async () => {
    const stage = setStage()
    expect((await stage.ralph('task', 'create')).stderr).toBe(
      "ralph: error: missing required argument 'id'; see: ralph task create --help\n",
    )
    expect((await stage.ralph('logs')).stderr).toMatch(/; see: ralph logs --help\n$/)
    expect((await stage.ralph('--nothing')).stderr).toMatch(/; see: ralph --help\n$/)
  })

  it.each(['--version', '-v'])('%s prints the version alone', async flag => {
    expect(await setStage().spawn(flag)).toMatchObject({ code: 0, stdout: '0.1.0\n' })
  })
})
