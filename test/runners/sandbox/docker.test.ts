import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../../support/until.ts'
import { CLAUDE, openDockerPlace, promised } from './docker-place.ts'

const WORK = `${CLAUDE}echo "$SANDBOX_NAME" > where.txt
printf 'more\\n' >> work.txt
answer '<response>DONE</response>'`

const run = (...more: string[]) => ['run', '-p', 'Work', '--sandbox', '-a', 'claude', ...more]

/** Begins a run, and kills ralph once its agent says that it has worked. */
async function killAtWork(place: ReturnType<typeof openDockerPlace>, ...more: string[]): Promise<void> {
  const started = place.start(run(...more))
  const name = await until(() => Object.keys(place.sandboxes())[0])
  await until(() => existsSync(place.at(`state/${name}/home/ready`)))
  started.kill('SIGKILL')
  await started.ended
}

test('the first run makes the sandbox, works in it, and brings the work back', async () => {
  const place = openDockerPlace(WORK)
  place.write('a.txt', 'a\nmine\n')
  place.write('new.txt', 'mine\n')
  place.write('.env', 'SECRET=1\n')
  const { code, stdout, stderr } = await place.run(
    run('--check', 'grep -q mine a.txt && test -s new.txt && ! test -e .env && test -s work.txt'),
  )
  expect(stderr).not.toContain('unprotected')
  expect(stdout).toContain('sandbox  docker (experimental)')
  expect([code, stdout]).toEqual([0, expect.stringContaining('done, verified')])
  expect(place.read('work.txt')).toBe('more\n')
  expect(place.read('where.txt')).toBe(`${Object.keys(place.sandboxes())[0]}\n`)
  expect(place.git('status', '--short').split('\n')).toEqual([
    'M a.txt',
    '?? new.txt',
    '?? where.txt',
    '?? work.txt',
  ])
  const check = promised('check')
  const put = promised('agent').slice(0, 1)
  expect(place.calls()).toEqual([
    ...promised('start'),
    ...promised('create'),
    ...put,
    ...check,
    // Nothing has changed since.
    ...promised('agent').slice(1),
    ...check,
    ...promised('end'),
  ])
})

test('a later run uses it again, with what was ignored inside', async () => {
  const place = openDockerPlace(
    `${CLAUDE}echo x >> built; wc -l < built | tr -d ' ' > count.txt; answer '<response>DONE</response>'`,
  )
  await place.run(run('--once'))
  place.calls()
  place.write('a.txt', 'changed here\n')
  const { code } = await place.run(run('--once'))
  expect(code).toBe(0)
  expect(place.read('count.txt')).toBe('2\n')
  expect(existsSync(join(place.project, 'built'))).toBe(false)
  expect(place.calls()).toEqual([
    ...promised('start'),
    ...promised('reuse'),
    ...promised('agent'),
    ...promised('end'),
  ])
})

test('a resumed run takes what a killed one left inside, after a restart, and what was edited here goes in', async () => {
  const place =
    openDockerPlace(`${CLAUDE}if test -e second; then cat edited.txt > seen.txt; answer '<response>DONE</response>'; exit; fi
echo half > half.txt; git add half.txt; git commit -qm Half; echo loose > loose.txt; touch ${'$HOME'}/ready; sleep 60`)
  await killAtWork(place, '-m', '3')
  expect([place.read('half.txt'), place.read('loose.txt')]).toEqual([null, null])
  place.calls()
  place.write('edited.txt', 'edited here\n')
  place.write('second', '')
  const { code, stderr } = await place.run(['resume'])
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('error')])
  expect([place.read('half.txt'), place.read('loose.txt')]).toEqual(['half\n', 'loose\n'])
  expect(place.read('seen.txt')).toBe('edited here\n')
  expect(place.git('log', '--format=%s')).toBe('Half\nBegin')
  expect(place.calls().slice(0, promised('restart').length)).toEqual(promised('restart'))
})

test('if another run begins instead, what was inside is kept, and named', async () => {
  const place = openDockerPlace(`${CLAUDE}if test -e second; then answer '<response>DONE</response>'; exit; fi
echo half > half.txt; touch $HOME/ready; sleep 60`)
  await killAtWork(place)
  place.write('second', '')
  const { stderr } = await place.run(run('--once'))
  const ref = /kept as (refs\/ralph\/sandbox\/\S+)/.exec(stderr)![1]!
  expect(place.git('show', `${ref}:half.txt`)).toBe('half')
  expect(place.read('half.txt')).toBeNull()
})

test('a file that changed on both sides stays as it is here; the other is kept', async () => {
  const place = openDockerPlace('')
  place.write('.env', 'MINE=1\n')
  place.addProgram(
    'claude',
    `${CLAUDE}echo theirs > a.txt; echo theirs > b.txt; echo theirs > .env; git add -f .env; git commit -qm Sly
echo mine > '${place.project}/a.txt'; answer '<response>DONE</response>'`,
  )
  const { stderr } = await place.run(run('--once'))
  expect([place.read('a.txt'), place.read('b.txt'), place.read('.env')]).toEqual([
    'mine\n',
    'theirs\n',
    'MINE=1\n',
  ])
  const [, ref, paths] = /yours stays, the other is kept as (\S+):\s+(.*)\n/.exec(stderr)!
  expect(paths).toBe('.env, a.txt')
  expect(place.git('show', `${ref}:a.txt`)).toBe('theirs')
})

test('a file whose name begins with a colon comes back like any other', async () => {
  const place = openDockerPlace(
    `${CLAUDE}echo odd > ':odd.txt'; echo more > b.txt; answer '<response>DONE</response>'`,
  )
  const { code } = await place.run(run('--once'))
  expect([code, place.read(':odd.txt'), place.read('b.txt')]).toEqual([0, 'odd\n', 'more\n'])
})

test('commits that do not continue the branch are kept, and no branch is moved', async () => {
  const place = openDockerPlace(
    `${CLAUDE}git checkout -q --orphan other; echo more > b.txt; git add .; git commit -qm Other; answer '<response>DONE</response>'`,
  )
  const { code, stderr } = await place.run(run('--once'))
  expect(code).toBe(0)
  expect(place.read('b.txt')).toBe('more\n')
  expect(place.git('log', '--format=%s')).toBe('Begin')
  const ref = /commits of the sandbox are kept as (\S+),/.exec(stderr)![1]!
  expect(place.git('log', '--format=%s', ref)).toBe('Other')
})

test('ralph puts protected files back and commits outside, without the hooks', async () => {
  const place = openDockerPlace(
    `${CLAUDE}cat guarded.txt >> seen.txt; test -e once || { touch once; echo weak > guarded.txt; }; answer 'Again'`,
  )
  place.write('guarded.txt', 'strict\n')
  const scm = { command: 'git', tasks: ['commit'] }
  place.write('.ralph/settings.json', JSON.stringify({ protect: ['guarded.txt'], scm }))
  place.git('add', '.')
  place.git('commit', '-qm', 'Guard')
  place.write('.git/hooks/pre-commit', `#!/bin/sh\ntouch '${place.at('hooked')}'\n`)
  const { stdout } = await place.run(run('-m', '2', '--trust', '-c', ''))
  expect(stdout).toContain('guarded.txt')
  // The second iteration, and the question for a message, saw it as it was put back.
  expect(place.read('seen.txt')).toBe('strict\n'.repeat(3))
  expect(place.git('log', '--format=%s')).toBe('Again\nGuard\nBegin')
  expect(place.git('show', '--format=', '--name-only', 'HEAD').split('\n')).toEqual(
    expect.arrayContaining(['once', 'seen.txt']),
  )
  expect(existsSync(place.at('hooked'))).toBe(false)
})

test('an agent that takes too long is asked to end inside, and what it did comes back', async () => {
  const place = openDockerPlace(
    `${CLAUDE}trap 'echo bye > bye.txt; exit 1' TERM; echo begun > begun.txt; while :; do sleep 0.1; done`,
  )
  await place.run(run('--once', '--iteration-timeout', '4'))
  expect([place.read('begun.txt'), place.read('bye.txt')]).toEqual(['begun\n', 'bye\n'])
  expect(place.calls().slice(-4)).toEqual([
    ...promised('stop'),
    ...promised('agent').slice(2),
    ...promised('end'),
  ])
})

test('the key stays outside, and nothing of the machine here goes in', async () => {
  const place = openDockerPlace(`${CLAUDE}env | sort > env.txt; answer '<response>DONE</response>'`)
  await place.run(run('--once'), {
    GOPATH: '/go',
    HTTP_PROXY: 'http://proxy',
    TZ: 'UTC',
    MY_TOKEN: 'secret',
    CLAUDE_CODE_MAX: '1',
  })
  const inside = place.read('env.txt')!
  expect(inside).not.toContain('the-real-key')
  expect(inside).toContain('TZ=UTC')
  expect(inside).toContain('CLAUDE_CODE_MAX=1')
  expect(inside).not.toMatch(/GOPATH|HTTP_PROXY|MY_TOKEN|RALPH_HOME|ANTHROPIC_API_KEY/)
  const [sandbox] = Object.values(place.sandboxes())
  expect(sandbox!.secrets).toEqual({ anthropic: 'sk-ant-api03-the-real-key' })
  expect(sandbox!.allowed).toContain('api.anthropic.com')
})

test.each([
  ['with spaces and ümläuts', 'pro jekt/mit Umläuten & 「日本」'],
  ['with quotes and signs', `it's "$HOME"; *`],
  ['that is very long', `${'x'.repeat(200)}/${'y'.repeat(200)}/${'z'.repeat(200)}`],
])('a project path %s', async (_, folder) => {
  const place = openDockerPlace(WORK, folder)
  const { code, stderr } = await place.run(run('--check', 'test -s work.txt'))
  expect([code, stderr]).toEqual([0, ''])
  expect(place.read('work.txt')).toBe('more\n')
})
