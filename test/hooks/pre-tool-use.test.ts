import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { ALLOW_VARIABLE, writeAllowlist } from '../../src/blocklist/allowlist.ts'

const HOOK = join(import.meta.dirname, '..', '..', 'plugin', 'hooks', 'pre-tool-use.js')
const RUN = { RALPH_RUN: '20260301-221530-k3f' }

const bash = (command: unknown, cwd?: string) =>
  JSON.stringify({ hook_event_name: 'PreToolUse', cwd, tool_name: 'Bash', tool_input: { command } })

type Ran = { code: number | null; stdout: string; stderr: string }

/** The hook as Claude Code starts it: with its input on a pipe. */
function run(input: string | string[], env: Record<string, string> = {}, deaf = false): Promise<Ran> {
  const child = spawn(process.execPath, [HOOK], { env, stdio: 'pipe' })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', data => {
    stdout += data
  })
  child.stderr.on('data', data => {
    stderr += data
  })
  if (deaf) child.stdout.destroy()
  child.stdin.on('error', () => {})
  const pieces = [input].flat()
  const feed = (at: number): void => {
    if (at === pieces.length) child.stdin.end()
    else child.stdin.write(pieces[at]!, () => setTimeout(feed, 30, at + 1))
  }
  feed(0)
  return new Promise(resolve => child.on('close', code => resolve({ code, stdout, stderr })))
}

const reasonIn = ({ stdout }: Ran) => JSON.parse(stdout).hookSpecificOutput

describe.each([
  ['in a run', RUN],
  ['elsewhere', {}],
])('%s', (_, env) => {
  it('denies a dangerous command, with a reason', async () => {
    const ran = await run(bash('cd src && rm -rf /'), env)
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(reasonIn(ran)).toEqual({
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: expect.stringContaining(
        'Denied: `rm -rf /`. This deletes a folder of the system',
      ),
    })
  })

  it.each(['rm -rf ../project', 'rm -rf /data/work/project'])(
    'denies %j in the folder that the input names',
    async command => {
      const denied = reasonIn(await run(bash(command, '/data/work/project'), env))
      expect(denied.permissionDecisionReason).toContain('This deletes the whole project')
      expect((await run(bash(command, '/data/work/other'), env)).stdout).toBe('')
    },
  )

  it('takes its own folder if the input names none', async () => {
    const ran = await run(bash(`rm -rf ${process.cwd()}`), env)
    expect(reasonIn(ran).permissionDecision).toBe('deny')
  })

  it.each([
    ['a harmless command', bash('rm -rf node_modules && npm ci')],
    ['another tool', JSON.stringify({ tool_name: 'Read', tool_input: { file_path: '/etc/shadow' } })],
    ['a tool without input', JSON.stringify({ tool_name: 'TodoWrite' })],
  ])('says nothing to %s', async (_, input) => {
    expect(await run(input, env)).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  it('judges a shell by another name, too', async () => {
    const input = JSON.stringify({
      tool_name: 'mcp__box__shell',
      tool_input: { command: 'mkfs.ext4 /dev/sda' },
    })
    expect(reasonIn(await run(input, env)).permissionDecision).toBe('deny')
  })

  it('reads input that comes in pieces', async () => {
    const whole = bash('rm -rf /')
    expect(reasonIn(await run([whole.slice(0, 20), whole.slice(20)], env)).permissionDecision).toBe('deny')
  })

  it('lets pass what the allowlist names, and no more', async () => {
    const given = { ...env, [ALLOW_VARIABLE]: writeAllowlist(['npm publish']) }
    expect((await run(bash('npm publish'), given)).stdout).toBe('')
    expect(reasonIn(await run(bash('npm publish --force'), given)).permissionDecision).toBe('deny')
  })

  it('blocks by its exit code where nobody takes its answer', async () => {
    const ran = await run(['', bash('rm -rf /')], env, true)
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('Denied: `rm -rf /`') })
  })
})

describe('what it cannot judge', () => {
  const broken: [string, string, Record<string, string>, string][] = [
    ['no JSON', 'rm', {}, 'what the hook was given is not JSON'],
    ['nothing', '', {}, 'what the hook was given is not JSON'],
    ['half of it', bash('ls').slice(0, -3), {}, 'what the hook was given is not JSON'],
    ['a list', '[]', {}, 'what the hook was given names no tool_name'],
    ['a command that is no text', bash(['rm']), {}, 'a call of Bash without a command'],
    ['a broken allowlist', bash('ls'), { [ALLOW_VARIABLE]: '["x"' }, 'RALPH_ALLOW is not JSON'],
    [
      'an allowlist of numbers',
      bash('ls'),
      { [ALLOW_VARIABLE]: '[1]' },
      'RALPH_ALLOW is not a JSON list of texts',
    ],
  ]

  test.each(broken)('in a run, %s is denied with the reason', async (_, input, env, why) => {
    const ran = await run(input, { ...RUN, ...env })
    expect(ran.code).toBe(0)
    expect(reasonIn(ran)).toMatchObject({
      permissionDecision: 'deny',
      permissionDecisionReason: `ralph's blocklist could not judge this call: ${why}. In a run of ralph it is denied; try a simpler call.`,
    })
  })

  test.each(broken)('elsewhere, %s passes, and it says why', async (_, input, env, why) => {
    expect(await run(input, env)).toEqual({
      code: 1,
      stdout: '',
      stderr: `ralph's blocklist could not judge this call: ${why}. Nothing was denied.\n`,
    })
  })
})
