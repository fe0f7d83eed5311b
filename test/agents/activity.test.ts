import { describe, expect, it } from 'vitest'
import { activityReader } from '../../src/agents/claude/activity.ts'

const note = (event: string, id?: string, more: object = {}) =>
  JSON.stringify({
    hook_event_name: event,
    tool_use_id: id,
    tool_name: 'Bash',
    tool_input: { command: 'npm test' },
    ...more,
  })

const began = (id: string, more: object = {}) => ({
  type: 'tool',
  id,
  name: 'Bash',
  summary: 'npm test',
  by: 'hooks',
  ...more,
})
const over = (id: string) => ({ type: 'toolResult', id, ok: true, output: '', by: 'hooks' })

const readAll = (...lines: string[]) => lines.flatMap(activityReader())

describe('what the hooks of a claude tell', () => {
  it('is when a command began and ended', () => {
    expect(readAll(note('PreToolUse', '1'), note('PostToolUse', '1'))).toEqual([began('1'), over('1')])
  })

  it('is of any other tool that it was used', () => {
    const edit = { tool_name: 'Edit', tool_input: { file_path: 'a.ts' } }
    expect(readAll(note('PostToolUse', '1', edit))).toEqual([
      began('1', { name: 'Edit', summary: 'a.ts' }),
      over('1'),
    ])
  })

  it.each([
    ['the next command begins', note('PreToolUse', '2'), [over('1'), began('2')]],
    ['the next tool has ended', note('PostToolUse', '2'), [over('1'), began('2'), over('2')]],
    ['the agent stops', note('Stop'), [over('1')]],
  ])('ends a command that failed, which no hook is told of, when %s', (_, line, then) => {
    expect(readAll(note('PreToolUse', '1'), line)).toEqual([began('1'), ...then])
  })

  it('keeps a command open while subagents work, and theirs apart', () => {
    const sub = { agent_id: 'a1' }
    expect(
      readAll(note('PreToolUse', '1'), note('PreToolUse', '2', sub), note('PostToolUse', '2', sub)),
    ).toEqual([began('1'), began('2', { from: 'subagent' }), over('2')])
  })

  it.each([
    '',
    'text',
    '[]',
    '{',
    'null',
    '{}',
    '{"type":"result","result":"DONE"}',
    note('PreToolUse'),
    note('PreToolUse', undefined, { tool_use_id: 7 }),
    note('Ended', '1'),
    note('SessionStart', '1', { model: 'm' }),
  ])('is nothing else, whatever the line is: %s', line => {
    expect(readAll(line)).toEqual([])
  })
})
