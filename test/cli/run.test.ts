import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DONE, MORE } from '../support/agent-script.ts'
import { setRepository } from './repository.ts'
import { ending, eventsOf, hinted, setStage } from './scene.ts'

const check = (command: string, more = {}) => ({ command, ...more })

describe('ralph run', () => {
  it('loops until the agent says it is done and the guardrail agrees', async () => {
    const stage = setStage({
      settings: {
        guardrails: [check('test -f right.txt || { echo not there; exit 4; }', { hint: 'Write right.txt.' })],
      },
      calls: [
        [['stdin', 'got.1'], DONE],
        [['stdin', 'got.2'], ['file', 'right.txt', 'x'], DONE],
      ],
    })
    const ran = await stage.ralph('run', '-p', 'The prompt.')
    expect(ran.code).toBe(0)
    expect(ran.stdout).toContain('done, verified')
    expect(stage.read('got.1')).toBe(hinted('The prompt.', { checks: true }))
    const log = stage.read('got.2').match(/Output file: (.*)/)![1]!
    expect(stage.read('got.2')).toBe(
      hinted(
        `The prompt.\n\nGuardrail "test -f right.txt || { echo not there; exit 4; }" failed with exit code 4.\nHint: Write right.txt.\nOutput file: ${log}\nOutput (truncated):\nnot there\n\nIt was already red before the run.`,
        { checks: true },
      ),
    )
    expect(stage.read(log)).toBe('not there\n')
  })

  it('shapes the prompt by each action, in the order of the settings, with the last failures only', async () => {
    const red = (n: number, failAction: string, until = '') =>
      check(`echo ${n}; ${until}exit ${n}`, { failAction })
    const stage = setStage({
      settings: {
        baseline: false,
        includeIterationCountInPrompt: true,
        guardrails: [
          red(1, 'append'),
          red(2, 'PREPEND'),
          red(3, 'Append'),
          red(4, 'REPLACE', 'test -f second && exit 0; '),
        ],
      },
      calls: [
        [['stdin', 'got.1'], DONE],
        [['stdin', 'got.2'], ['file', 'second', ''], DONE],
        [['stdin', 'got.3'], DONE],
      ],
    })
    const ran = await stage.ralph('run', '-p', 'BASE', '-m', '3')
    expect(ran.code).toBe(1)
    const shape = (name: string) =>
      stage
        .read(name)
        .match(/^Iteration.*|^BASE$|failed with exit code \d/gm)!
        .map(l => l.replace('failed with exit code ', ''))
    expect(shape('got.1')).toEqual(['Iteration 1 of 3, 2 remaining.', 'BASE'])
    expect(shape('got.2')).toEqual(['Iteration 2 of 3, 1 remaining.', '2', '4', '1', '3'])
    expect(shape('got.3')).toEqual(['Iteration 3 of 3, 0 remaining.', '2', 'BASE', '1', '3'])
    expect(stage.read('got.3').split('\n\n')[0]).toBe('Iteration 3 of 3, 0 remaining.')
  })

  it('reads the prompt file anew for every iteration', async () => {
    const stage = setStage({
      calls: [
        [['stdin', 'got.1'], ['file', 'PROMPT.md', 'new'], MORE],
        [['stdin', 'got.2'], DONE],
      ],
    })
    stage.write('PROMPT.md', 'old')
    expect((await stage.ralph('run', '-f', 'PROMPT.md')).code).toBe(0)
    expect([stage.read('got.1'), stage.read('got.2')]).toEqual(['old', 'new'].map(text => hinted(text)))
  })

  it('keeps a prompt that can be read only once', async () => {
    const stage = setStage({
      calls: [
        [['stdin', '../got.1'], MORE],
        [['stdin', '../got.2'], DONE],
      ],
    })
    const { spawnSync } = await import('node:child_process')
    const { RALPH } = await import('../support/ralph.ts')
    const command = `"${process.execPath}" "${RALPH}" run -f <(echo hello)`
    expect(spawnSync('bash', ['-c', command], { cwd: stage.project, env: stage.env }).status).toBe(0)
    expect([stage.read('../got.1'), stage.read('../got.2')]).toEqual([hinted('hello\n'), hinted('hello\n')])
  })

  it('stops, resumable, when the prompt file goes away', async () => {
    const stage = setStage({
      settings: { baseline: false, guardrails: [check('test -f keep || rm -f PROMPT.md')] },
      calls: [[['claude', 'more']], [DONE]],
    })
    stage.write('PROMPT.md', 'old')
    expect(await stage.ralph('run', '-f', 'PROMPT.md', '-m', '5')).toMatchObject(
      ending(1, 'prompt file not found'),
    )
    stage.write('PROMPT.md', 'back')
    stage.write('keep', '')
    expect((await stage.ralph('resume')).code).toBe(0)
  })

  it('ends with 1 at its limit, and with 0 when there was no condition to reach', async () => {
    const more = { calls: [[['claude', 'more'] as [string, ...unknown[]]]] }
    expect(await setStage(more).ralph('run', '-p', 'x', '-m', '2')).toMatchObject(
      ending(1, 'all 2 iterations are used'),
    )
    expect(await setStage(more).ralph('run', '-p', 'x', '-m', '2', '-c', '')).toMatchObject(
      ending(0, '✓ all 2 iterations are used'),
    )
  })

  it('takes another completion response, whatever its case, and a pattern', async () => {
    const codeOf = async (text: string, ...words: string[]) => {
      const stage = setStage({ calls: [[['claude', text]]] })
      return (await stage.ralph('run', '-p', 'x', '-m', '1', ...words)).code
    }
    expect(await codeOf('<response> shipped </response>', '-c', 'SHIPPED')).toBe(0)
    expect(await codeOf('<response>DONE</response>', '-c', 'SHIPPED')).toBe(1)
    expect(await codeOf('All Tasks complete', '--done-pattern', '(?i)all tasks')).toBe(0)
  })

  it('runs any command after --, word for word', async () => {
    const stage = setStage()
    const ran = await stage.ralph(
      'run',
      '-p',
      'say <response>NO</response>',
      '--',
      'sh',
      '-c',
      'cat > got; echo "$0 <response>DONE</response>"',
      'word two',
    )
    expect(ran.code).toBe(0)
    expect(stage.read('got')).toBe('say <response>NO</response>')
  })

  it('keeps the prompt, the raw stream, the logs and a list of calls in the session folder', async () => {
    const stage = setStage({ settings: { guardrails: [check('true')] } })
    await stage.ralph('run', '-p', 'Hello')
    expect(stage.session('iter-001/prompt.txt')).toBe(hinted('Hello', { checks: true }))
    expect(stage.session('iter-001/stream.ndjson')).toContain('"type":"result"')
    expect(stage.session('iter-001/guardrail_001_true.log')).toBe('')
    expect(stage.session('iterations.log')).toMatch(
      /^\S+ \[START\] iteration 1\/10\n\S+ \[END\] iteration 1 exit=0 duration=\S+\n\S+ \[STOP\] complete/,
    )
    expect(JSON.parse(stage.session('agent-calls.jsonl'))).toMatchObject({
      iteration: 1,
      agent: 'claude',
      exit: 0,
      prompt: expect.stringContaining('prompt.txt'),
    })
    expect(JSON.parse(stage.session('session.json'))).toMatchObject({ workflow: 'run' })
    expect(stage.read('.ralph/.gitignore')).toBe('.gitignore\nsessions/\nsettings.local.json\n')
    expect(statSync(stage.runs()[0]!).mode & 0o777).toBe(0o700)
  })

  it('leaves nothing of its own for git to show', async () => {
    const stage = setRepository({
      calls: [[['file', 'made', ''], DONE]],
    })
    expect((await stage.ralph('run', '-p', 'x')).code).toBe(0)
    expect(stage.git('status', '--porcelain', '--untracked-files=all')).toBe('?? made')
  })

  it('pins its rules: settings changed meanwhile do not change the run', async () => {
    const loosened = JSON.stringify({ guardrails: [] })
    const stage = setStage({
      settings: { guardrails: [check('exit 9')] },
      calls: [[['file', '.ralph/settings.json', loosened], DONE]],
    })
    const ran = await stage.ralph('run', '-p', 'x', '-m', '2')
    expect(ran.code).toBe(1)
    expect(stage.settled().map(e => e.move)).toEqual(['fail', 'fail'])
  })

  it('tells what happens as NDJSON, and nothing else, with --json', async () => {
    const words = ['run', '-p', 'x', '--json']
    const ran = await setStage({ settings: { guardrails: [check('true')] } }).spawn(...words)
    const types = eventsOf(ran).map(e => e.type)
    expect(types[0]).toBe('began')
    expect(types.at(-1)).toBe('finished')
    expect(types).toEqual(
      expect.arrayContaining([
        'baseline',
        'started',
        'prompted',
        'agent',
        'ended',
        'checked',
        'settled',
        'applied',
      ]),
    )
  })

  it('says little with --quiet, and much with --verbose, on standard error', async () => {
    const quiet = await setStage().ralph('run', '-p', 'x', '-q')
    expect(quiet.stdout.trim().split('\n')).toHaveLength(1)
    const verbose = await setStage({
      settings: { guardrails: [check('true')], agent: { flags: ['--api-key SECRET'] } },
    }).ralph('run', '-p', 'x'.repeat(300), '-V')
    for (const words of [
      'Loading settings from .ralph/settings.json',
      'Agent command: claude -p',
      'Iteration 1/10 starting',
      `Prompt: ${'x'.repeat(200)}\n`,
      'Running guardrail: true',
      'Guardrail exited with code 0 (',
      'Completion (DONE): matched',
    ])
      expect(verbose.stderr).toContain(`[ralph] ${words}`)
    expect(verbose.stderr).not.toContain('SECRET')
  })

  it('starts and writes nothing on a dry run', async () => {
    const stage = setStage({ settings: { guardrails: [check('touch ran')] } })
    const ran = await stage.ralph('run', '-p', 'The prompt.', '--dry-run', '--model', 'opus')
    expect(ran.code).toBe(0)
    for (const words of ['touch ran', 'claude -p', '--model opus', 'The prompt.', '10 iterations'])
      expect(ran.stdout).toContain(words)
    expect(existsSync(stage.ralphHome)).toBe(false)
    expect(readdirSync(join(stage.project, '.ralph'))).toEqual(['settings.json'])
  })

  it('tells programs what would run in one object', async () => {
    const stage = setStage({
      settings: {
        guardrails: [check('touch ran')],
        fallbackAgents: [{ command: 'codex', model: 'gpt-5.5' }],
      },
    })
    stage.addAgent('codex', [])
    stage.write('PROMPT.md', 'The prompt.\n')
    const ran = await stage.ralph('run', '-f', 'PROMPT.md', '--dry-run', '--json', '--model', 'opus')
    expect([ran.code, ran.stderr, ran.stdout.trim().split('\n').length]).toEqual([0, '', 1])
    expect(JSON.parse(ran.stdout)).toEqual({
      workflow: 'run',
      project: realpathSync(stage.project),
      agent: 'claude',
      model: 'opus',
      fallbacks: [{ agent: 'codex', model: 'gpt-5.5' }],
      subject: { type: 'prompt', name: expect.stringMatching(/PROMPT\.md$/) },
      checks: ['touch ran'],
      iterations: 10,
      until: '<response>DONE</response> or 2 iterations in a row that change nothing',
      commands: [
        expect.arrayContaining(['claude', '-p', '--model', 'opus']),
        expect.arrayContaining(['codex', 'exec', '-m', 'gpt-5.5']),
      ],
      prompt: hinted('The prompt.\n', { checks: true }),
      warnings: [],
    })
    expect(existsSync(stage.ralphHome)).toBe(false)
  })

  it('works outside a git repository, with a warning', async () => {
    const ran = await setStage({ git: false }).ralph('run', '-p', 'x')
    expect([ran.code, ran.stderr]).toEqual([
      0,
      expect.stringContaining('ralph: warning: not a git repository'),
    ])
  })

  it('names the cause if git does not read the repository that is there', async () => {
    const stage = setStage()
    stage.write('.git/index', 'no index')
    const { code, stderr } = await stage.ralph('run', '-p', 'x')
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(
        /ralph: warning: git cannot read this repository \(.*index.*\): ralph cannot tell what changed/,
      ),
    ])
    expect(stderr).not.toContain('git init')
  })

  it('gives the agent its own keys and no others, and the guardrails none', async () => {
    const stage = setStage({
      settings: { guardrails: [check('env > check.env')], env: { pass: ['DEPLOY_TOKEN'], drop: ['LANG'] } },
      calls: [[['env', 'agent.env'], DONE]],
    })
    const env = {
      ...stage.env,
      ANTHROPIC_API_KEY: 'mine',
      OPENAI_API_KEY: 'other',
      AWS_SECRET_ACCESS_KEY: 'no',
      DEPLOY_TOKEN: 'yes',
      LANG: 'C',
    }
    expect((await stage.withEnv(env, 'run', '-p', 'x')).code).toBe(0)
    expect(stage.read('agent.env')).toContain('ANTHROPIC_API_KEY')
    expect(stage.read('agent.env')).toContain('DEPLOY_TOKEN')
    for (const name of ['OPENAI_API_KEY', 'AWS_SECRET_ACCESS_KEY', 'LANG'])
      expect(stage.read('agent.env')).not.toContain(name)
    expect(stage.read('check.env')).not.toContain('ANTHROPIC_API_KEY')
  })

  it('says what is wrong with an agent that failed, from its own standard error', async () => {
    const stage = setStage({
      calls: [
        [
          ['stderr', 'cannot log in\n'],
          ['exit', 1],
        ],
        [DONE],
      ],
    })
    const ran = await stage.ralph('run', '-p', 'x')
    expect(ran.code).toBe(0)
    expect(ran.stdout).toContain('cannot log in')
  })

  it('says once that an agent was refused something, with the flag that mends it, and does not believe it', async () => {
    const denied = { permission_denials: [{ tool_name: 'Bash', tool_use_id: 'x', tool_input: {} }] }
    const stage = setStage({ calls: [[['claude', 'Done. <response>DONE</response>', denied]]] })
    const ran = await stage.ralph('run', '-p', 'x', '-m', '2')
    expect(ran.code).toBe(1)
    expect(ran.stderr.match(/refused 1 tool call.*--dangerously-skip-permissions/g)).toHaveLength(1)
  })

  it("asks an agent's program once what it can do, and leaves out flags it lacks", async () => {
    const stage = setStage()
    const real = readFileSync(join(stage.bin, 'claude'), 'utf8').replace('#!/bin/sh\n', '')
    const help = "printf '  -p, --print  print\\n  --output-format <f>  how\\n  --verbose  more\\n'"
    writeFileSync(
      join(stage.bin, 'claude'),
      `#!/bin/sh\ncase "$1" in --help) ${help}; exit 0;; --version) echo 1.2.3; exit 0;; esac\nsleep 0.5; echo "$*" >> argv.log\n${real}`,
    )
    const cache = join(stage.ralphHome, 'cache', 'capabilities.json')
    for (let i = 0; i < 5 && !existsSync(cache); i++)
      expect((await stage.ralph('run', '-p', 'x')).code).toBe(0)
    expect(JSON.parse(readFileSync(cache, 'utf8'))).toMatchObject({
      [join(stage.bin, 'claude')]: { version: '1.2.3' },
    })
    expect((await stage.ralph('run', '-p', 'x')).code).toBe(0)
    const argvs = stage.read('argv.log').trim().split('\n')
    expect(argvs.at(-1)).toBe('-p --output-format stream-json --verbose')
  })

  it('goes on although its reader went away', async () => {
    const stage = setStage({ calls: [[['lines', 2000, 200], DONE]] })
    const { spawnSync } = await import('node:child_process')
    const { RALPH } = await import('../support/ralph.ts')
    spawnSync('sh', ['-c', `"${process.execPath}" "${RALPH}" run -p x | head -n 1`], {
      cwd: stage.project,
      env: stage.env,
    })
    expect(stage.journal().at(-1)).toMatchObject({ type: 'finished', result: 'complete' })
  })

  it('survives an agent that cleans its own session folder away', async () => {
    const stage = setStage({
      settings: { guardrails: [check('rm -rf .ralph/sessions')] },
      calls: [[['claude', 'more']], [DONE]],
    })
    mkdirSync(join(stage.project, 'x'))
    expect((await stage.ralph('run', '-p', 'x', '-m', '3')).code).toBe(0)
  })
})
