import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { custom } from '../../src/agents/index.ts'
import { CannotGoOn } from '../../src/core/ports.ts'
import { agentCaller } from '../../src/host/agents/call.ts'
import { processRunner } from '../../src/runners/process/process.ts'
import { scratch } from '../support/scratch.ts'

const CALL = { id: 1, agent: 'sh', prompt: 'x', budgetUsd: null, marks: {}, about: {} }

/** Calls a shell that does this; its files go where `folderFor` says. */
function setCall(
  script: string,
  folderFor: () => string,
  { mode = 'stream', plain }: { mode?: 'stream' | 'text'; plain?: true } = { plain: true },
) {
  const runner = processRunner({ run: 'call-test', graceMs: 100 })
  onTestFinished(() => runner.close())
  const { plain: _, ...bare } = custom(['sh', '-c', script])
  const agent = { ...bare, ...(plain && { plain }) }
  const keep = <T>(path: string, act: (entry: string) => T): T => {
    try {
      return act(path)
    } catch (cause) {
      throw new CannotGoOn(`cannot write to ${path}`, { cause })
    }
  }
  return agentCaller({
    runner,
    session: {
      ensureFolder: () => {},
      folderFor,
      keep,
      shown: path => path,
      logCall: () => {},
      numberOf: id => id,
    },
    callable: () => ({
      agent,
      able: {} as never,
      env: { PATH: process.env.PATH ?? '' },
      ask: { mode } as never,
      estimate: () => null,
    }),
    programFolders: [],
    now: Date.now,
    warn: () => {},
  })
}

it.each([
  ['claude', 'claude/claude-2.1.325-err-bad-flag.stderr.txt', '', "error: unknown option '--no-such-flag'"],
  ['codex', 'codex/codex-0.166.0-full-auto.stderr.txt', '', "error: unexpected argument '--full-auto' found"],
  ['an agent whose tool says so', 'claude/claude-2.1.325-err-bad-flag.stderr.txt', 'echo hello;', null],
])('%s that refuses a flag cannot be used', async (_, recording, says, note) => {
  const dir = scratch()
  const errors = join(import.meta.dirname, '..', 'recordings', recording)
  const call = setCall(`${says} cat '${errors}' >&2; exit 1`, () => dir)
  const { live, end } = await call({ ...CALL, cwd: dir }, { event: () => {}, activity: () => {} })
  const unusable = end(await live.exit).filter(event => event.type === 'unusable')
  expect(unusable).toEqual(note === null ? [] : [{ type: 'unusable', note }])
})

it('an agent whose files cannot be made is stopped before it has worked', async () => {
  const dir = scratch()
  writeFileSync(join(dir, 'occupied'), '')
  const call = setCall('echo hello; sleep 0.5; echo worked > worked', () => join(dir, 'occupied'))
  const heard: unknown[] = []
  const listener = { event: (event: unknown) => heard.push(event), activity: () => {} }
  await expect(call({ ...CALL, cwd: dir }, listener)).rejects.toThrow(/occupied\/prompt.txt/)
  await delay(800)
  expect([existsSync(join(dir, 'worked')), heard]).toEqual([false, []])
})

it.each([
  ['no event stream', undefined, { plain: true }, true],
  ['its stream turned off', 'text', {}, true],
  ['an event stream', undefined, {}, false],
] as const)('an agent with %s gets a file for its hooks, or none', async (_, mode, more, isNamed) => {
  const dir = scratch()
  const call = setCall('printenv RALPH_ACTIVITY > named || echo none > named', () => dir, {
    mode: mode ?? 'stream',
    ...more,
  })
  const { live, end } = await call({ ...CALL, cwd: dir }, { event: () => {}, activity: () => {} })
  end(await live.exit)
  expect(readFileSync(join(dir, 'named'), 'utf8')).toBe(isNamed ? `${dir}/activity.ndjson\n` : 'none\n')
})

it('what hooks say of a step is no part of an answer to a question', async () => {
  const dir = scratch()
  const call = setCall('printenv RALPH_ACTIVITY > named || echo none > named', () => dir)
  const { live, end } = await call(
    { ...CALL, role: 'judge', cwd: dir },
    { event: () => {}, activity: () => {} },
  )
  end(await live.exit)
  expect(readFileSync(join(dir, 'named'), 'utf8')).toBe('none\n')
})
