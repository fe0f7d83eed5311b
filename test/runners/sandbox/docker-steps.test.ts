import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Command } from '../../../src/core/ports.ts'
import { recordStart } from '../../../src/git/start.ts'
import { openDockerSandbox } from '../../../src/host/docker/docker.ts'
import { openDockerPlace } from './docker-place.ts'

/** The sandbox of a place, and one way to run a command in it as the process runner does. */
async function openSandbox(place: ReturnType<typeof openDockerPlace>, run = 'one') {
  const { project, env } = place
  const start = (await recordStart(project, env))!
  const warnings: string[] = []
  mkdirSync(place.at('run'), { recursive: true })
  const sandbox = openDockerSandbox({
    home: place.at('home/.ralph'),
    run,
    project,
    sessions: project,
    start,
    agents: ['claude'],
    plugin: null,
    allowedDomains: () => ['example.org'],
    own: ['ANTHROPIC_API_KEY'],
    pass: [],
    env,
    gitEnv: env,
    runDir: place.at('run'),
    warn: note => warnings.push(note),
    // Short enough for calls that never end.
    times: { quick: 4000, create: 6000, exec: 6000, stop: 4000 },
  })
  let calls = 0
  return {
    sandbox,
    warnings,
    async sh(script: string): Promise<number | null> {
      const call = `call.${++calls}`
      const command: Command = { argv: ['sh', '-c', script], cwd: project, env, stdin: '' }
      try {
        const { argv, cwd, env: own } = await sandbox.wrap(command, call, {})
        const child = spawn(argv[0]!, argv.slice(1), { cwd, env: own, stdio: 'ignore' })
        const [code] = await once(child, 'exit')
        return code
      } finally {
        await sandbox.after!(call)
      }
    },
  }
}

/** The calls of sbx until a command has run, and what is said if one fails. */
const STEPS: [string, string][] = [
  ['ls', 'sandbox docker: sbx ls failed: no luck'],
  ['policy init', 'sandbox docker: sbx policy init failed: no luck'],
  ['create', 'sandbox docker: sbx create failed: no luck'],
  ['policy allow', 'sandbox docker: sbx policy allow failed: no luck'],
  ['secret set', 'sandbox docker: sbx secret set failed: no luck'],
  ['exec ralph-prepare', 'sandbox docker: sbx exec ralph-prepare failed: no luck'],
  ['exec ralph-take', 'sandbox docker: sbx exec ralph-take failed: no luck'],
  ['exec ralph-put', 'sandbox docker: sbx exec ralph-put failed: no luck'],
]

test.each(STEPS)('if sbx %s fails, nothing is done, and the next try goes on', async (step, said) => {
  const place = openDockerPlace('')
  place.write('mine.txt', 'mine\n')
  place.plan({ [step]: 'no luck' })
  const first = await openSandbox(place)
  await expect(first.sh('echo x > made.txt')).rejects.toThrow(said)
  expect([place.read('made.txt'), place.read('mine.txt')]).toEqual([null, 'mine\n'])
  place.plan({})
  const second = await openSandbox(place)
  expect(await second.sh('cat mine.txt > made.txt')).toBe(0)
  expect(place.read('made.txt')).toBe('mine\n')
  expect([...first.warnings, ...second.warnings]).toEqual([])
  await second.sandbox.close()
})

test('if it has done its work and fails all the same, the next try goes on too', async () => {
  for (const step of ['create', 'exec ralph-put', 'exec ralph-take']) {
    const place = openDockerPlace('')
    place.write('mine.txt', 'mine\n')
    place.plan({ [step]: 'late no luck' })
    await expect((await openSandbox(place)).sh('true')).rejects.toThrow('no luck')
    place.plan({})
    const second = await openSandbox(place)
    expect(await second.sh('cat mine.txt > made.txt')).toBe(0)
    expect([place.read('made.txt'), place.read('mine.txt'), second.warnings]).toEqual([
      'mine\n',
      'mine\n',
      [],
    ])
  }
})

test('a call that never ends is given up, in one line', async () => {
  const place = openDockerPlace('')
  place.plan({ diagnose: 'hang', 'policy allow': 'hang' })
  await expect((await openSandbox(place)).sh('true')).rejects.toThrow(
    'sandbox docker: sbx policy allow did not answer within 4s',
  )
})

test('work that cannot be fetched stays inside, and the next try brings it', async () => {
  const place = openDockerPlace('')
  const first = await openSandbox(place)
  await first.sh('true')
  place.git('config', `remote.sandbox-${Object.keys(place.sandboxes())[0]}.url`, 'git://127.0.0.1:1/gone')
  await expect(first.sh('echo x > made.txt; git add made.txt; git commit -qm Made')).rejects.toThrow(
    /^sandbox docker: git fetch sandbox-\S+ failed: .*; what was done is still inside the sandbox ralph-/,
  )
  expect(place.read('made.txt')).toBeNull()
  const second = await openSandbox(place)
  await second.sandbox.recover!({})
  expect([place.read('made.txt'), place.git('log', '--format=%s')]).toEqual(['x\n', 'Made\nBegin'])
  expect(place.git('status', '--short')).toBe('')
  // What was undone here meanwhile is not brought again.
  place.git('reset', '-q', '--hard', 'HEAD~1')
  const third = await openSandbox(place)
  await third.sandbox.recover!({})
  expect(place.read('made.txt')).toBeNull()
  expect(await third.sh('test ! -e made.txt')).toBe(0)
})

test('removed files, links and modes come back; staged files stay staged', async () => {
  const place = openDockerPlace('')
  place.write('staged.txt', 'staged\n')
  place.git('add', 'staged.txt')
  const { sh, sandbox, warnings } = await openSandbox(place)
  expect(await sh('echo b >> a.txt; git commit -qam B')).toBe(0)
  expect([place.read('a.txt'), place.git('log', '--format=%s'), warnings]).toEqual(['a\nb\n', 'B\nBegin', []])
  expect(place.git('status', '--short')).toBe('A  staged.txt')
  expect(
    await sh(`rm a.txt; mkdir deep; echo '#!/bin/sh' > deep/tool; chmod +x deep/tool; ln -s deep/tool link
git add deep; git commit -qm Deep; echo more >> deep/tool`),
  ).toBe(0)
  expect(place.read('a.txt')).toBeNull()
  expect(place.git('status', '--short').split('\n')).toEqual([
    'D a.txt',
    ' M deep/tool',
    'A  staged.txt',
    '?? link',
  ])
  expect(place.git('ls-files', '-s', 'deep/tool')).toMatch(/^100755/)
  await sandbox.close()
})

test('a link inside leads to no file here', async () => {
  const place = openDockerPlace('')
  const { sh } = await openSandbox(place)
  await sh(`ln -s '${place.at('home')}' away`)
  await expect(sh('rm away; mkdir away; echo x > away/x.txt')).resolves.toBe(0)
  expect([place.read('away/x.txt'), existsSync(place.at('home/x.txt'))]).toEqual(['x\n', false])
})

test('what a command left running inside is ended, and one that is stopped gets its grace', async () => {
  const place = openDockerPlace('')
  const { sh, sandbox } = await openSandbox(place)
  await sh('(trap "" TERM; while :; do echo on >> ticks; sleep 0.1; done) & sleep 0.3')
  const ticks = await sh('test "$(wc -l < ticks)" = "$(sleep 0.5; wc -l < ticks)"')
  expect(ticks).toBe(0)
  const running = sh("trap 'echo bye > bye.txt; exit 0' TERM; touch up; while :; do sleep 0.1; done")
  const [name] = Object.keys(place.sandboxes())
  await expect.poll(() => existsSync(place.at(`state/${name}/clone/up`)), { timeout: 20_000 }).toBe(true)
  await sandbox.end!('call.3', 3000)
  await running
  expect(place.read('bye.txt')).toBe('bye\n')
})
