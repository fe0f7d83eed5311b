import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CLAUDE, openDockerPlace, promised } from './docker-place.ts'

const DONE = `${CLAUDE}answer '<response>DONE</response>'`
const run = ['run', '-p', 'Work', '--once', '-a', 'claude']
const said = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

test('check docker tries each step for real, and only then does auto choose it, for this version', async () => {
  const place = openDockerPlace(DONE)
  const before = await place.run([...run, '--sandbox=auto'])
  expect(before.stdout).not.toContain('sandbox  docker')
  const { code, stdout } = await place.run(['sandbox', 'check', 'docker'])
  expect([code, stdout.split('\n')]).toEqual([
    0,
    [
      '  ok      sbx answers and is in order',
      '  ok      a sandbox is made, and a command runs in it',
      '  ok      claude is there',
      '  ok      uncommitted files go in, ignored ones do not',
      '  ok      files and commits come back',
      '  ok      after a stop, what was edited here is there',
      '  ok      a host that is not allowed cannot be reached',
      'docker works here with sbx 0.46.0; from now on, `auto` chooses it',
      '',
    ],
  ])
  expect(place.sandboxes()).toEqual({})
  const after = await place.run([...run, '--sandbox=auto'])
  expect(after.stdout).toContain('sandbox  docker (experimental)')
  writeFileSync(place.at('state/version'), 'v0.47.0')
  const newer = await place.run([...run, '--sandbox=auto'])
  expect(newer.stdout).not.toContain('sandbox  docker')
})

test.each([
  ['diagnose', 'no luck', 'sbx answers and is in order: sbx diagnose failed: no luck'],
  ['create', 'no luck', 'a command runs in it: sandbox docker: sbx create failed: no luck'],
  ['exec ralph-take', 'no luck', 'a command runs in it: sandbox docker: sbx exec ralph-take failed: no luck'],
  ['stop', 'no luck', 'what was edited here is there'],
  ['policy check', 'permission denied: the socket of sbx', 'the policy of sbx allows every host'],
])(
  'check docker names the step at which sbx %s fails with %s, and is not remembered',
  async (step, failure, why) => {
    const place = openDockerPlace(DONE)
    place.plan({ [step]: failure })
    const { code, stdout } = await place.run(['sandbox', 'check', 'docker'])
    expect([code, said(stdout)]).toEqual([1, expect.stringContaining(why)])
    expect(stdout).toContain('docker does not work here')
    expect(existsSync(place.at('home/.ralph/cache/sandbox-docker.json'))).toBe(false)
    expect(place.sandboxes()).toEqual({})
  },
)

test('setup, ls, stop and rm look after the sandbox of a project', async () => {
  const place = openDockerPlace(DONE)
  expect((await place.run(['sandbox', 'ls'])).stdout).toBe('ralph made no sandboxes\n')
  const missing = await place.run(['sandbox', 'stop'])
  expect([missing.code, said(missing.stderr)]).toEqual([
    2,
    'ralph: error: this project has no sandbox; ralph sandbox ls shows those there are',
  ])
  const setup = await place.run(['sandbox', 'setup'])
  const [name = ''] = Object.keys(place.sandboxes())
  expect([setup.code, setup.stdout]).toEqual([
    0,
    expect.stringContaining(`the sandbox ${name} is ready, for claude`),
  ])
  expect((await place.run(['sandbox', 'ls'])).stdout).toBe(`${name}  stopped  claude  ${place.project}\n`)
  await place.run([...run, '--sandbox'])
  expect((await place.run(['sandbox', 'stop'])).code).toBe(0)
  place.calls()
  const removed = await place.run(['sandbox', 'rm'])
  expect([removed.code, removed.stdout, removed.stderr]).toEqual([0, `${name} is removed\n`, ''])
  expect(place.calls()).toEqual(promised('rm'))
  expect([place.sandboxes(), place.git('for-each-ref', 'refs/ralph')]).toEqual([{}, ''])
})

test('stop says so of a sandbox that somebody has removed', async () => {
  const place = openDockerPlace(DONE)
  await place.run(['sandbox', 'setup'])
  const [name = ''] = Object.keys(place.sandboxes())
  await place.run(['sandbox', 'stop', name])
  rmSync(place.at('state'), { recursive: true })
  mkdirSync(place.at('state'))
  const { code, stdout } = await place.run(['sandbox', 'stop', name])
  expect([code, stdout]).toEqual([0, `${name} is gone: sbx does not list it\n`])
})

test('rm keeps work that is only inside, and refuses to lose it', async () => {
  const place = openDockerPlace(DONE)
  await place.run([...run, '--sandbox'])
  const [name = ''] = Object.keys(place.sandboxes())
  writeFileSync(place.at(`state/${name}/clone/only-inside.txt`), 'precious\n')
  place.plan({ 'exec ralph-take': 'no luck' })
  const refused = await place.run(['sandbox', 'rm'])
  expect([refused.code, said(refused.stderr)]).toEqual([
    1,
    `ralph: error: sbx exec ralph-take failed: no luck; to remove ${name} all the same, with what is in it: ralph sandbox rm --force ${name}`,
  ])
  expect(Object.keys(place.sandboxes())).toEqual([name])
  place.plan({})
  const { code, stderr } = await place.run(['sandbox', 'rm'])
  const ref = /kept as (\S+)/.exec(said(stderr))![1]!
  expect([code, place.git('show', `${ref}:only-inside.txt`)]).toEqual([0, 'precious'])
})

test('the sandbox of a project that is gone is listed, and removed only by force', async () => {
  const place = openDockerPlace(DONE)
  await place.run(['sandbox', 'setup'])
  const [name = ''] = Object.keys(place.sandboxes())
  renameSync(place.project, place.at('moved'))
  const elsewhere = { ...place.env }
  const here = (args: string[]) => place.run(['sandbox', ...args], elsewhere, place.at('home'))
  expect((await here(['ls'])).stdout).toContain(place.project)
  const refused = await here(['rm', name])
  expect([refused.code, said(refused.stderr)]).toEqual([2, expect.stringContaining('is gone, so what is in')])
  expect((await here(['rm', '--force', name])).code).toBe(0)
  expect((await here(['ls'])).stdout).toBe('ralph made no sandboxes\n')
})

test('a sandbox made for another agent is refused, with the way out', async () => {
  const place = openDockerPlace(DONE)
  place.addProgram('codex', 'true')
  await place.run(['sandbox', 'setup', '-a', 'codex'])
  const { code, stdout, stderr } = await place.run([...run, '--sandbox'])
  expect([code, said(stdout + stderr)]).toEqual([
    1,
    expect.stringContaining('was made for codex, not for claude; remove it with: ralph sandbox rm'),
  ])
})

test('a shell needs a terminal, and help says where to learn about sbx', async () => {
  const place = openDockerPlace(DONE)
  const { code, stderr } = await place.run(['sandbox', 'shell'])
  expect([code, stderr]).toEqual([2, expect.stringContaining('needs a terminal')])
  const help = await place.start(['sandbox', '--help']).ended
  expect(help.stdout).toContain('https://docs.docker.com/ai/sandboxes/')
  expect(readFileSync(join(import.meta.dirname, '../../../docs/sandbox-docker.md'), 'utf8')).toContain(
    'https://docs.docker.com/reference/cli/sbx/',
  )
})
