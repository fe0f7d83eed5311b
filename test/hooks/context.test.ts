import { chmodSync, mkdirSync, readdirSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { scratch } from '../support/scratch.ts'
import { makeHooks } from './play.ts'

const STORIES = { RALPH_RUN: 'r', RALPH_WORKFLOW: 'stories', RALPH_STAGE: 'implement' }

const usage = (tokens: number, model = 'claude-opus-4-5') =>
  `${JSON.stringify({ type: 'assistant', message: { model, usage: { input_tokens: tokens } } })}\n`

/** A session: a transcript that can be written to, and the hook as claude calls it. */
function makeSession(env: Record<string, string> = {}) {
  const project = scratch()
  const transcript = join(project, 'transcript.jsonl')
  const hooks = makeHooks(env)
  const input = { session_id: 'abc-1', transcript_path: transcript, cwd: project }
  const write = (text: string) => writeFileSync(transcript, text, { flag: 'a' })
  write('')
  const call = (event: object, more?: Record<string, string>, run = hooks.call) => {
    const ran = run('context', { ...input, ...event }, more)
    const output = ran.answer?.hookSpecificOutput as Record<string, string> | undefined
    return { ...ran, output, said: output?.additionalContext ?? null }
  }
  const callTool = (more = {}, env?: Record<string, string>) =>
    call({ hook_event_name: 'PostToolUse', ...more }, env)
  return {
    project,
    tmp: hooks.tmp,
    transcript,
    write,
    callTool,
    /** As a process of its own. */
    spawn: () => call({ hook_event_name: 'PostToolUse' }, {}, hooks.spawn),
    start: (source: string, model?: string) => call({ hook_event_name: 'SessionStart', source, model }),
    /** The agent answers with so many tokens in its context, and calls a tool. */
    use(tokens: number, model?: string) {
      write(usage(tokens, model))
      return callTool().said
    },
  }
}

describe('the context hook', () => {
  it('alerts at each threshold, once', () => {
    const { use } = makeSession()
    const said = [10, 49, 50, 55, 60, 65, 70, 79, 80, 88, 90, 99].map(percent => use(percent * 2000))
    expect(said.map(text => text?.split(':', 1)[0] ?? '')).toEqual([
      '',
      '',
      'NOTICE',
      '',
      'NOTICE',
      '',
      'WARNING',
      '',
      'WARNING',
      '',
      'CRITICAL',
      '',
    ])
  })

  it('answers with additional context for the tool call', () => {
    const { write, spawn } = makeSession()
    write(usage(100_000))
    const { output, code, stderr } = spawn()
    expect(output).toEqual({
      hookEventName: 'PostToolUse',
      additionalContext: expect.stringMatching(/^NOTICE: 50%/),
    })
    expect([code, stderr]).toEqual([0, ''])
  })

  it('tells the highest of several thresholds that were passed at once, and none below it later', () => {
    const { use } = makeSession()
    expect(use(165_000)).toMatch(/^WARNING: 82%/)
    expect(use(125_000)).toBeNull()
    expect(use(181_000)).toMatch(/^CRITICAL/)
  })

  it.each(['startup', 'resume', 'clear', 'compact'])('tells again after a session start by %s', source => {
    const { use, start } = makeSession()
    expect(use(100_000)).toMatch(/^NOTICE/)
    expect(use(101_000)).toBeNull()
    expect(start(source)).toMatchObject({ code: 0, answer: null, stderr: '' })
    expect(use(102_000)).toMatch(/^NOTICE/)
  })

  it('does not count what was before a compaction', () => {
    const { use, write, callTool } = makeSession()
    use(185_000)
    write('{"type":"system","subtype":"compact_boundary"}\n')
    expect(callTool().said).toBeNull()
    expect(use(30_000)).toBeNull()
  })

  it('tells sessions apart', () => {
    const { use, callTool } = makeSession()
    expect(use(100_000)).toMatch(/^NOTICE/)
    expect(callTool({ session_id: '../other' }).said).toMatch(/^NOTICE/)
    expect(callTool({ session_id: '../other' }).said).toBeNull()
  })

  it('goes by the file’s size where the transcript counts nothing', () => {
    const { write, callTool } = makeSession()
    write('x'.repeat(399_999))
    expect(callTool().said).toBeNull()
    write('x')
    expect(callTool().said).toMatch(/^NOTICE: 50% of the context window is used \(100K of 200K tokens\)/)
    expect(callTool({}, { RALPH_CHARS_PER_TOKEN: '2.5' }).said).toMatch(/^WARNING: 80%/)
  })

  it('takes the window from CLAUDE_CONTEXT_WINDOW, else from the model', () => {
    const { use, callTool, write } = makeSession()
    expect(use(499_000, 'claude-opus-5-5')).toBeNull()
    expect(use(500_000, 'claude-opus-5-5')).toMatch(/^NOTICE: 50% .*\(500K of 1000K tokens\)/)
    write(usage(7000))
    expect(callTool({}, { CLAUDE_CONTEXT_WINDOW: '10000' }).said).toMatch(
      /^WARNING: 70% .*\(7K of 10K tokens\)/,
    )
  })

  it('knows the long window that a session was started with', () => {
    const { use, start } = makeSession()
    start('startup', 'claude-sonnet-4-6[1m]')
    expect(use(190_000, 'claude-sonnet-4-6')).toBeNull()
  })

  it('leaves subagents alone: their context is another one', () => {
    const { write, callTool } = makeSession()
    write(usage(150_000))
    expect(callTool({ agent_id: 'a1' }).said).toBeNull()
    expect(callTool().said).toMatch(/^WARNING/)
  })

  it('reads only the end of a large transcript', () => {
    const { transcript, write, callTool } = makeSession()
    truncateSync(transcript, 2 ** 33)
    write(`\n${usage(100_000)}`)
    expect(callTool().said).toMatch(/^NOTICE: 50%/)
  })

  it('finds the count behind a long line', () => {
    const { write, callTool } = makeSession()
    write(usage(100_000))
    write(`{"type":"user","text":"${'é'.repeat(3_000_000)}"}\n`)
    expect(callTool().said).toMatch(/^NOTICE: 50%/)
  })

  it.each([
    ['in a story loop', STORIES, true],
    ['in another run of ralph', { RALPH_RUN: 'r', RALPH_WORKFLOW: 'run' }, false],
    ['outside of a run', {}, false],
  ])('speaks of tasks.json only in a story loop: %s', (_, env, speaks) => {
    const { use } = makeSession(env as Record<string, string>)
    expect(use(190_000)?.includes('tasks.json')).toBe(speaks)
  })

  it('takes .ralph-active for a story loop outside of a run, and not within another', () => {
    const { project, use, callTool, start } = makeSession()
    writeFileSync(join(project, '.ralph-active'), '{}')
    expect(use(190_000)).toContain('tasks.json')
    start('startup')
    expect(callTool({}, { RALPH_RUN: 'r' }).said).not.toContain('tasks.json')
  })

  it('keeps what it remembers where nobody else can look, and for a week', () => {
    const { tmp, use, start } = makeSession()
    use(100_000)
    const [folder = ''] = readdirSync(tmp)
    expect(folder).toBe(`ralph-hooks-${process.getuid?.() ?? 0}`)
    expect(statSync(join(tmp, folder)).mode & 0o777).toBe(0o700)
    for (const name of ['old', 'new']) mkdirSync(join(tmp, folder, name))
    const then = Date.now() / 1000 - 8 * 24 * 3600
    utimesSync(join(tmp, folder, 'old'), then, then)
    start('startup')
    expect(readdirSync(join(tmp, folder)).sort()).toEqual(['abc-1', 'new'])
  })
})

describe('a context hook in trouble says what is wrong and holds nobody up:', () => {
  const failed = (what: RegExp) => ({
    code: 1,
    answer: null,
    stderr: expect.stringMatching(new RegExp(`^ralph: the context hook failed: ${what.source}\\n$`)),
  })

  it.each(['', 'no json'])('input %j', input => {
    expect(makeHooks().spawn('context', input)).toEqual(
      failed(/its standard input is not the JSON that claude .*/),
    )
  })

  it('a transcript that is not there', () => {
    expect(makeSession().callTool({ transcript_path: '/nowhere/t' })).toMatchObject(
      failed(/ENOENT.*\/nowhere\/t.*/),
    )
  })

  it('no session, no transcript', () => {
    const { callTool } = makeSession()
    expect(callTool({ session_id: undefined })).toMatchObject(failed(/claude named no session_id/))
    expect(callTool({ transcript_path: undefined })).toMatchObject(failed(/claude named no transcript_path/))
  })

  it('a number that is none', () => {
    const { callTool } = makeSession({ CLAUDE_CONTEXT_WINDOW: '200k' })
    expect(callTool()).toMatchObject(failed(/CLAUDE_CONTEXT_WINDOW must be a number above 0, not "200k"/))
  })

  it('a folder that others can write', () => {
    const { tmp, write, callTool } = makeSession()
    write(usage(150_000))
    const folder = join(tmp, `ralph-hooks-${process.getuid?.() ?? 0}`)
    mkdirSync(folder)
    chmodSync(folder, 0o777)
    expect(callTool()).toMatchObject(
      failed(/.*ralph-hooks-\d+ is not a private folder of yours; remove it, or set TMPDIR/),
    )
  })
})
