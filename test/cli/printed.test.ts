import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DONE } from '../support/agent-script.ts'
import type { Ran } from '../support/ralph.ts'
import { setStage } from './scene.ts'

/** What a terminal would obey, and what shows as nothing or in another order. */
const HOSTILE = [
  ...[
    '\x1b]0;owned\x07',
    '\x1b[2J\x1b[1;1H',
    '\x1b[8mhidden',
    '\x1b[32mgreen',
    '\x9b31m\x9d0;owned\x9c',
    '\rralph: done',
  ],
  ...[
    '\b\b\b',
    '\nralph: error: forged',
    '\u202edone',
    'a\u200bb\u2060c\ufeff',
    '\u2028forged',
    '\u{e0041}',
    '\ud800',
  ],
].join('x')

const OBEYED = /(?!\n)[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?!\ufe0f)\p{Default_Ignorable_Code_Point}/u

/** Every line that a command printed, on both streams, in colour. */
function inspect({ stdout, stderr }: Ran, words = ''): void {
  const own = stdout.replace(/\x1b\[(?:[0-79]|2\d|[349]\d|10\d)m/g, '')
  for (const line of [...own.split('\n'), ...stderr.split('\n')]) {
    expect(line, words).not.toMatch(OBEYED)
    expect(line, words).not.toMatch(/^ralph: (?:error: forged|done)/)
  }
}

const story = (more: object) => ({
  ...{ id: 'US-1', title: 't', description: 'd', acceptanceCriteria: ['a'], priority: 1, passes: false },
  ...{ reviewStatus: null, reviewCount: 0, reviewFeedback: '', ...more },
})

const list = (...userStories: object[]) =>
  JSON.stringify({ project: 'p', branchName: 'b', description: 'd', userStories })

const CASES: [string, (text: string) => { files: Record<string, string>; argv: string[] }][] = [
  [
    'an id of a story that is there twice',
    text => ({
      files: { 'ralph/tasks.json': list(story({ id: text }), story({ id: text })) },
      argv: ['stories'],
    }),
  ],
  [
    'a story of a wrong kind',
    text => ({ files: { 'ralph/tasks.json': list(story({ id: text, priority: 'x' })) }, argv: ['stories'] }),
  ],
  [
    'a story file that is not JSON',
    text => ({ files: { 'ralph/tasks.json': `{"a": ${text}}` }, argv: ['stories'] }),
  ],
  [
    'stories that are open when they are archived',
    text => ({
      files: { 'ralph/tasks.json': list(story({ id: text })), 'ralph/prd.md': 'x' },
      argv: ['archive'],
    }),
  ],
  [
    'a task list of a wrong kind',
    text => ({
      files: { 'T.json': JSON.stringify([{ id: text, content: 3 }]) },
      argv: ['build', '--tasks', 'T.json'],
    }),
  ],
  [
    'a task that waits for another that is not there',
    text => ({
      files: { 'T.json': list(story({ id: 'a', dependsOn: [text] })) },
      argv: ['build', '--tasks', 'T.json', '-m', '1'],
    }),
  ],
  [
    'an unknown key of the settings',
    text => ({ files: { '.ralph/settings.json': JSON.stringify({ [text]: 1 }) }, argv: ['run', '-p', 'x'] }),
  ],
]

describe('a terminal obeys nothing that others wrote', () => {
  it.each(CASES)('%s', async (_, make) => {
    const { files, argv } = make(HOSTILE)
    const stage = setStage()
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(join(stage.project, path, '..'), { recursive: true })
      stage.write(path, content)
    }
    inspect(await stage.withEnv({ ...stage.env, FORCE_COLOR: '1' }, ...argv))
  })

  it('in a word that was pasted', async () => {
    const stage = setStage()
    for (const argv of [
      [HOSTILE],
      ['run', `--${HOSTILE}`],
      ['run', '-m', HOSTILE],
      ['tell', HOSTILE, 'x'],
      ['status', HOSTILE],
    ])
      inspect(await stage.ralph(...argv), argv.join(' '))
  })

  it('in a name of a folder, of a file, and in all that tells of a run there', async () => {
    const name = 'd\x1b]0;owned\x07\u202e\x9b2J\nralph: error: forged'
    const stage = setStage({
      calls: [[['file', 'f\x1b[2J', 'x'], DONE]],
      git: false,
    })
    mkdirSync(join(stage.project, name))
    const before = ['status', 'report', 'run -p x -m 1', 'status', 'status --json', 'report --json', 'report']
    const after = ['pause', 'tell hello', 'diff', 'undo --yes', 'doctor', 'gc --all --keep 0']
    for (const words of [...before, ...after]) {
      const [verb, ...rest] = words.split(' ')
      const where = verb === 'gc' ? [] : ['-C', name]
      const ran = await stage.withEnv({ ...stage.env, FORCE_COLOR: '1' }, verb!, ...where, ...rest)
      inspect(ran, words)
    }
  })
})
