import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LIMITS } from '../../src/store/files/read.ts'
import { scratch } from '../support/scratch.ts'
import { makeHooks } from './play.ts'

/** The hooks of an agent, and the file that ralph made for what they note. */
function setScene() {
  const dir = scratch()
  const file = join(dir, 'activity.ndjson')
  const transcript = join(dir, 'transcript.jsonl')
  for (const path of [file, transcript]) writeFileSync(path, '', { mode: 0o600 })
  const hooks = makeHooks({ RALPH_RUN: 'r', RALPH_ACTIVITY: file })
  const about = { session_id: 's', transcript_path: transcript, cwd: dir }
  const bash = (command: string) => ({
    ...about,
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_use_id: 'toolu_1',
    tool_input: { command },
  })
  return {
    dir,
    file,
    about,
    bash,
    ...hooks,
    notes: () =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map(line => JSON.parse(line)),
  }
}

describe('the hooks of an agent whose stream ralph cannot read', () => {
  it('note when a command begins, when a tool has ended and when the agent stops', () => {
    const { call, about, bash, notes } = setScene()
    const edit = { tool_name: 'Edit', tool_use_id: 'toolu_2', tool_input: { file_path: '/p/a.ts' } }
    expect(call('pre-tool-use', bash('npm test'))).toEqual({ code: 0, answer: null, stderr: '' })
    call('context', { ...about, hook_event_name: 'SessionStart', source: 'startup' })
    call('context', { ...about, hook_event_name: 'PostToolUse', agent_id: 'a1', ...edit })
    call('stop', { ...about, hook_event_name: 'Stop' })
    expect(notes()).toEqual([
      {
        hook_event_name: 'PreToolUse',
        tool_name: 'Bash',
        tool_use_id: 'toolu_1',
        tool_input: { command: 'npm test' },
      },
      { hook_event_name: 'SessionStart', tool_input: {} },
      { hook_event_name: 'PostToolUse', agent_id: 'a1', ...edit },
      { hook_event_name: 'Stop', tool_input: {} },
    ])
  })

  it('note no command that they deny', () => {
    const { spawn, bash, notes } = setScene()
    expect(spawn('pre-tool-use', bash('rm -rf ~')).answer).toMatchObject({
      hookSpecificOutput: { permissionDecision: 'deny' },
    })
    expect(notes()).toEqual([])
  })

  it('note a little of a large input, and nothing in a file that is full', () => {
    const { call, bash, notes, file } = setScene()
    const args = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`k${i}`, 'x'.repeat(10_000)]))
    call('pre-tool-use', {
      ...bash('true'),
      tool_input: { command: `echo ${'x'.repeat(1e5)}`, list: [1], ...args },
    })
    expect(statSync(file).size).toBeLessThan(6000)
    expect(notes()[0].tool_input.command).toBe(`echo ${'x'.repeat(195)}`)
    truncateSync(file, LIMITS.small)
    expect(call('pre-tool-use', bash('npm test'))).toEqual({ code: 0, answer: null, stderr: '' })
    expect(statSync(file).size).toBe(LIMITS.small)
  })

  it.each([
    ['is not there', () => {}],
    ['is a link', (path: string, other: string) => symlinkSync(other, path)],
    ['is a pipe that nobody reads', (path: string) => void spawnSync('mkfifo', [path])],
  ])('make nothing, say nothing and wait for nobody where the file %s', (_, put) => {
    const { spawn, bash, dir } = setScene()
    const [path, other] = [join(dir, 'named'), join(dir, 'other')]
    writeFileSync(other, '')
    put(path, other)
    const wasThere = existsSync(path)
    expect(spawn('pre-tool-use', bash('npm test'), { RALPH_ACTIVITY: path })).toEqual({
      code: 0,
      answer: null,
      stderr: '',
    })
    expect([existsSync(path), readFileSync(other, 'utf8')]).toEqual([wasThere, ''])
  })

  it('judge as always, whatever claude gives them to note', () => {
    const { call, spawn, bash, about } = setScene()
    for (const odd of [{ tool_input: 7 }, { tool_input: null }, { tool_name: [], tool_use_id: {} }])
      expect(call('context', { ...about, hook_event_name: 'PostToolUse', ...odd }).code).toBe(0)
    expect(spawn('pre-tool-use', bash('rm -rf ~')).answer).not.toBeNull()
  })
})
