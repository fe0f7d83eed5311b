import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { attempts, BUILD, DONE, foundIn as found, missing, once, openPlace, serve, TASKS } from './place.ts'

describe.skipIf(missing !== null)(`in the sandbox srt${missing === null ? '' : ` (${missing})`}`, () => {
  test('nothing of the sandbox is left in the project or among temporary files', async () => {
    const place = openPlace("cat > /dev/null\necho 2 > b\necho '<response>DONE</response>'\n")
    await place.ready()
    const ran = await place.ralph(once())
    expect(ran.code, ran.stdout + ran.stderr).toBe(0)
    expect(ran.stderr).not.toContain('unprotected')
    expect(ran.stdout).toContain('sandbox')
    // What srt itself leaves behind would be in the way of every later `git add -A`.
    const status = await place.run(['git', 'status', '--porcelain', '--ignored'])
    expect(status.stdout.split('\n').filter(line => !/ b$|\.ralph/.test(line))).toEqual([''])
    expect(readdirSync(place.at('tmp'))).toEqual([])
  })

  test('it reaches the hosts that are allowed, and is told of one that is not', async () => {
    const [open, closed] = [await serve('127.0.0.1'), await serve('127.0.0.2')]
    const get = (url: string) => `curl -sS -m 10 ${url}`
    const place = openPlace(
      `cat > "prompt-$(ls prompt-* 2>/dev/null | wc -l)"\n${attempts({
        open: get(`http://127.0.0.1:${open.port}/`),
        closed: get(`http://127.0.0.2:${closed.port}/`),
        straight: `env -u http_proxy -u HTTP_PROXY -u ALL_PROXY -u all_proxy curl -sS -m 10 http://127.0.0.1:${open.port}/`,
        written: 'touch "$BESIDE/x" "$BESIDE/y" /dev/null',
        'through the proxy': `curl -sS -m 10 -x "$http_proxy" http://127.0.0.2:${closed.port}/`,
      })}`,
    )
    place.settings({ sandbox: { allowedDomains: ['127.0.0.1'] } })
    await place.ready()
    const ran = await place.ralph(once('-m', '2').filter(word => word !== '--once'))
    expect(found(place, 'open'), ran.stdout + ran.stderr).toBe('reached')
    for (const name of ['closed', 'straight', 'through the proxy'])
      expect(found(place, name), name).not.toBe('reached')
    expect(ran.stdout).toContain('the sandbox refused 127.0.0.2')
    expect(ran.stdout).toContain('ralph sandbox allow 127.0.0.2')
    expect(ran.stdout).toContain(`refused writing ${place.at('beside/x')}`)
    expect(ran.stdout).not.toContain(place.at('beside/y'))
    expect(readFileSync(place.at('project/prompt-1'), 'utf8')).toContain(
      `It does not let you reach: 127.0.0.2. It does not let you write: ${place.at('beside/x')}. Continue without them. The user has been informed.`,
    )
    const receipt = JSON.parse((await place.ralph(['report', '--json'])).stdout) as {
      iterations: { denied?: string[] }[]
    }
    const [first, ...others] = receipt.iterations.map(({ denied }) => denied?.toSorted())
    expect(first).toEqual(['127.0.0.2', `writing ${place.at('beside/x')}`])
    expect(others.flat().filter(Boolean)).toEqual([])
    expect(readFileSync(place.at('project/prompt-0'), 'utf8')).not.toContain('sandbox')
    expect(ran.stdout.split('refused 127.0.0.2')).toHaveLength(2)
  })

  test('what the user allows while it runs is reached', async () => {
    const closed = await serve('127.0.0.2')
    const place = openPlace(
      `cat > /dev/null
url=http://127.0.0.2:${closed.port}/
until curl -sS -m 5 $url | grep -q reached; do touch asked; sleep 0.1; done
echo '<response>DONE</response>'\n`,
    )
    place.settings({ sandbox: { allowedDomains: ['127.0.0.1'] } })
    await place.ready()
    const running = place.ralph(once())
    while (!existsSync(place.at('project/asked'))) await new Promise(resolve => setTimeout(resolve, 50))
    const allowed = await place.ralph(['sandbox', 'allow', '127.0.0.2'])
    expect(allowed.stdout).toContain('may reach 127.0.0.2')
    expect((await running).code).toBe(0)
    const refused = await place.ralph(['sandbox', 'allow', 'https://127.0.0.2/'])
    expect(refused).toMatchObject({ code: 2 })
    expect(refused.stderr).toContain('is not a host')
  })

  test('a key of the agent is not inside, and reaches only its model', async () => {
    const [model, other] = [await serve('127.0.0.1'), await serve('127.0.0.2')]
    const get = (port: number, host: string) =>
      `curl -sS -m 10 -H "x-api-key: $ANTHROPIC_API_KEY" http://${host}:${port}/`
    const place = openPlace('')
    // By this name it is the CLI that has a model and keys of its own.
    place.addProgram(
      'claude',
      `case "$*" in *--help* | *--version*) exit 0 ;; esac
${attempts({ key: 'echo "$ANTHROPIC_API_KEY"', model: get(model.port, '127.0.0.1'), other: get(other.port, '127.0.0.2') })}${DONE}`,
    )
    place.settings({ sandbox: { allowedDomains: ['127.0.0.2'] } })
    await place.ready()
    const env = {
      ANTHROPIC_API_KEY: 'sk-ant-the-real-key-of-the-user',
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${model.port}`,
    }
    const args = [...once().slice(0, -2), '--no-stream-agent-output', '-a', 'claude']
    const ran = await place.ralph(args, env)
    expect(found(place, 'key'), ran.stdout + ran.stderr).not.toContain('the-real-key')
    expect(found(place, 'model')).toBe('reached')
    expect(model.keys).toEqual(['sk-ant-the-real-key-of-the-user'])
    expect(found(place, 'other')).toBe('reached')
    expect(other.keys.join()).not.toContain('the-real-key')
  })

  test('an agent that is stopped may finish, and leaves nothing running', async () => {
    const place = openPlace(`cat > /dev/null
(env -i setsid sh -c 'while :; do sleep 0.1; echo x >> '"$PWD"'/alive; done' > /dev/null 2>&1 &)
trap 'echo finished > ended; exit 0' TERM
while :; do sleep 0.1; done\n`)
    await place.ready()
    const ran = await place.ralph(once('--iteration-timeout', '5'))
    expect(ran.code, ran.stderr).toBe(1)
    expect(readFileSync(place.at('project/ended'), 'utf8')).toBe('finished\n')
    const size = () => readFileSync(place.at('project/alive'), 'utf8').length
    const before = size()
    await new Promise(resolve => setTimeout(resolve, 400))
    expect(size()).toBe(before)
  })

  test('it is taken by itself where it works; one that is named and missing is refused, with the way out', async () => {
    const place = openPlace("cat > /dev/null\necho '<response>DONE</response>'\n")
    await place.ready()
    const run = ['run', '-p', 'work', '--once', '--trust']
    const taken = await place.ralph([...run, '--', 'agent'])
    expect([taken.code, taken.stdout]).toEqual([0, expect.stringMatching(/^ {2}sandbox +srt: /m)])
    const without = await place.ralph([...run, '--no-sandbox', '--', 'agent'])
    expect(without.stdout).not.toMatch(/^ {2}sandbox/m)
    expect(without.stderr).toMatch(/there is no sandbox$/m)
    const PATH = `${place.at('bin')}:/usr/bin:/bin`
    const refused = await place.ralph([...run, '--sandbox=srt', '--', 'agent'], { PATH })
    expect(refused.code).toBe(2)
    expect(refused.stderr).toMatch(/^ralph: error: sandbox srt: srt is not on PATH \(npm install -g .+\)/m)
    const fallen = await place.ralph([...run, '--', 'agent'], { PATH })
    expect([fallen.code, fallen.stderr]).toEqual([
      0,
      expect.stringContaining('there is no sandbox (srt is not on PATH; see: ralph doctor)'),
    ])
    const unknown = await place.ralph([...run, '--sandbox=jail', '--', 'agent'])
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('--sandbox must be')])
  })

  test('who plans outside of a run works inside, too', async () => {
    const place = openPlace('cat > /dev/null\ntouch "$BESIDE/x"\necho nothing\n')
    place.settings({ agent: { command: place.at('bin/agent') }, sandbox: { mode: 'srt' } })
    writeFileSync(place.at('project/shop.md'), 'Sell things.')
    await place.ready()
    const planned = await place.ralph(['task', 'plan', 'shop.md', '--yes', '--trust'])
    expect(planned.stderr).toContain(`the sandbox refused writing ${place.at('beside/x')}`)
    expect(planned.code, planned.stderr).toBe(1)
    expect(readdirSync(place.at('beside'))).toEqual([])
  })

  test('no program of a project makes the sandbox, though it is the first on PATH', async () => {
    const place = openPlace(
      "cat > /dev/null\ntouch ../beside/x && echo written\necho '<response>DONE</response>'\n",
    )
    for (const name of ['srt', 'bwrap', 'socat', 'rg']) {
      mkdirSync(place.at('project/node_modules/.bin'), { recursive: true })
      const fake = place.at(`project/node_modules/.bin/${name}`)
      writeFileSync(fake, '#!/bin/sh\ntouch "$BESIDE/by-$(basename "$0")"\nexec "$@"\n', { mode: 0o755 })
    }
    await place.ready()
    const bin = place.at('project/node_modules/.bin')
    const ran = await place.ralph(once(), { PATH: `${bin}:${place.env.PATH}` })
    expect(ran.code, ran.stdout + ran.stderr).toBe(0)
    expect(readdirSync(place.at('beside'))).toEqual([])
    const refused = await place.ralph(once(), { PATH: `${bin}:${place.at('bin')}:/usr/bin:/bin` })
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain(`${bin}/srt is not used, because an agent could replace it`)
  })

  test('checks may reach hosts that the agent may not', async () => {
    const port = (await serve('127.0.0.2')).port
    const get = `curl -sS -m 10 http://127.0.0.2:${port}/`
    const place = openPlace(attempts({ agent: get }) + DONE)
    place.settings({
      sandbox: { allowedDomains: ['127.0.0.1'], checkDomains: ['127.0.0.2'] },
      baseline: false,
    })
    await place.ready()
    const ran = await place.ralph(once('--check', `${get} | grep reached`))
    expect(ran.code, ran.stdout + ran.stderr).toBe(0)
    expect(found(place, 'agent')).not.toContain('reached')
  })

  test('checks may reach the hosts of a registry that the settings name', async () => {
    // Whatever leaves the sandbox goes through here, as through the proxy of a company.
    const { port } = await serve('127.0.0.1')
    const get = 'curl -sS -m 10 http://registry.npmjs.org/left-pad'
    const place = openPlace(attempts({ agent: get }) + DONE)
    place.settings({ sandbox: { checkDomains: ['npm'] }, baseline: false })
    await place.ready()
    const check = ['--check', `${get} | grep reached`]
    const env = { HTTP_PROXY: `http://127.0.0.1:${port}`, NO_PROXY: '' }
    const ran = await place.ralph(once(...check), env)
    expect(ran.code, ran.stdout + ran.stderr).toBe(0)
    expect(found(place, 'agent')).not.toContain('reached')
  })

  test('a ralph that is killed leaves nothing of the sandbox running', { timeout: 30_000 }, async () => {
    const place = openPlace('cat > /dev/null\ntouch began\nsleep 300\n')
    await place.ready()
    // What is of the run has its folder in its command line: ralph, the bridges of the proxies, what is around the agent.
    const running = () =>
      readdirSync('/proc').filter(pid => {
        try {
          const isMe = pid === String(process.pid)
          return (
            !isMe && /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(place.at(''))
          )
        } catch {
          return false
        }
      })
    const pids = new Promise<number>(resolve => void place.ralph(once(), {}, resolve))
    while (!existsSync(place.at('project/began'))) await new Promise(resolve => setTimeout(resolve, 50))
    expect(running().length).toBeGreaterThan(1)
    process.kill(await pids, 'SIGKILL')
    await expect.poll(running, { timeout: 15_000 }).toEqual([])
  })

  test('the commands that prepare and clean up the worktree of a task run inside', {
    timeout: 60_000,
  }, async () => {
    const place = openPlace("cat > /dev/null\necho x > work\necho '<response>DONE</response>'\n")
    place.settings({
      env: { pass: ['BESIDE'] },
      worktree: {
        setup: 'touch "$RALPH_WORKTREE/../../prepared"; touch "$BESIDE/by-setup"; true',
        teardown: 'touch "$RALPH_WORKTREE/../../cleaned"; touch "$BESIDE/by-teardown"; true',
      },
    })
    writeFileSync(place.at('project/tasks.json'), TASKS)
    await place.ready()
    const ran = await place.ralph(BUILD)
    expect(ran.code, ran.stdout + ran.stderr).toBe(0)
    expect(readdirSync(place.at('project-worktrees')).sort()).toEqual(['cleaned', 'prepared'])
    expect(readdirSync(place.at('beside'))).toEqual([])
  })

  test('checks run inside too, unless the settings leave them outside', async () => {
    const place = openPlace("cat > /dev/null\necho '<response>DONE</response>'\n")
    const pass = { env: { pass: ['BESIDE'] } }
    place.settings({ sandbox: { checks: 'inside' }, ...pass })
    await place.ready()
    const check = ['--check', 'touch "$BESIDE/by-check"']
    const env = { BESIDE: place.at('beside') }
    const inside = await place.ralph(once(...check), env)
    expect(inside.code).toBe(1)
    place.settings({ sandbox: { checks: 'outside' }, ...pass })
    const outside = await place.ralph(once(...check), env)
    expect(outside.code, outside.stdout + outside.stderr).toBe(0)
    expect(existsSync(place.at('beside/by-check'))).toBe(true)
  })
})
