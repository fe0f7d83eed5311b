import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Act, DONE } from '../support/agent-script.ts'
import { leftovers, soon } from '../support/killing.ts'
import { ending, hinted, setStage } from './scene.ts'

type Stage = ReturnType<typeof setStage>
const WORDS = '<response>DONE</response>'

const ends = (stage: Stage) => stage.journal().flatMap(e => (e.type === 'settled' ? [e.end] : []))

/** A program of this name, in the place of the real one. */
function install(stage: Stage, name: string, script: string): void {
  writeFileSync(join(stage.bin, name), `#!/bin/sh\n${script}\n`)
  chmodSync(join(stage.bin, name), 0o755)
}

describe('exit 0 proves nothing', () => {
  it.each([
    ['an empty answer', [['claude', '']], 'empty'],
    ['a result that is an error', [['claude', WORDS, { is_error: true }]], 'error'],
    ['a stream without a result', [['print', WORDS]], 'error'],
    ['no word at all', [['exit', 0]], 'error'],
  ] as [string, Act[], string][])('%s is no success', async (_, acts, end) => {
    const stage = setStage({ calls: [acts, [DONE]] })
    expect((await stage.ralph('run', '-p', 'x')).code).toBe(0)
    expect(ends(stage)).toEqual([end, 'ok'])
  })

  it('a claim of an agent that was refused everything is up to the checks', async () => {
    const refused = { permission_denials: [{ tool_name: 'Write', tool_use_id: 't' }] }
    const stage = setStage({
      settings: { guardrails: [{ command: 'test -f work' }] },
      calls: [[['claude', WORDS, refused]], [['file', 'work', ''], DONE]],
    })
    const ran = await stage.ralph('run', '-p', 'x')
    expect([ran.code, ends(stage)]).toEqual([0, ['ok', 'ok']])
    expect(ran.stderr).toContain('was refused 1 tool call')
  })
})

describe('never leave stdin open', () => {
  it('an agent that reads to the end of its input gets the prompt, and the end', async () => {
    const stage = setStage({ calls: [[['stdin', '../got'], DONE]] })
    const long = 'word '.repeat(20_000)
    expect((await stage.ralph('run', '-p', long)).code).toBe(0)
    expect(stage.read('../got')).toBe(hinted(long))
  })

  it('a prompt longer than an argument may be is no trouble, and shows in no list of processes', async () => {
    const stage = setStage({ calls: [[['argv', '../argv'], ['stdin', '../got'], DONE]] })
    stage.write('PROMPT.md', `secret-words ${'x'.repeat(300_000)}`)
    expect((await stage.ralph('run', '-f', 'PROMPT.md')).code).toBe(0)
    expect(stage.read('../got').length).toBeGreaterThan(300_000)
    expect(stage.read('../argv')).not.toContain('secret-words')
  })

  it('the call for a commit message and the questions about flags are given an end of input, too', async () => {
    const stage = setStage({ settings: { scm: { command: 'git', tasks: ['commit'] } } })
    install(
      stage,
      'claude',
      `cat > /dev/null; case "$*" in *--help | --version) exit 0;; *text*) echo Message;; *) echo work > work; echo '${JSON.stringify(
        { type: 'result', subtype: 'success', is_error: false, result: WORDS },
      )}';; esac`,
    )
    expect((await stage.ralph('run', '-p', 'x')).code).toBe(0)
    expect(stage.journal().find(e => e.type === 'committing')).toMatchObject({ message: 'Message' })
  })
})

describe('keep your own clock', () => {
  it('a CLI that retries by itself for ever is ended by the iteration timeout', async () => {
    const retry: Act = ['json', { type: 'system', subtype: 'api_retry', attempt: 1, error: 'overloaded' }]
    const again: Act[] = Array.from({ length: 40 }, (): Act[] => [retry, ['sleep', 100]]).flat()
    const stage = setStage({ settings: { killGrace: 0.2 }, calls: [again, [DONE]] })
    const flags = ['--iteration-timeout', '1', '--inactivity-timeout', '1']
    expect((await stage.ralph('run', '-p', 'x', ...flags)).code).toBe(0)
    expect(ends(stage)).toEqual(['timeout', 'ok'])
  })

  it('a CLI that waits in silence is ended by the inactivity timeout', async () => {
    const stage = setStage({ settings: { killGrace: 0.2 }, calls: [[['hang']], [DONE]] })
    expect((await stage.ralph('run', '-p', 'x', '--inactivity-timeout', '1')).code).toBe(0)
    expect(ends(stage)).toEqual(['inactive', 'ok'])
  })
})

describe.skipIf(process.platform !== 'linux')('SIGTERM first, to the whole group; SIGKILL last', () => {
  it('an agent is given the time to clean up after itself', async () => {
    const stage = setStage({ settings: { killGrace: 5 } })
    const tidy =
      'trap "sleep 0.3; touch ../tidied; exit 143" TERM; touch ../begun; while :; do sleep 0.05; done'
    const script = ['--', 'sh', '-c', `[ -f ../begun ] && { echo '${WORDS}'; exit; }; ${tidy}`]
    expect((await stage.ralph('run', '-p', 'x', '--inactivity-timeout', '1', ...script)).code).toBe(0)
    expect(existsSync(join(stage.root, 'tidied'))).toBe(true)
  })

  it('a wrapper that dies at once does not leave the program behind it without a signal, nor without the grace', async () => {
    const stage = setStage({ settings: { killGrace: 2 } })
    const inner = 'trap "sleep 0.6; touch ../told; exit" TERM; touch ../begun; while :; do sleep 0.05; done'
    const script = [
      '--',
      'sh',
      '-c',
      `[ -f ../begun ] && { echo '${WORDS}'; exit; }; sh -c '${inner}' & wait`,
    ]
    expect((await stage.ralph('run', '-p', 'x', '--inactivity-timeout', '1', ...script)).code).toBe(0)
    expect(existsSync(join(stage.root, 'told'))).toBe(true)
    expect(leftovers(stage.ralphHome)).toEqual([])
  })

  it('a tool in a session of its own, which the group does not reach, is swept', async () => {
    const stage = setStage({
      settings: { killGrace: 0.2 },
      calls: [[['child', { detached: true, ignoresTerm: true, pid: '../tool' }], ['hang']], [DONE]],
    })
    expect((await stage.ralph('run', '-p', 'x', '--inactivity-timeout', '1')).code).toBe(0)
    expect(existsSync(join(stage.root, 'tool'))).toBe(true)
    expect(leftovers(stage.ralphHome)).toEqual([])
  })
})

describe("probe, don't assume", () => {
  it('a flag that this version does not know is left out', async () => {
    const stage = setStage()
    const result = JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: WORDS })
    install(
      stage,
      'claude',
      `case "$*" in
  --help) printf '  -p, --print  print\\n  --output-format <f>  how\\n'; exit 0 ;;
  --version) echo 9.9.9; exit 0 ;;
  *--verbose*) [ -f ../learned ] && exit 2 ;;
esac
cat > /dev/null; sleep 0.4; echo '${result}'`,
    )
    const cache = join(stage.ralphHome, 'cache', 'capabilities.json')
    await stage.ralph('run', '-p', 'x')
    expect(await soon(() => existsSync(cache), 1000)).toBe(true)
    writeFileSync(join(stage.root, 'learned'), '')
    expect((await stage.ralph('run', '-p', 'x')).code).toBe(0)
  })
})

describe('never match a promise in the raw stream', () => {
  it.each([
    ['the prompt, echoed', [['json', { type: 'user', message: { role: 'user', content: WORDS } }]]],
    [
      'a tool that prints a file',
      [
        ['tool', 't', 'Read', { file_path: 'a' }],
        ['toolResult', 't', WORDS],
      ],
    ],
    [
      'a subagent',
      [
        [
          'json',
          {
            type: 'assistant',
            parent_tool_use_id: 't',
            message: { role: 'assistant', content: [{ type: 'text', text: WORDS }] },
          },
        ],
      ],
    ],
    ['a task notification', [['json', { type: 'system', subtype: 'task_notification', summary: WORDS }]]],
    ['words that are no JSON', [['print', WORDS]]],
    ['standard error', [['stderr', `${WORDS}\n`]]],
  ] as [string, Act[]][])('%s does not end the run', async (_, acts) => {
    const stage = setStage({ calls: [[...acts, ['claude', 'Not yet.']]] })
    expect(
      await stage.ralph('run', '-p', `Say ${WORDS} when done.`, '-m', '1', '--done-pattern', 'DONE'),
    ).toMatchObject(ending(1, 'not done: the one iteration is used'))
    expect(readFileSync(join(stage.root, 'count'), 'utf8')).toBe('.')
  })
})
